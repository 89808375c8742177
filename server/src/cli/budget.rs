//! `budget FILE`: what the kernels of a source take of a streaming multiprocessor.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use cute_analysis::{Budget, BufferCost, SharedCost};
use cute_hardware::multiprocessor::Multiprocessor;
use serde::Serialize;

use super::Session;
use super::arguments::TableFormat;
use super::output::{Outcome, complain};
use super::source::Source;
use crate::presentation::cost::{self, grouped};

/// A kernel instance as `budget --format json` prints it.
#[derive(Serialize)]
struct Row {
    file: String,
    line: usize,
    column: usize,
    function: String,
    kernel: bool,
    instance: Option<String>,
    /// The architecture whose limits are used.
    architecture: String,
    shared: Vec<SharedRow>,
    shared_bytes: Option<i64>,
    shared_limit: i64,
    fragments: Vec<FragmentRow>,
    /// Registers of fragments that are live at once.
    registers: i64,
    registers_allowed: i64,
    tensor_memory: Vec<RegionRow>,
    columns_allocated: Option<i64>,
    threads: Option<i64>,
    cluster: Option<[i64; 3]>,
    grid: Option<String>,
    ctas_per_multiprocessor: Option<i64>,
    limited_by: Option<&'static str>,
    /// What lines do.
    lines: Vec<LineRow>,
}

#[derive(Serialize)]
struct LineRow {
    line: usize,
    text: String,
}

#[derive(Serialize)]
struct SharedRow {
    name: String,
    dynamic: bool,
    bytes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    buffers: Vec<PartRow>,
    barriers: Vec<PartRow>,
    padding: i64,
    most_stages: Option<i64>,
}

#[derive(Serialize)]
struct PartRow {
    name: String,
    bytes: i64,
    stages: Option<i64>,
}

#[derive(Serialize)]
struct FragmentRow {
    name: String,
    elements: i64,
    element: String,
    registers: i64,
}

#[derive(Serialize)]
struct RegionRow {
    name: String,
    columns: i64,
    overlaps: Vec<String>,
}

pub(super) fn run(
    files: &[PathBuf],
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    let mut outcome = Outcome::Clean;
    for path in files {
        let analysed =
            Source::read(path).and_then(|source| Ok((session.analyse(&source)?, source)));
        let (analysis, source) = match analysed {
            Ok(analysed) => analysed,
            Err(error) => {
                complain(&error.to_string());
                outcome = Outcome::Unusable;
                continue;
            }
        };
        for budget in &analysis.budgets {
            let number = session.architecture.or(budget.architecture);
            let Some(machine) =
                number.map_or_else(|| cost::multiprocessor(budget), Multiprocessor::of)
            else {
                continue;
            };
            match format {
                TableFormat::Text => {
                    let mut text = text(budget, machine, &source);
                    for (byte, line) in cost::lines_in(&analysis, budget) {
                        let at = source.lines.place(byte).line;
                        // Writing to a String cannot fail.
                        let _ = writeln!(text, "  line {at:<13}{line}");
                    }
                    text.push('\n');
                    session.out.text(&text)?;
                }
                TableFormat::Json => {
                    let mut row = Row::of(budget, machine, &source);
                    row.lines = cost::lines_in(&analysis, budget)
                        .into_iter()
                        .map(|(byte, text)| LineRow {
                            line: source.lines.place(byte).line,
                            text,
                        })
                        .collect();
                    session.out.json(&row)?;
                }
            }
        }
    }
    Ok(outcome)
}

impl Row {
    fn of(budget: &Budget, machine: Multiprocessor, source: &Source) -> Self {
        let place = source.lines.place(budget.span.start);
        let occupancy = budget.occupancy(machine);
        let overlaps = budget.overlaps();
        Self {
            file: source.path.display().to_string(),
            line: place.line,
            column: place.column,
            function: budget.function.clone(),
            kernel: budget.is_kernel,
            instance: budget.instance.clone(),
            architecture: format!("sm_{}", machine.number),
            shared: budget
                .shared
                .iter()
                .map(|object| SharedRow::of(object, machine))
                .collect(),
            shared_bytes: budget.shared_bytes(),
            shared_limit: machine.shared_of_a_cta,
            fragments: budget
                .fragments
                .iter()
                .map(|fragment| FragmentRow {
                    name: fragment.name.clone(),
                    elements: fragment.cost.elements,
                    element: fragment.cost.element.clone(),
                    registers: fragment.cost.registers,
                })
                .collect(),
            registers: budget.registers(),
            registers_allowed: cost::allowed(budget),
            tensor_memory: budget
                .regions
                .iter()
                .map(|region| RegionRow {
                    name: region.name.clone(),
                    columns: region.columns,
                    overlaps: overlaps
                        .iter()
                        .filter(|(one, _)| one.span == region.span)
                        .map(|(_, other)| other.name.clone())
                        .collect(),
                })
                .collect(),
            columns_allocated: budget.allocated,
            threads: budget.threads(),
            cluster: budget.launches.first().and_then(|launch| launch.cluster),
            grid: budget.launches.first().map(|launch| launch.grid.clone()),
            ctas_per_multiprocessor: occupancy.map(|occupancy| occupancy.ctas),
            limited_by: occupancy.map(|occupancy| occupancy.limit.name()),
            lines: Vec::new(),
        }
    }
}

impl SharedRow {
    fn of(object: &SharedCost, machine: Multiprocessor) -> Self {
        let rows = |parts: &[BufferCost]| {
            parts
                .iter()
                .map(|part| PartRow {
                    name: part.name.clone(),
                    bytes: part.bytes,
                    stages: part.stages,
                })
                .collect()
        };
        Self {
            name: object.name.clone(),
            dynamic: object.is_dynamic,
            bytes: object.size.as_ref().ok().copied(),
            reason: object.size.as_ref().err().map(ToString::to_string),
            buffers: rows(&object.buffers),
            barriers: rows(&object.barriers),
            padding: object.padding,
            most_stages: object.most_stages(machine.shared_of_a_cta),
        }
    }
}

/// One kernel as a person reads it.
fn text(budget: &Budget, machine: Multiprocessor, source: &Source) -> String {
    let place = source.lines.place(budget.span.start);
    let kind = if budget.is_kernel {
        "kernel"
    } else {
        "function"
    };
    let instance = match &budget.instance {
        Some(instance) => format!("  [{instance}]"),
        None => String::new(),
    };
    let mut lines = vec![format!(
        "{}:{}:{}: {kind} {} on sm_{}{instance}",
        source.path.display(),
        place.line,
        place.column,
        budget.function,
        machine.number,
    )];
    for object in &budget.shared {
        lines.extend(shared(object, machine));
    }
    if let Some((registers, at)) = budget.peak {
        lines.push(format!(
            "  registers         {} of {} by fragments, the most at line {}",
            grouped(registers),
            cost::allowed(budget),
            source.lines.place(at.start).line
        ));
        for fragment in &budget.fragments {
            lines.push(format!(
                "    {:<14}{:>9}    {} {}",
                fragment.name,
                grouped(fragment.cost.registers),
                grouped(fragment.cost.elements),
                fragment.cost.element
            ));
        }
    }
    if let (Some(threads), [_, _, ..]) = (budget.threads(), budget.set_registers.as_slice()) {
        lines.push(format!(
            "  setmaxnreg        {}; {} threads share 65,536 registers",
            budget
                .set_registers
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" and "),
            grouped(threads)
        ));
    }
    lines.extend(tensor_memory(budget, machine));
    for line in cost::launch_lines(budget) {
        lines.push(format!("  launch            {line}"));
    }
    if let Some(line) = cost::occupancy_line(budget, Some(machine)) {
        lines.push(format!("  residency         {line}"));
    }
    lines.join("\n") + "\n"
}

fn shared(object: &SharedCost, machine: Multiprocessor) -> Vec<String> {
    let kind = if object.is_dynamic {
        "dynamic"
    } else {
        "static"
    };
    let size = match &object.size {
        Ok(size) => *size,
        Err(reason) => {
            return vec![format!(
                "  shared memory     unknown: {} ({kind}), {reason}",
                object.name
            )];
        }
    };
    let mut lines = vec![format!(
        "  shared memory     {} of {} B: {} ({kind})",
        grouped(size),
        grouped(machine.shared_of_a_cta),
        object.name
    )];
    let row = |name: &str, bytes: i64, note: &str| {
        format!("    {name:<14}{:>9}    {note}", grouped(bytes))
            .trim_end()
            .to_owned()
    };
    for part in &object.buffers {
        let note = match part.stages {
            Some(stages) if stages > 1 => {
                format!("{stages} stages of {}", grouped(part.bytes / stages))
            }
            _ => String::new(),
        };
        lines.push(row(&part.name, part.bytes, &note));
    }
    if !object.barriers.is_empty() {
        let bytes = object.barriers.iter().map(|part| part.bytes).sum();
        let names: Vec<&str> = object
            .barriers
            .iter()
            .map(|part| part.name.as_str())
            .collect();
        lines.push(row("barriers", bytes, &names.join(", ")));
    }
    if object.padding > 0 {
        lines.push(row("padding", object.padding, ""));
    }
    if let Some(most) = object.most_stages(machine.shared_of_a_cta) {
        let word = if most == 1 {
            "stage fits"
        } else {
            "stages fit"
        };
        lines.push(format!("    at most {most} {word}"));
    }
    lines
}

fn tensor_memory(budget: &Budget, machine: Multiprocessor) -> Vec<String> {
    if budget.regions.is_empty() && budget.allocated.is_none() {
        return Vec::new();
    }
    let mut lines = vec![match budget.allocated {
        Some(columns) => format!(
            "  tensor memory     {columns} of {} columns allocated",
            machine.columns
        ),
        None => "  tensor memory".to_owned(),
    }];
    for region in &budget.regions {
        let at = match &region.base {
            Some((base, 0)) => format!("at {base}"),
            Some((base, columns)) => format!("at {base} + {columns}"),
            None => String::new(),
        };
        lines.push(
            format!(
                "    {:<14}{:>9}    {at}",
                region.name,
                grouped(region.columns)
            )
            .trim_end()
            .to_owned(),
        );
    }
    for (one, other) in budget.overlaps() {
        lines.push(format!(
            "    {} and {} have columns in common",
            one.name, other.name
        ));
    }
    lines
}
