//! `run EXPR`: the offsets of a layout by its address program, compared with the algebra.

use std::io;

use cute_algebra::AnyLayout;
use cute_hardware::Refusal;
use cute_runner::compare::{self, Comparison};
use cute_runner::cpu;
use cute_runner::plan::Plan;
use serde_json::json;

use super::Session;
use super::arguments::{Device, TableFormat};
use super::eval::layout_of;
use super::output::{Outcome, complain};

/// Why the CPU executes where nobody asked for it.
const NO_CUDA: &str = "this build has no CUDA executor";

pub(super) fn run(
    text: &str,
    device: Device,
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    let why = match device {
        Device::Cpu => "as asked",
        Device::Auto => NO_CUDA,
        Device::Cuda => {
            complain(&format!("{NO_CUDA}; `--device cpu` runs the same program"));
            return Ok(Outcome::Found);
        }
    };
    let layout = match layout_of(text, session) {
        Ok(layout) => layout,
        Err(outcome) => return Ok(outcome),
    };
    let (plan, comparison) = match executed(&layout) {
        Ok(done) => done,
        Err(refusal) => {
            complain(&format!("{}: {}", refusal.rule.name(), refusal.message()));
            return Ok(Outcome::Found);
        }
    };
    match format {
        TableFormat::Text => session.out.text(&described(&plan, comparison, why))?,
        TableFormat::Json => session.out.json(&as_json(&plan, comparison, why))?,
    }
    Ok(match comparison.difference {
        None => Outcome::Clean,
        Some(_) => Outcome::Found,
    })
}

fn executed(layout: &AnyLayout) -> Result<(Plan, Comparison), Refusal> {
    let plan = Plan::of_offsets(layout)?;
    let offsets = cpu::offsets(&plan)?;
    let comparison = compare::with_algebra(&plan, &offsets)?;
    Ok((plan, comparison))
}

fn described(plan: &Plan, comparison: Comparison, why: &str) -> String {
    let cost = plan.program().cost();
    let (compared, size) = (comparison.compared, plan.size());
    let scope = if plan.is_exhaustive() {
        "all"
    } else {
        "an even sample"
    };
    let verdict = match comparison.difference {
        None => {
            format!("{compared} of {size} offsets compared ({scope}): each is the algebra's\n")
        }
        Some(difference) => format!(
            "coordinate {}: {} expected, {} computed\n",
            difference.coordinate,
            difference.expected,
            difference
                .got
                .map_or_else(|| "nothing".to_owned(), |got| got.to_string()),
        ),
    };
    format!(
        "{}: {} instructions, run on the CPU ({why})\n{verdict}",
        plan.layout(),
        cost.instructions,
    )
}

fn as_json(plan: &Plan, comparison: Comparison, why: &str) -> serde_json::Value {
    json!({
        "layout": plan.layout().to_string(),
        "device": "cpu",
        "why": why,
        "size": plan.size(),
        "compared": comparison.compared,
        "exhaustive": plan.is_exhaustive(),
        "agrees": comparison.difference.is_none(),
        "difference": comparison.difference.map(|difference| json!({
            "coordinate": difference.coordinate,
            "expected": difference.expected,
            "got": difference.got,
        })),
    })
}
