//! Instructions that the machine of the build does not have.
//!
//! CuTe compiles them all the same: the body of an atom is empty but for a trap where a macro of the architecture is
//! not defined, as for `wgmma` in code for `sm_90` instead of `sm_90a`.
//!
//! Silent where the build names no architecture or several, and in code that the preprocessor leaves out.

use cute_hardware::{Architecture, TemplateId};

use super::counts::atom;
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Severity};
use crate::trace::{Action, ActionKind};
use crate::value::Value;

/// Actions that issue an instruction.
const ISSUING: [ActionKind; 3] = [ActionKind::Gemm, ActionKind::Copy, ActionKind::CopyWhere];

/// Looks for the first use of each instruction that there is not.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let Some(target) = seen.run.target else {
        return;
    };
    let mut said: Vec<&str> = Vec::new();
    for action in ISSUING.iter().flat_map(|kind| seen.run.reached(*kind)) {
        let Some((name, needed)) = instruction(action) else {
            continue;
        };
        if needed.is_in(target) || action.is_uncertain || said.contains(&name) {
            continue;
        }
        said.push(name);
        costs
            .findings
            .push(missing(seen, action, name, needed, target));
    }
}

/// The instruction that an action issues, and the architecture that it needs.
fn instruction<'a>(action: &'a Action<'_>) -> Option<(&'a str, Architecture)> {
    action.values.iter().find_map(|value| match value {
        Value::TiledMma(mma) => Some((mma.atom().name.as_str(), mma.atom().architecture)),
        Value::ThrMma(thread) => {
            let atom = thread.mma.atom();
            Some((atom.name.as_str(), atom.architecture))
        }
        value => atom(value).map(|found| (found.atom.name.as_str(), found.atom.architecture)),
    })
}

fn missing(
    seen: &Seen<'_, '_>,
    action: &Action<'_>,
    name: &str,
    needed: Architecture,
    target: Architecture,
) -> Finding {
    // Its template arguments are on the line that is underlined.
    let id = TemplateId::parse(name).ok();
    let short = id.as_ref().map_or(name, TemplateId::base);
    Finding {
        numbers: vec![
            ("needs".to_owned(), Number::Text(needed.to_string())),
            ("target".to_owned(), Number::Text(target.to_string())),
        ],
        ..seen.finding(
            "instruction-not-available",
            Severity::Warning,
            action.span(),
            format!("`{short}` needs {needed}; this build is for {target}, where it traps"),
        )
    }
}
