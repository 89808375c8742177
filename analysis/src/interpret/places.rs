//! The position of a thread: CuTe's and CUTLASS's functions of `threadIdx` and `blockIdx`, and the values that depend
//! on it.

use cute_algebra::{AnyLayout, ComposedLayout, Delta, Int, Layout};
use tree_sitter_cute::tree::Span;

use super::Interpreter;
use super::frame::Frame;
use crate::reason::Reason;
use crate::tensor::Tensor;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// The value for any thread or coordinate from that of the first one: run-time steps are symbols, with those of the
    /// first as their examples.
    pub(super) fn for_any(&mut self, first: &Value, place: Span, frame: &mut Frame<'u>) -> Value {
        let Some(layout) = first.as_any_layout() else {
            return Value::Unknown(Reason::RunTime("a coordinate".into()));
        };
        let mut examples = Vec::new();
        let mut open = |int: &Int| match int.value() {
            Some(number) if !int.is_static() => {
                let symbol = Int::coordinate(&frame.symbol_name(&format!("d{}", examples.len())));
                examples.push((symbol.clone(), number));
                symbol
            }
            _ => int.clone(),
        };
        let mut with_steps = |layout: &Layout| {
            let stride = layout.stride().map(|delta| match delta {
                Delta::Int(int) => Delta::Int(open(int)),
                other => other.clone(),
            });
            Layout::new(layout.shape(), stride)
        };
        let opened = match &layout {
            AnyLayout::Affine(layout) => with_steps(layout).map(AnyLayout::Affine),
            AnyLayout::Composed(composed) => with_steps(&composed.inner).map(|inner| {
                AnyLayout::Composed(ComposedLayout {
                    outer: composed.outer.clone(),
                    offset: composed.offset.map(&mut open),
                    inner,
                })
            }),
        };
        let layout = match opened {
            Ok(layout) => layout,
            Err(refusal) => return super::on_values::refused(&refusal),
        };
        for (symbol, number) in examples {
            self.recorder.nominal(&Value::Int(symbol), number, place);
        }
        match first {
            Value::Tensor(tensor) => Value::Tensor(Box::new(Tensor {
                engine: tensor.engine.clone(),
                layout,
            })),
            _ => Value::of_layout(layout),
        }
    }

    /// The number that an assumption gives a coordinate of the grid, or its symbol.
    pub(super) fn grid_coordinate(&self, symbol: &str, place: Span) -> Int {
        match self.assumed_value(symbol, place) {
            Some(value) => Int::dynamic(value),
            None => Int::coordinate(symbol),
        }
    }

    /// The value of such a function; `None` when the function is another one, or has a separate symbol.
    pub(super) fn place_of_thread(&self, function: &str, place: Span) -> Option<Value> {
        let thread = || self.grid_coordinate("threadIdx.x", place);
        let place = match function {
            "canonical_warp_idx" | "canonical_warp_idx_sync" => {
                thread().div(&Int::dynamic(32)).ok()?
            }
            "canonical_warp_group_idx" => thread().div(&Int::dynamic(128)).ok()?,
            "canonical_lane_idx" => thread().rem(&Int::dynamic(32)).ok()?,
            "block_rank_in_cluster" => match self.assumed_value(function, place) {
                Some(rank) => Int::dynamic(rank),
                // The first CTA of the grid is the first of its cluster.
                None => ["blockIdx.x", "blockIdx.y", "blockIdx.z"]
                    .iter()
                    .all(|axis| self.assumed_value(axis, place) == Some(0))
                    .then(|| Int::dynamic(0))?,
            },
            _ => return None,
        };
        Some(Value::Int(place))
    }
}
