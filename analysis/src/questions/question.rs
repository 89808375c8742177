//! One question: its operands are read as the operation needs them, and the operation is applied.

use super::value::Value;
use cute_algebra::composed::AnyLayout;
use cute_algebra::int::Int;
use cute_algebra::judge::{self, Judgement};
use cute_algebra::layout::Layout;
use cute_algebra::refusal::{Refusal, Rule};
use cute_algebra::stride::Delta;
use cute_algebra::swizzle::Swizzle;
use cute_algebra::text::{Parse, Reading};
use cute_algebra::tiler::Tiler;
use cute_algebra::tuple::{IntTuple, Shape, TupleView};
use cute_algebra::verdict::Verdict;

/// Further operands of a binary or ternary operation.
#[allow(
    clippy::large_enum_variant,
    reason = "layouts of up to eight leaves live inline, so that operations do not allocate"
)]
pub(super) enum Right {
    Layout(AnyLayout),
    Tiler(Tiler),
}

/// The operands of one question.
pub(crate) struct Question<'a> {
    op: &'a str,
    args: &'a [&'a str],
    reading: Reading,
}

pub(crate) type Judged = Result<(Value, Judgement), Refusal>;

#[allow(clippy::unnecessary_wraps, reason = "the common end of all answers")]
pub(super) fn accepted(value: impl Into<Value>) -> Judged {
    Ok((value.into(), Judgement::accepted()))
}

/// A value of ours where CuTe's templates do not compile.
#[allow(clippy::unnecessary_wraps, reason = "the common end of all answers")]
pub(super) fn beyond_cute(value: impl Into<Value>, why: &'static str) -> Judged {
    Ok((
        value.into(),
        Judgement {
            cute: Verdict::CompileError(why),
            ..Judgement::accepted()
        },
    ))
}

/// An offset as CuTe leaves it: a single basis among the strides is scaled, and not expanded to a tuple.
pub(super) fn offset_value(offset: IntTuple, stride: TupleView<'_, Delta>) -> Judged {
    let mut bases = stride.leaves().iter().filter_map(Delta::as_basis);
    if let (Some(basis), None) = (bases.next(), bases.next())
        && let Some(value) = offset.get_path(
            &basis
                .path
                .iter()
                .map(|&m| usize::from(m))
                .collect::<Vec<_>>(),
        )
        && let Some(value) = value.as_leaf()
    {
        return accepted(Value::Step(Delta::basis(
            value.clone(),
            basis.path.iter().copied(),
        )));
    }
    accepted(offset)
}

pub(super) fn truth(value: Int) -> Judged {
    accepted(Value::Truth(value))
}

impl<'a> Question<'a> {
    pub(super) fn new(op: &'a str, args: &'a [&'a str], reading: Reading) -> Self {
        Question { op, args, reading }
    }

    /// The name of the operation.
    pub(super) fn op(&self) -> &'a str {
        self.op
    }

    pub(super) fn args(&self) -> &[&'a str] {
        self.args
    }

    pub(super) fn count(&self) -> usize {
        self.args.len()
    }

    pub(super) fn reading(&self) -> Reading {
        self.reading
    }

    pub(super) fn text(&self, index: usize) -> Result<&str, Refusal> {
        self.args.get(index).copied().ok_or_else(|| {
            Refusal::uncompilable(Rule::Malformed, "too few arguments").with("argument", index)
        })
    }

    pub(super) fn parse<T: Parse>(&self, index: usize) -> Result<T, Refusal> {
        let refused = |mut refusal: Refusal| {
            refusal.numbers.push(("argument", index.into()));
            refusal
        };
        T::parse(self.text(index)?, self.reading).map_err(refused)
    }

    /// Whether the argument is a layout: it has a `:` outside of parentheses, or begins with a swizzle.
    pub(super) fn is_layout(&self, index: usize) -> bool {
        let Some(text) = self.args.get(index) else {
            return false;
        };
        let mut depth = 0_usize;
        for c in text.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ':' if depth == 0 => return true,
                _ => {}
            }
        }
        false
    }

    pub(super) fn is_composed(&self, index: usize) -> bool {
        matches!(self.any(index), Ok(AnyLayout::Composed(_)))
    }

    pub(super) fn is_swizzle(&self, index: usize) -> bool {
        !self.is_layout(index) && self.parse::<Swizzle>(index).is_ok()
    }

    /// The argument as a layout; a shape is its compact layout, as in the paper.
    pub(super) fn any(&self, index: usize) -> Result<AnyLayout, Refusal> {
        if !self.is_layout(index)
            && let Ok(shape) = self.tuple(index)
        {
            return Layout::left(shape).map(AnyLayout::Affine);
        }
        self.parse(index)
    }

    pub(super) fn layout(&self, index: usize) -> Result<Layout, Refusal> {
        match self.any(index)? {
            AnyLayout::Affine(layout) => Ok(layout),
            AnyLayout::Composed(composed) => Err(Refusal::uncompilable(
                Rule::Unsupported,
                "no match for a composed layout",
            )
            .with("layout", composed.to_string())),
        }
    }

    pub(super) fn tuple(&self, index: usize) -> Result<IntTuple, Refusal> {
        self.parse(index)
    }

    /// A shape, or the shape of a layout.
    pub(super) fn shape(&self, index: usize) -> Result<Shape, Refusal> {
        if self.is_layout(index) {
            Ok(self.any(index)?.shape())
        } else {
            self.tuple(index)
        }
    }

    pub(super) fn number(&self, index: usize) -> Result<i64, Refusal> {
        let int: Int = self.parse(index)?;
        int.value().ok_or_else(|| {
            Refusal::uncompilable(
                Rule::NotProvable,
                "the value is not usable in a constant expression",
            )
            .with("value", &int)
        })
    }

    pub(super) fn index(&self, index: usize) -> Result<usize, Refusal> {
        let number = self.number(index)?;
        usize::try_from(number).map_err(|_| {
            Refusal::uncompilable(Rule::NoSuchMode, "index out of range").with("index", number)
        })
    }

    pub(super) fn right(&self, index: usize) -> Result<Right, Refusal> {
        if self.is_layout(index) {
            self.any(index).map(Right::Layout)
        } else {
            self.parse(index).map(Right::Tiler)
        }
    }

    /// The right operand as a tiler; a composed layout is not one.
    pub(super) fn tiler(&self, index: usize) -> Result<Tiler, Refusal> {
        match self.right(index)? {
            Right::Tiler(tiler) => Ok(tiler),
            Right::Layout(AnyLayout::Affine(layout)) => Ok(Tiler::Layout(layout)),
            Right::Layout(AnyLayout::Composed(composed)) => Err(Refusal::uncompilable(
                Rule::Unsupported,
                "a composed layout is not a tiler",
            )
            .with("tiler", composed.to_string())),
        }
    }
}

/// The answer of a judged operation.
pub(super) fn judged<T: Into<Value>>(judged: judge::Judged<T>) -> Judged {
    judged.result.map(|value| (value.into(), judged.judgement))
}

pub(super) fn unknown(op: &str) -> Refusal {
    Refusal::uncompilable(Rule::Unsupported, "no such operation for these operands")
        .with("operation", op)
}

/// The answer of a function to a question on textual operands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// The fewest operands.
    pub(crate) fewest: usize,
    /// The most operands.
    pub(crate) most: usize,
    /// The answer on layouts, tuples and numbers.
    pub(crate) answer: fn(&Question<'_>) -> Judged,
    /// The answer where an operand is a tensor.
    pub(crate) of_tensor: OfTensor,
}

/// The answer of a function for a tensor.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OfTensor {
    /// There is none.
    Nothing,
    /// That of its layout.
    Layout,
    /// The tensor with the layout that is the answer of its layout.
    Changed,
    /// Its own: of the question, the place of the tensor, and the tensor.
    Own(fn(&Question<'_>, usize, &cute_algebra::Tensor) -> Judged),
}

/// An answer with the numbers of operands that it takes.
pub(crate) const fn answers(
    fewest: usize,
    most: usize,
    answer: fn(&Question<'_>) -> Judged,
) -> Asked {
    Asked {
        fewest,
        most,
        answer,
        of_tensor: OfTensor::Nothing,
    }
}

impl Asked {
    /// The same with the answer for a tensor.
    pub(crate) const fn of_tensor(self, of_tensor: OfTensor) -> Self {
        Self { of_tensor, ..self }
    }
}
