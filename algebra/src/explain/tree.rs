//! The tree of a derivation, and how it is written.

use crate::composed::AnyLayout;
use crate::coord::Coord;
use crate::int::Int;
use crate::layout::{Layout, LayoutView};
use crate::refusal::Refusal;
use crate::stride::Delta;
use crate::text::Reading;
use crate::tiler::Tiler;
use crate::tuple::{IntTuple, Tuple};
use core::fmt;

/// The rule by which a step of a derivation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// The definition of the operation.
    Definition,
    /// The colexicographic bijection between an index and a coordinate (paper §2.2.2).
    IndexToCoordinate,
    /// The inner product of a coordinate and the stride (paper §2.3).
    InnerProduct,
    /// The same function with fewer modes (paper §3.2).
    Coalesce,
    /// Modes of stride 0 repeat offsets and are taken away (paper §3.5).
    Filter,
    /// Modes that the coordinates do not reach contribute nothing (paper §3.3.2).
    Truncate,
    /// Composition distributes over the modes of the right operand (paper §3.3.2, equation 22).
    Distribute,
    /// A coordinate on the right picks a mode of the left (paper §3.3.2, coordinate case).
    Coordinate,
    /// The step of the right operand is divided by the extents that it passes (paper §3.3.3).
    DivideOut,
    /// The extent of the right operand is filled from the extents that are left (paper §3.3.3).
    Keep,
    /// Conditions of the paper hold.
    Condition,
    /// A condition of the paper does not hold, or is not known to.
    ConditionFails,
    /// The reached offsets.
    Coverage,
    /// Modes are taken in the order of their strides (paper §3.4, §3.5).
    Sort,
    /// A mode of the result follows from a mode of the operand.
    Mode,
    /// The operation is applied to each mode on its own (paper §3.1, equation 12).
    ByMode,
    /// Layouts become the modes of one (paper §3.1).
    Concatenate,
    /// The same leaves under another hierarchy.
    Regroup,
    /// The meaning of the operation.
    Meaning,
    /// CuTe's result is compared with the definition.
    Departure,
}

impl By {
    /// The title of the step, with its section of the paper.
    pub fn title(self) -> &'static str {
        match self {
            By::Definition => "by definition",
            By::IndexToCoordinate => "index to coordinate (paper 2.2.2)",
            By::InnerProduct => "inner product (paper 2.3)",
            By::Coalesce => "coalesce (paper 3.2)",
            By::Filter => "filter (paper 3.5)",
            By::Truncate => "truncate (paper 3.3.2)",
            By::Distribute => "distribute over the modes of the right operand (paper 3.3.2)",
            By::Coordinate => "pick the mode that the coordinate names (paper 3.3.2)",
            By::DivideOut => "divide out (paper 3.3.3)",
            By::Keep => "keep (paper 3.3.3)",
            By::Condition => "conditions (paper 3.3.2)",
            By::ConditionFails => "condition (paper 3.3.2)",
            By::Coverage => "coverage",
            By::Sort => "sort by stride",
            By::Mode => "mode",
            By::ByMode => "by mode (paper 3.1)",
            By::Concatenate => "concatenate (paper 3.1)",
            By::Regroup => "regroup",
            By::Meaning => "meaning",
            By::Departure => "departure from the definition",
        }
    }

    /// Whether the title says nothing that the text does not.
    fn is_silent(self) -> bool {
        matches!(self, By::Mode | By::Definition)
    }
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing new: the step is an observation.
    None,
    /// A layout.
    Layout(Box<AnyLayout>),
    /// A number.
    Number(Int),
    /// A coordinate or a shape.
    Tuple(IntTuple),
    /// An expression that still has to be computed.
    Expression(String),
    /// There is no result.
    Refused(Refusal),
}

impl From<Layout> for Value {
    fn from(layout: Layout) -> Self {
        Value::Layout(Box::new(AnyLayout::Affine(layout)))
    }
}

impl From<Result<Layout, Refusal>> for Value {
    fn from(result: Result<Layout, Refusal>) -> Self {
        match result {
            Ok(layout) => layout.into(),
            Err(refusal) => Value::Refused(refusal),
        }
    }
}

/// A step of a derivation, with the steps that it consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The rule that applies.
    pub by: By,
    /// The expression that is computed, or the sentence with the meaning of the numbers.
    pub text: String,
    /// The steps, in order.
    pub steps: Vec<Derivation>,
    /// The result.
    pub value: Value,
    notation: Notation,
}

impl Derivation {
    pub(super) fn of(
        expression: String,
        steps: Vec<Derivation>,
        value: impl Into<Value>,
        notation: Notation,
    ) -> Self {
        Derivation {
            by: By::Definition,
            text: expression,
            steps,
            value: value.into(),
            notation,
        }
    }

    pub(super) fn step(
        by: By,
        text: impl Into<String>,
        value: impl Into<Value>,
        notation: Notation,
    ) -> Self {
        Derivation {
            by,
            text: text.into(),
            steps: Vec::new(),
            value: value.into(),
            notation,
        }
    }

    pub(super) fn note(by: By, text: impl Into<String>, notation: Notation) -> Self {
        Derivation::step(by, text, Value::None, notation)
    }

    pub(super) fn with_steps(mut self, steps: Vec<Derivation>) -> Self {
        self.steps = steps;
        self
    }

    /// The derivation of an operation that has no steps: its expression, its meaning and its departure from the definition, if
    /// any, and its value.
    pub fn by_meaning(
        expression: String,
        meaning: Option<&str>,
        departure: Option<String>,
        value: Value,
        reading: Reading,
    ) -> Self {
        let notation = Notation {
            plain: reading == Reading::Plain,
        };
        let meaning = meaning.map(|text| Derivation::note(By::Meaning, text, notation));
        let departure = departure.map(|text| Derivation::note(By::Departure, text, notation));
        let steps = meaning.into_iter().chain(departure).collect();
        Derivation::of(expression, steps, value, notation)
    }

    /// The derivation of the same operation on layouts behind something that it does not touch, such as a pointer with
    /// its swizzle. `expression` and `value` are the whole as it prints.
    #[must_use]
    pub fn behind(self, expression: String, value: String) -> Self {
        let notation = self.notation;
        let stays = "the functions before the layout stay; the last layout is computed";
        let steps = vec![Derivation::note(By::Meaning, stays, notation), self];
        Derivation::of(expression, steps, Value::Expression(value), notation)
    }

    /// The layout that it comes to, when it comes to one.
    pub fn layout(&self) -> Option<&AnyLayout> {
        match &self.value {
            Value::Layout(layout) => Some(layout),
            _ => None,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        let value = self.notation.value(&self.value);
        let is_expression = self.by == By::Definition;
        f.write_str(&indent)?;
        if !self.by.is_silent() {
            f.write_str(self.by.title())?;
            if !self.text.is_empty() {
                f.write_str(": ")?;
            }
        }
        f.write_str(&self.text)?;
        match &value {
            Some(value) if is_expression => writeln!(f, " {value}")?,
            _ => writeln!(f)?,
        }
        self.steps
            .iter()
            .try_for_each(|step| step.write(f, depth + 1))?;
        match value {
            Some(value) if !is_expression => writeln!(f, "{indent}  {value}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Derivation {
    /// A line per step, indented under the step that it belongs to; the value of an expression is on its own line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// The notation of integers: plain when every operand is static, as CuTe prints them otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Notation {
    plain: bool,
}

impl Notation {
    pub(super) fn of<'a>(operands: impl IntoIterator<Item = &'a Layout>) -> Self {
        Notation {
            plain: operands.into_iter().all(Layout::is_static),
        }
    }

    /// For an operand and a tiler.
    pub(super) fn with_tiler(layout: &Layout, tiler: &Tiler) -> Self {
        fn is_static(tiler: &Tiler) -> bool {
            match tiler {
                Tiler::Int(extent) => extent.is_static(),
                Tiler::Layout(layout) => layout.is_static(),
                Tiler::Modes(modes) => modes.iter().all(is_static),
                Tiler::Skip => true,
            }
        }
        Notation {
            plain: layout.is_static() && is_static(tiler),
        }
    }

    pub(super) fn is_plain(self) -> bool {
        self.plain
    }

    fn write(self, value: &dyn fmt::Display) -> String {
        if self.plain {
            format!("{value:#}")
        } else {
            format!("{value}")
        }
    }

    pub(super) fn layout(self, layout: LayoutView<'_>) -> String {
        self.write(&layout)
    }

    pub(super) fn int(self, int: &Int) -> String {
        self.write(int)
    }

    pub(super) fn delta(self, delta: &Delta) -> String {
        self.write(delta)
    }

    pub(super) fn tuple(self, tuple: &Tuple<Int>) -> String {
        self.write(tuple)
    }

    pub(super) fn coord(self, coordinate: &Coord) -> String {
        self.write(coordinate)
    }

    pub(super) fn tiler(self, tiler: &Tiler) -> String {
        self.write(tiler)
    }

    /// `6:3`
    pub(super) fn mode(self, extent: &Int, step: &Delta) -> String {
        format!("{}:{}", self.int(extent), self.delta(step))
    }

    fn value(self, value: &Value) -> Option<String> {
        match value {
            Value::None => None,
            Value::Layout(layout) => Some(format!("= {}", self.write(layout))),
            Value::Number(int) => Some(format!("= {}", self.int(int))),
            Value::Tuple(tuple) => Some(format!("= {}", self.tuple(tuple))),
            Value::Expression(text) => Some(format!("= {text}")),
            Value::Refused(refusal) => Some(format!("is refused: {}", refusal.message())),
        }
    }
}
