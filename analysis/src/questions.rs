//! Answers of the functions of the catalogue to questions on textual operands, one function each.
//!
//! [`crate::ask`] finds the function of a name; here nothing knows names.

pub(crate) mod algebra;
pub(crate) mod beyond;
pub(crate) mod coordinates;
pub(crate) mod inquiries;
pub(crate) mod layouts;
pub(crate) mod modes;
mod question;
pub(crate) mod shapes;
pub(crate) mod steps;
pub(crate) mod tensors;
pub(crate) mod tiles;
mod value;

pub(crate) use question::{Asked, Judged, OfTensor, Question, answers};
pub use value::{Answer, Value};

use cute_algebra::{Reading, Refusal, Rule};

impl Asked {
    /// The answer to `op(args...)`, where `op` is the name of the function.
    pub(crate) fn answered(&self, op: &str, args: &[&str], reading: Reading) -> Answer {
        match self.judged(op, args, reading) {
            Ok((value, judgement)) => Answer::of(value, judgement, reading),
            Err(refusal) => Answer::refused(refusal, reading),
        }
    }

    fn judged(&self, op: &str, args: &[&str], reading: Reading) -> Judged {
        self.check_count(args.len())?;
        let question = Question::new(op, args, reading);
        match question.tensor_operand() {
            Some((index, tensor)) => tensors::answer(self, &question, index, &tensor),
            None => (self.answer)(&question),
        }
    }

    fn check_count(&self, count: usize) -> Result<(), Refusal> {
        if (self.fewest..=self.most).contains(&count) {
            return Ok(());
        }
        let refusal = Refusal::uncompilable(Rule::Malformed, "wrong number of arguments");
        Err(refusal.with("arguments", count).with("wanted", self.fewest))
    }
}
