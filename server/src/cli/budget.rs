//! `budget FILE`: the resources of a streaming multiprocessor that the kernels of a source take.

use std::io;
use std::path::PathBuf;

use cute_analysis::{Analysis, Budget, BufferCost, LaunchBounds, RegisterRole, SharedCost};
use cute_hardware::multiprocessor::Multiprocessor;
use serde::Serialize;

use super::Session;
use super::arguments::formats::TableFormat;
use super::output::{Outcome, shown};
use super::source::{Source, for_each_file};
use crate::presentation::{cost, ledger};

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
    /// Warp groups with the registers that they request by `setmaxnreg`.
    roles: Vec<RoleRow>,
    launch_bounds: Option<BoundsRow>,
    tensor_memory: Vec<RegionRow>,
    columns_allocated: Option<i64>,
    threads: Option<i64>,
    cluster: Option<[i64; 3]>,
    grid: Option<String>,
    ctas_per_multiprocessor: Option<i64>,
    limited_by: Option<&'static str>,
    /// Work of lines.
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
struct RoleRow {
    registers: i64,
    warp_groups: Option<i64>,
}

#[derive(Serialize)]
struct BoundsRow {
    threads: i64,
    blocks: Option<i64>,
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
    for_each_file(files, session, |session, source, analysis| {
        for budget in &analysis.budgets {
            let number = session.architecture.or(budget.architecture);
            let Some(machine) =
                number.map_or_else(|| cost::multiprocessor(budget), Multiprocessor::of)
            else {
                continue;
            };
            match format {
                TableFormat::Text => session.out.text(&text(analysis, budget, machine, source))?,
                TableFormat::Json => {
                    let mut row = Row::of(budget, machine, source);
                    row.lines = cost::lines_in(analysis, budget)
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
        Ok(Outcome::Clean)
    })
}

/// One kernel as a person reads it.
fn text(analysis: &Analysis, budget: &Budget, machine: Multiprocessor, source: &Source) -> String {
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
    let mut text = format!(
        "{}:{}:{}: {kind} {} on sm_{}{instance}\n",
        shown(&source.path),
        place.line,
        place.column,
        budget.function,
        machine.number,
    );
    let line_of = |byte| source.lines.place(byte).line;
    for line in ledger::lines(analysis, budget, machine, &line_of) {
        text.extend(["  ", &line, "\n"]);
    }
    text.push('\n');
    text
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
            registers_allowed: budget.registers_allowed(),
            roles: budget.roles.iter().map(RoleRow::of).collect(),
            launch_bounds: budget.launch_bounds.map(BoundsRow::of),
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

impl RoleRow {
    fn of(role: &RegisterRole) -> Self {
        Self {
            registers: role.registers,
            warp_groups: role.warp_groups,
        }
    }
}

impl BoundsRow {
    fn of(bounds: LaunchBounds) -> Self {
        Self {
            threads: bounds.threads,
            blocks: bounds.blocks,
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
