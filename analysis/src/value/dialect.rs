//! A value in the words of the language that its source is written in.

use cute_algebra::{AnyLayout, ComposedLayout, Outer, Swizzle};

use super::Value;
use crate::python_types::scalar_name;
use crate::tensor::{Pointer, Space, Tensor};
use crate::types::{Scalar, Type};

/// The dialect in which a value is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// CuTe in C++: `Sw<3,4,3> o _0 o (_8,_64):(_64,_1)`.
    #[default]
    Cute,
    /// The CuTe DSL in Python: `S<3,4,3> o 0 o (8,64):(64,1)`. A number that only the running kernel has is its name or
    /// its formula, where the DSL prints `?`.
    Dsl,
}

impl Dialect {
    /// The whole value.
    pub fn text(self, value: &Value) -> String {
        match self {
            Self::Cute => value.to_string(),
            Self::Dsl => of_dsl(value),
        }
    }

    /// The whole value, of a tensor only its layout.
    pub fn text_of_layout(self, value: &Value) -> String {
        match value {
            Value::Tensor(tensor) => self.text(&tensor.layout_value()),
            other => self.text(other),
        }
    }

    /// The value without the underscores of static integers: for places where there is little room.
    pub fn short(self, value: &Value) -> String {
        match self {
            Self::Cute => format!("{value:#}"),
            Self::Dsl => of_dsl(value),
        }
    }

    /// A text with values of the notation in it, such as a message.
    pub(crate) fn of_notation(self, text: &str) -> String {
        match self {
            Self::Cute => text.to_owned(),
            Self::Dsl => {
                let mut words = String::with_capacity(text.len());
                let mut before = ' ';
                let mut letters = text.chars().peekable();
                while let Some(letter) = letters.next() {
                    let is_word = |it: char| it.is_alphanumeric() || it == '_';
                    let is_static = letter == '_'
                        && !is_word(before)
                        && letters.peek().is_some_and(char::is_ascii_digit);
                    if !is_static {
                        words.push(letter);
                    }
                    before = letter;
                }
                words.replace("Sw<", "S<")
            }
        }
    }

    /// A type of elements: `half_t`, `Float16`.
    pub fn element(self, ty: &Type) -> String {
        match (self, ty) {
            (Self::Dsl, Type::Scalar(scalar)) => {
                scalar_name(scalar).map_or_else(|| ty.to_string(), str::to_owned)
            }
            _ => ty.to_string(),
        }
    }

    /// A swizzle: `Sw<3,4,3>`, `S<3,4,3>`.
    pub fn swizzle(self, swizzle: Swizzle) -> String {
        match self {
            Self::Cute => swizzle.to_string(),
            Self::Dsl => format!(
                "S<{},{},{}>",
                swizzle.bits(),
                swizzle.base(),
                swizzle.shift()
            ),
        }
    }

    /// The outer function of a composed layout, without the underscores of static integers.
    pub fn outer(self, outer: &Outer) -> String {
        match outer {
            Outer::Swizzle(swizzle) => self.swizzle(*swizzle),
            Outer::Layout(layout) => format!("{layout:#}"),
        }
    }
}

/// As the DSL prints it. Tuples are at most as deep as the evaluator makes them.
fn of_dsl(value: &Value) -> String {
    match value {
        Value::Bool(truth) if truth.value => "True".to_owned(),
        Value::Bool(_) => "False".to_owned(),
        Value::Tuple(items) | Value::Pack(items) => {
            let items: Vec<String> = items.iter().map(of_dsl).collect();
            match items.as_slice() {
                [only] => format!("({only},)"),
                items => format!("({})", items.join(", ")),
            }
        }
        Value::Underscore | Value::Nothing => "None".to_owned(),
        Value::Composed(composed) => of_composed(composed),
        Value::Swizzle(swizzle) => Dialect::Dsl.swizzle(*swizzle),
        Value::Tensor(tensor) => of_tensor(tensor),
        Value::Pointer(pointer) => of_pointer(pointer),
        Value::Number(scalar) => format!("{}(?)", name(scalar)),
        Value::Type(ty) | Value::Instance(ty) => match &**ty {
            Type::Scalar(scalar) => name(scalar).to_owned(),
            other => other.to_string(),
        },
        other => format!("{other:#}"),
    }
}

/// The name of a numeric type in `cutlass`.
fn name(scalar: &Scalar) -> &'static str {
    scalar_name(scalar).unwrap_or(scalar.name)
}

fn of_composed(composed: &ComposedLayout) -> String {
    let outer = Dialect::Dsl.outer(&composed.outer);
    format!("{outer} o {:#} o {:#}", composed.offset, composed.inner)
}

fn of_any(layout: &AnyLayout) -> String {
    match layout {
        AnyLayout::Affine(layout) => format!("{layout:#}"),
        AnyLayout::Composed(composed) => of_composed(composed),
    }
}

/// `tensor<ptr<f16, smem, S<3,4,3>> o (8,64):(64,1)>`: without the alignment, which is not known.
fn of_tensor(tensor: &Tensor) -> String {
    let layout = of_any(&tensor.layout);
    format!("tensor<{} o {layout}>", of_pointer(&tensor.engine))
}

fn of_pointer(pointer: &Pointer) -> String {
    let space = match pointer.space {
        Space::Global => "gmem",
        Space::Shared => "smem",
        Space::Registers => "rmem",
        Space::TensorMemory => "tmem",
        Space::Generic | Space::Array(_) => "generic",
        Space::WgmmaDescriptors | Space::UmmaDescriptors => return "smem_desc".to_owned(),
        // Where it begins is the running kernel's.
        Space::Coordinates => return "?".to_owned(),
    };
    let element = match pointer.element.as_deref() {
        Some(Type::Scalar(scalar)) => mlir(name(scalar)),
        _ => match pointer.bits() {
            Some(bits) => format!("i{bits}"),
            None => "?".to_owned(),
        },
    };
    let swizzle = pointer
        .swizzle
        .filter(|swizzle| !swizzle.is_identity())
        .map_or_else(String::new, |swizzle| {
            format!(", {}", Dialect::Dsl.swizzle(swizzle))
        });
    format!("ptr<{element}, {space}{swizzle}>")
}

/// The spelling of types of MLIR that `cutlass` has another name for: `Float16` is `f16`, `Uint8` is `i8`.
fn mlir(name: &str) -> String {
    const PREFIXES: [(&str, &str); 6] = [
        ("BFloat", "bf"),
        ("TFloat", "tf"),
        ("Float", "f"),
        ("Uint", "i"),
        ("Int", "i"),
        ("Boolean", "i1"),
    ];
    let found = PREFIXES
        .iter()
        .find_map(|(prefix, short)| Some((name.strip_prefix(prefix)?, short)));
    match found {
        Some((rest, short)) => format!("{short}{rest}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_types_have_the_names_of_mlir() {
        let names = ["BFloat16", "Float8E4M3FN", "Uint8", "Int32", "Boolean"];
        let short: Vec<String> = names.into_iter().map(mlir).collect();
        assert_eq!(short, ["bf16", "f8E4M3FN", "i8", "i32", "i1"]);
    }

    #[test]
    fn a_tuple_is_python_s_and_nothing_is_none() {
        let of = |items| Dialect::Dsl.text(&Value::Tuple(items));
        assert_eq!(
            of(vec![
                Value::Int(cute_algebra::Int::fixed(8)),
                Value::Underscore
            ]),
            "(8, None)"
        );
        assert_eq!(of(vec![Value::Nothing]), "(None,)");
    }
}
