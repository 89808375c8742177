//! Operations on tensors: the layout answers, and the accessor stays or moves.

use cute_algebra::judge::Judgement;
use cute_algebra::{Parse, Reading, Tensor};

use super::question::{Asked, Judged, OfTensor, Question, unknown};
use super::value::Value;

impl Question<'_> {
    /// The first operand that is a tensor, and its place.
    pub(super) fn tensor_operand(&self) -> Option<(usize, Tensor)> {
        self.args().iter().enumerate().find_map(|(i, text)| {
            // A layout begins with a parenthesis or a number.
            if text.starts_with(['(', '_']) || text.starts_with(|c: char| c.is_ascii_digit()) {
                return None;
            }
            Tensor::parse(text, self.reading())
                .ok()
                .map(|tensor| (i, tensor))
        })
    }
}

/// The answer with the tensor at the place `index`.
pub(super) fn answer(asked: &Asked, q: &Question<'_>, index: usize, tensor: &Tensor) -> Judged {
    match asked.of_tensor {
        OfTensor::Own(answer) => answer(q, index, tensor),
        OfTensor::Layout => with_layout_of(asked, q, index, tensor),
        OfTensor::Changed if index == 0 => {
            let (value, judgement) = with_layout_of(asked, q, index, tensor)?;
            Ok(match value {
                Value::Layout(layout) => (Value::Tensor(tensor.with_layout(layout)), judgement),
                other => (other, judgement),
            })
        }
        OfTensor::Changed | OfTensor::Nothing => Err(unknown(q.op())),
    }
}

/// The question with the layout of the tensor in its place.
fn with_layout_of(asked: &Asked, q: &Question<'_>, index: usize, tensor: &Tensor) -> Judged {
    let layout = match q.reading() {
        Reading::Cute => tensor.layout.to_string(),
        Reading::Plain => format!("{:#}", tensor.layout),
    };
    let mut args: Vec<&str> = q.args().to_vec();
    args.splice(index..=index, [layout.as_str()]);
    (asked.answer)(&Question::new(q.op(), &args, q.reading()))
}

/// `layout(tensor)`: the tensor, printed.
#[allow(clippy::unnecessary_wraps, reason = "the signature of all answers")]
pub(crate) fn itself(_: &Question<'_>, _: usize, tensor: &Tensor) -> Judged {
    Ok((Value::Tensor(tensor.clone()), Judgement::accepted()))
}

/// `slice(coordinate, tensor)`.
pub(crate) fn slice(q: &Question<'_>, index: usize, tensor: &Tensor) -> Judged {
    let coordinate = q.parse(1 - index.min(1))?;
    Ok((
        Value::Tensor(tensor.slice(&coordinate)?),
        Judgement::accepted(),
    ))
}

/// `eval(tensor, coordinate)`.
pub(crate) fn eval(q: &Question<'_>, _: usize, tensor: &Tensor) -> Judged {
    Ok((tensor.at(&q.parse(1)?)?.into(), Judgement::accepted()))
}
