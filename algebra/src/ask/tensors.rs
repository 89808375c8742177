//! Questions about tensors: the layout answers, and the accessor stays or moves.

use super::question::{Judged, Question, unknown};
use super::value::Value;
use crate::judge::Judgement;
use crate::tensor::Tensor;
use crate::text::{Parse, Reading};

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

    /// The answer to `op` with the tensor at the place `index`.
    pub(super) fn on_tensor(&self, op: &str, index: usize, tensor: &Tensor) -> Judged {
        match op {
            "layout" => Ok((Value::Tensor(tensor.clone()), Judgement::accepted())),
            "slice" => {
                let coordinate = self.parse(1 - index.min(1))?;
                Ok((
                    Value::Tensor(tensor.slice(&coordinate)?),
                    Judgement::accepted(),
                ))
            }
            "eval" => Ok((tensor.at(&self.parse(1)?)?.into(), Judgement::accepted())),
            "composition" | "logical_divide" | "zipped_divide" | "tiled_divide" | "flat_divide"
            | "coalesce" | "filter" | "filter_zeros" | "flatten" | "group" | "group_modes"
            | "take" | "select"
                if index == 0 =>
            {
                let (value, judgement) = self.with_layout_of(op, index, tensor)?;
                Ok(match value {
                    Value::Layout(layout) => (Value::Tensor(tensor.with_layout(layout)), judgement),
                    other => (other, judgement),
                })
            }
            "shape" | "stride" | "size" | "rank" | "depth" | "cosize" | "coshape" => {
                self.with_layout_of(op, index, tensor)
            }
            _ => Err(unknown(op)),
        }
    }

    /// The question with the layout of the tensor in its place.
    fn with_layout_of(&self, op: &str, index: usize, tensor: &Tensor) -> Judged {
        let layout = match self.reading() {
            Reading::Cute => tensor.layout.to_string(),
            Reading::Plain => format!("{:#}", tensor.layout),
        };
        let mut args: Vec<&str> = self.args().to_vec();
        args.splice(index..=index, [layout.as_str()]);
        Question::new(&args, self.reading()).answer_on_layouts(op)
    }
}
