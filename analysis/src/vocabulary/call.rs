//! The arguments of a call, taken as a function needs them.

use std::cell::RefCell;
use std::sync::Arc;

use cute_algebra::judge::{Coverage, Judged};
use cute_algebra::log::Condition;
use cute_algebra::{AnyLayout, Int, Layout, Refusal, Rule, Shape, Tiler};

use super::{Evaluated, Problem, Remark, Surroundings};
use crate::finding::Severity;
use crate::reason::Reason;
use crate::tensor::Tensor;
use crate::types::Type;
use crate::value::Value;

/// The arguments that a judgement is about, by position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blamed {
    /// The argument that causes the error.
    operand: usize,
    /// The argument that it is composed with, where the judgement is about these two themselves and not about the
    /// result of both.
    composed_with: Option<usize>,
}

impl Blamed {
    /// Of `composition(A, B)` with a layout as `B`.
    pub(crate) const RIGHT_OF_COMPOSITION: Self = Self {
        operand: 1,
        composed_with: Some(0),
    };

    fn put_on(self, remark: &mut Remark) {
        remark.operand = Some(self.operand);
        remark.composed_with = self.composed_with;
    }
}

impl From<usize> for Blamed {
    fn from(operand: usize) -> Self {
        Self {
            operand,
            composed_with: None,
        }
    }
}

/// A call of a function of the vocabulary.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// The name it is called by.
    pub(crate) name: &'static str,
    /// Template arguments.
    pub(crate) targs: &'a [Value],
    /// Arguments.
    pub(crate) args: &'a [Value],
    /// The definitions of the source for the library.
    pub(crate) surroundings: Surroundings,
    remarks: RefCell<Vec<Remark>>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(name: &'static str, targs: &'a [Value], args: &'a [Value]) -> Self {
        Self {
            name,
            targs,
            args,
            surroundings: Surroundings::default(),
            remarks: RefCell::default(),
        }
    }

    /// Says something besides the result.
    pub(crate) fn remark(&self, remark: Remark) {
        self.remarks.borrow_mut().push(remark);
    }

    pub(crate) fn into_remarks(self) -> Vec<Remark> {
        self.remarks.into_inner()
    }

    /// The problem of arguments that the function does not take.
    pub(crate) fn takes(&self, what: &'static str) -> Problem {
        Problem::Unknown(Reason::Unsuitable(self.name.into(), what))
    }

    pub(crate) fn not_evaluated(&self) -> Problem {
        Problem::Unknown(Reason::NotEvaluated(self.name.into()))
    }

    /// The argument at a position.
    pub(crate) fn arg(&self, index: usize) -> Result<&'a Value, Problem> {
        match self.args.get(index) {
            Some(Value::Unknown(reason)) => Err(Problem::Unknown(reason.clone())),
            Some(value) => Ok(value),
            None => Err(self.takes("more arguments")),
        }
    }

    pub(crate) fn int(&self, index: usize) -> Result<&'a Int, Problem> {
        self.arg(index)?
            .as_int()
            .ok_or_else(|| self.takes("an integer"))
    }

    pub(crate) fn shape(&self, index: usize) -> Result<Shape, Problem> {
        self.arg(index)?
            .to_shape()
            .ok_or_else(|| self.takes("a tuple of integers"))
    }

    pub(crate) fn tiler(&self, index: usize) -> Result<Tiler, Problem> {
        self.arg(index)?
            .to_tiler()
            .ok_or_else(|| self.takes("a tiler"))
    }

    /// An affine layout.
    pub(crate) fn layout(&self, index: usize) -> Result<Layout, Problem> {
        match self.arg(index)? {
            Value::Layout(layout) => Ok(Layout::clone(layout)),
            _ => Err(self.takes("a layout")),
        }
    }

    /// The layout of a layout, a composed layout or a tensor.
    pub(crate) fn any_layout(&self, index: usize) -> Result<AnyLayout, Problem> {
        self.arg(index)?
            .as_any_layout()
            .ok_or_else(|| self.takes("a layout or a tensor"))
    }

    /// Template arguments as indices of modes.
    pub(crate) fn indices(&self) -> Result<Vec<usize>, Problem> {
        self.first_indices(self.targs.len())
    }

    /// As [`Call::indices`], of the first template arguments.
    pub(crate) fn first_indices(&self, count: usize) -> Result<Vec<usize>, Problem> {
        self.targs
            .iter()
            .take(count)
            .map(|value| {
                number(value)
                    .and_then(|number| usize::try_from(number).ok())
                    .filter(|index| *index < crate::limits::TUPLE_RANK)
                    .ok_or_else(|| self.takes("known indices as template arguments"))
            })
            .collect()
    }

    /// The result of an operation that was compared with its definition. A departure from it gets a remark, and so does
    /// a condition on run-time sizes; the value stays that of the compiler. `legal` gives operands near by that would
    /// be right.
    pub(crate) fn judged(
        &self,
        judged: Judged<AnyLayout>,
        blamed: impl Into<Blamed>,
        legal: &dyn Fn() -> Vec<String>,
    ) -> Result<AnyLayout, Problem> {
        let blamed = blamed.into();
        let cute = judged.judgement.cute;
        let (layout, conditions) = self.settled(judged, blamed, legal)?;
        for condition in conditions {
            if condition.holds.is_some() {
                continue;
            }
            let refusal = Refusal::new(Rule::NotProvable, cute)
                .with("rule", condition.rule.name())
                .with("dividend", &condition.dividend)
                .with("divisor", &condition.divisor);
            let mut remark = Remark::refused(refusal);
            remark.severity = Severity::Information;
            blamed.put_on(&mut remark);
            self.remark(remark);
        }
        Ok(layout)
    }

    /// As [`Call::judged`], without a remark on run-time conditions: the conditions come with the result.
    pub(crate) fn settled(
        &self,
        judged: Judged<AnyLayout>,
        blamed: impl Into<Blamed>,
        legal: &dyn Fn() -> Vec<String>,
    ) -> Result<(AnyLayout, Vec<Condition>), Problem> {
        let blamed = blamed.into();
        let Judged { result, judgement } = judged;
        let layout = match result {
            Ok(layout) => layout,
            Err(mut refusal) => {
                if refusal.legal.is_empty() {
                    refusal.legal = legal();
                }
                let mut remark = Remark::refused(refusal);
                blamed.put_on(&mut remark);
                remark.witness = judgement.witness;
                return Err(Problem::Refused(Box::new(remark)));
            }
        };
        if let Some(witness) = judgement.witness {
            let mut refusal = Refusal::new(judgement.law, judgement.cute);
            refusal.legal = legal();
            let mut remark = Remark::refused(refusal);
            blamed.put_on(&mut remark);
            remark.witness = Some(witness);
            self.remark(remark);
        }
        if let Some(Coverage { covered, size }) = judgement.coverage
            && let (Some(covered), Some(size)) = (covered.as_static(), size.as_static())
            && covered > size
            && !self.is_of_coordinates()
        {
            let mut refusal = Refusal::new(Rule::OverCovers, judgement.cute)
                .with("covered", covered)
                .with("size", size);
            refusal.legal = legal();
            let mut remark = Remark::refused(refusal);
            remark.severity = Severity::Warning;
            blamed.put_on(&mut remark);
            self.remark(remark);
        }
        Ok((layout, judgement.conditions))
    }

    /// Whether the first argument is a tensor of coordinates: elements outside are not memory. Predicates are made of
    /// it, and TMA leaves out elements outside.
    fn is_of_coordinates(&self) -> bool {
        matches!(self.args.first(), Some(Value::Tensor(tensor)) if tensor.is_of_coordinates())
    }

    /// Applies a function on layouts to the layout of the first argument; a tensor keeps its
    /// engine.
    pub(crate) fn on_layout(
        &self,
        f: impl FnOnce(&AnyLayout) -> Result<AnyLayout, Problem>,
    ) -> Evaluated {
        let subject = self.arg(0)?;
        let layout = f(&self.any_layout(0)?)
            .map_err(|problem| problem.of_first(|layout| rewrapped(subject, layout)))?;
        Ok(match (subject, &layout) {
            (Value::Shared(shared), AnyLayout::Affine(inner)) => {
                Value::Shared(Arc::new(shared.with_layout(inner.clone())))
            }
            (Value::Shared(_), AnyLayout::Composed(_)) => return Err(self.not_evaluated()),
            (value, _) => return Ok(rewrapped(value, layout)),
        })
    }
}

/// A layout in the place of that of a value; a tensor keeps its engine.
fn rewrapped(value: &Value, layout: AnyLayout) -> Value {
    match value {
        Value::Tensor(tensor) => Value::Tensor(Box::new(Tensor {
            engine: tensor.engine.clone(),
            layout,
        })),
        _ => Value::of_layout(layout),
    }
}

/// Tilers as the texts in which they are proposed.
pub(super) fn texts(tilers: &[Tiler]) -> Vec<String> {
    tilers.iter().map(|tiler| format!("{tiler:#}")).collect()
}

/// A result; a refusal is blamed on an operand.
pub(crate) fn blamed<T>(result: Result<T, Refusal>, operand: usize) -> Result<T, Problem> {
    result.map_err(|refusal| {
        let mut remark = Remark::refused(refusal);
        remark.operand = Some(operand);
        Problem::Refused(Box::new(remark))
    })
}

/// The number of a constant, given as a value or as a type.
pub(crate) fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(int) => int.value(),
        Value::Bool(truth) => Some(i64::from(truth.value)),
        Value::Type(ty) => match &**ty {
            Type::Of(value) => number(value),
            _ => None,
        },
        _ => None,
    }
}
