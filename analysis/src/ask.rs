//! Operations by name on textual operands: `eval --stdin`, and the derivations of `explain`.
//!
//! Operation names are CuTe's; the catalogue ([`crate::vocabulary`]) has the answer of each. A suffix that only names a
//! family of cases (`_tiler`, `_composed`, `_by_mode`, ...) is ignored: the form of each argument decides its kind. An
//! argument without a top-level `:` is an integer, a tuple, a shape or a tiler.

mod explained;
pub mod hardware;

pub use explained::explained;

use cute_algebra::{Reading, Refusal, Rule};

pub use crate::questions::{Answer, Value};
use crate::vocabulary;

/// Families of test cases whose names carry no meaning.
const FAMILIES: [&str; 10] = [
    "_rhs_basis",
    "_by_mode",
    "_composed",
    "_boundary",
    "_swz_swz",
    "_swizzle",
    "_tiler",
    "_basis",
    "_tuple",
    "_static",
];

/// The operation that a name asks for, without the name of its family.
pub fn operation_name(op: &str) -> &str {
    if is_operation(op) {
        return op;
    }
    FAMILIES
        .iter()
        .find_map(|family| op.strip_suffix(family))
        .filter(|name| is_operation(name))
        .unwrap_or(op)
}

/// Whether a name is that of an operation which can be asked.
pub fn is_operation(name: &str) -> bool {
    vocabulary::asked(name).is_some()
}

/// Answers `op(args...)`, for example `composition` of `(6,2):(1,7)` and `(3,2):(2,3)`.
///
/// ```
/// use cute_algebra::Reading;
/// use cute_analysis::ask::ask;
/// let answer = ask("composition", &["(6,2):(1,7)", "(3,2):(2,3)"], Reading::Plain);
/// assert_eq!(answer.text().as_deref(), Some("(3,2):(2,3)"));
/// let witness = answer.judgement.witness.expect("it is not the composition");
/// assert_eq!((witness.coordinate, witness.expected.to_string(), witness.got.to_string()), (5, "8".into(), "7".into()));
/// ```
pub fn ask(op: &str, args: &[&str], reading: Reading) -> Answer {
    let op = operation_name(op);
    match vocabulary::asked(op) {
        Some(asked) => asked.answered(op, args, reading),
        None => Answer::refused(no_such(op), reading),
    }
}

fn no_such(op: &str) -> Refusal {
    Refusal::uncompilable(Rule::Unsupported, "no such operation").with("operation", op)
}
