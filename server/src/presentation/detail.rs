//! Everything known at a place, by section: the part behind the first screen of a hover.

use std::fmt::Write as _;

use cute_algebra::ops::coalesce::coalesce;
use cute_algebra::properties::{Decision, is_compact, is_contiguous, is_injective};
use cute_algebra::witness::Checked;
use cute_algebra::{AnyLayout, Layout};
use cute_analysis::{Analysis, Value, derivation_in, first_call};
use cute_hardware::address::{Program, ptx};
use cute_hardware::descriptor::canonical::describe;
use cute_hardware::descriptor::{Generation, MatrixDescriptor};
use cute_hardware::{Major, SharedLayout};
use serde::Serialize;
use tree_sitter_cute::tree::{Span, Unit};

use super::hover::diagnosed::{Findings, condition};
use super::hover::{Hover, hover, subject_at};
use super::instances::Chosen;
use super::lines::Lines;
use super::picture::{self, Window};
use super::{cost, ledger, placement, reference, summary};

/// One section of the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Its heading, a word or two.
    pub title: &'static str,
    /// Its lines.
    pub lines: Vec<String>,
}

/// The results for a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// The first screen.
    pub hover: Hover,
    /// The consequences of the value.
    pub sections: Vec<Section>,
}

/// The part of a picture that is drawn in a text: as much as fits an editor's window.
const WINDOW: Window = Window {
    rows: 16,
    columns: 16,
    first: (0, 0),
    cells: 16 * 16,
};

/// Everything known at a byte of the source; nothing where no layout, shape or stride is.
pub fn detail(
    analysis: &Analysis,
    unit: &Unit,
    lines: &Lines,
    byte: usize,
    chosen: &Chosen,
) -> Option<Detail> {
    let hover = hover(analysis, lines, byte, chosen, Findings::All)?;
    let mut sections = Vec::new();
    let mut add = |title, lines: Vec<String>| {
        if !lines.is_empty() {
            sections.push(Section { title, lines });
        }
    };
    let (value, whole) = (
        subject_at(analysis, byte, chosen),
        around(analysis, byte, hover.span),
    );
    add("function", documentation(unit, byte, whole));
    if let Some(derivation) = derivation_in(unit, analysis, whole) {
        add("derivation", lines_of(&derivation.to_string()));
    }
    let preconditions = analysis
        .preconditions
        .iter()
        .filter(|found| whole.encloses(found.span) || found.span.contains(byte));
    add("preconditions", preconditions.map(condition).collect());
    if let Some(value) = &value {
        for (title, lines) in of_value(value) {
            add(title, lines);
        }
    }
    add("path", path(analysis, lines, byte));
    add("budget", budget(analysis, lines, byte, chosen));
    Some(Detail { hover, sections })
}

/// The path of a tile through the kernels that are named at a byte.
fn path(analysis: &Analysis, lines: &Lines, byte: usize) -> Vec<String> {
    let budgets = analysis.budgets_at(byte);
    let kernels = summary::of(analysis).into_iter().filter(|kernel| {
        kernel.span.contains(byte)
            || budgets
                .iter()
                .any(|budget| budget.function == kernel.name && budget.instance == kernel.instance)
    });
    kernels
        .flat_map(|kernel| lines_of(&kernel.plain(lines.place(kernel.span.start).line)))
        .collect()
}

/// The ledger of the kernel that is named at a byte, in the chosen instance.
fn budget(analysis: &Analysis, lines: &Lines, byte: usize, chosen: &Chosen) -> Vec<String> {
    let budgets = analysis.budgets_at(byte);
    let labels = budgets
        .iter()
        .map(|budget| (Some(budget.function.as_str()), budget.instance.as_deref()));
    let Some(budget) = budgets.get(chosen.first(labels)) else {
        return Vec::new();
    };
    let line_of = |byte| lines.place(byte).line;
    cost::multiprocessor(budget)
        .map(|machine| ledger::lines(analysis, budget, machine, &line_of))
        .unwrap_or_default()
}

/// The declaration or expression around a place.
fn around(analysis: &Analysis, byte: usize, span: Span) -> Span {
    let facts = analysis.facts_at(byte);
    facts.first().map_or(span, |fact| fact.span)
}

/// The documentation of CuTe's function that is called here.
fn documentation(unit: &Unit, byte: usize, whole: Span) -> Vec<String> {
    let named = cute_analysis::calls_around(unit, byte)
        .into_iter()
        .rfind(|call| call.name_span.contains(byte));
    let Some(call) = named.or_else(|| first_call(unit, whole)) else {
        return Vec::new();
    };
    let entries: Vec<_> = reference::of(&call.name).collect();
    let fits = |entry: &&reference::Entry| entry.parameters().len() == call.arguments.len();
    match entries.iter().find(fits).or_else(|| entries.first()) {
        Some(entry) => vec![entry.line()],
        None => Vec::new(),
    }
}

/// The sections that follow from a value alone.
pub fn of_value(value: &Value) -> Vec<(&'static str, Vec<String>)> {
    let mut sections = Vec::new();
    if let Some(AnyLayout::Affine(layout)) = placement::known(value) {
        sections.push(("properties", properties(&layout)));
    }
    sections.push(("memory", super::meaning::remedies(value)));
    if let Some(shared) = placement::in_shared_memory(value) {
        sections.push(("matrix descriptors", descriptors(&shared)));
    }
    if let Some(layout) = placement::known(value) {
        sections.push(("address", address(&layout)));
    }
    if let Ok(sheet) = picture::of_value(value, WINDOW) {
        sections.push((
            "picture",
            lines_of(&picture::to_text(&sheet, false, picture::WIDEST)),
        ));
    }
    sections
}

fn properties(layout: &Layout) -> Vec<String> {
    let mut lines = vec![
        format!("injective: {}", said(is_injective(layout))),
        format!("contiguous: {}", said(is_contiguous(layout))),
        format!("compact: {}", said(is_compact(layout))),
    ];
    if let Ok(simple) = coalesce(layout)
        && simple != *layout
    {
        lines.push(format!("coalesced: {simple}"));
    }
    lines
}

fn said(decision: Decision) -> String {
    let answer = match decision.holds {
        Some(true) => "yes",
        Some(false) => "no",
        None => return "unknown: depends on run-time numbers".to_owned(),
    };
    match decision.checked {
        Checked::Everywhere => format!("{answer} (checked at every coordinate)"),
        Checked::First(count) => format!("{answer} (checked at the first {count} coordinates)"),
        Checked::ByTheorem | Checked::Not => answer.to_owned(),
    }
}

/// The descriptors of `wgmma` that the tile has, by major.
fn descriptors(tile: &SharedLayout) -> Vec<String> {
    let of_major = |major: Major| {
        let described = describe(Generation::Wgmma, major, tile).and_then(|found| fields(&found));
        let name = major.name();
        match described {
            Ok(text) => format!("{name}-major: {text}"),
            Err(refusal) => format!("{name}-major: none: {}", refusal.message()),
        }
    };
    vec![of_major(Major::K), of_major(Major::Mn)]
}

fn fields(descriptor: &MatrixDescriptor) -> Result<String, cute_hardware::Refusal> {
    let mut text = format!("{:#018x}", descriptor.encode()?);
    for field in descriptor.fields()? {
        let _ = write!(text, "; {} {} ({})", field.name, field.value, field.meaning);
    }
    Ok(text)
}

/// The cost of computing an offset, and the code.
fn address(layout: &AnyLayout) -> Vec<String> {
    let Ok(program) = Program::of_index(layout) else {
        return Vec::new();
    };
    let cost = program.cost();
    let mut lines = vec![format!(
        "from the index: {} instructions, {} divisions, {} registers",
        cost.instructions, cost.divisions, cost.registers
    )];
    lines.extend(lines_of(&ptx::function(&program, "layout_offset")));
    lines
}

fn lines_of(text: &str) -> Vec<String> {
    text.trim_end().lines().map(str::to_owned).collect()
}

impl Detail {
    /// The first screen, then each section under its heading.
    pub fn plain(&self) -> String {
        let mut out = self.hover.plain.clone();
        for section in &self.sections {
            let _ = write!(out, "\n{}\n", section.title);
            for line in &section.lines {
                let _ = writeln!(out, "  {line}");
            }
        }
        out
    }
}
