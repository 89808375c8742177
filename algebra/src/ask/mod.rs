//! Operations by name on textual operands: one dispatcher for the command line, for tests and for other crates.
//!
//! Operation names are CuTe's. A suffix that only names a family of cases (`_tiler`, `_composed`, `_by_mode`, ...) is
//! ignored: the form of each argument decides its kind. An argument without a top-level `:` is an integer, a tuple, a
//! shape or a tiler.

mod beyond;
mod operations;
mod question;
mod tensors;
mod value;

pub use operations::{ARITIES, operation_name};
pub use value::{Answer, Value};

use crate::judge::Judgement;
use crate::text::Reading;
use question::Question;

/// Answers `op(args...)`, for example `composition` of `(6,2):(1,7)` and `(3,2):(2,3)`.
///
/// ```
/// use cute_algebra::{Reading, ask::ask};
/// let answer = ask("composition", &["(6,2):(1,7)", "(3,2):(2,3)"], Reading::Plain);
/// assert_eq!(answer.text().as_deref(), Some("(3,2):(2,3)"));
/// let witness = answer.judgement.witness.expect("it is not the composition");
/// assert_eq!((witness.coordinate, witness.expected.to_string(), witness.got.to_string()), (5, "8".into(), "7".into()));
/// ```
pub fn ask(op: &str, args: &[&str], reading: Reading) -> Answer {
    let question = Question::new(args, reading);
    let (result, judgement) = match question.answer(operation_name(op)) {
        Ok((value, judgement)) => (Ok(value), judgement),
        Err(refusal) => {
            let judgement = Judgement::refused(&refusal);
            (Err(refusal), judgement)
        }
    };
    Answer {
        result,
        judgement,
        reading,
    }
}
