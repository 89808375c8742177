//! Supposed arguments that are changed: what else a parameter may be given.

use std::fmt;
use std::sync::Arc;

use tree_sitter_cute::script::Param;

use super::attributes::text_of;
use super::supposed::element_of;
use super::value::Py;
use crate::types::{Scalar, Type};
use crate::value::Value;
use crate::vocabulary::python as vocabulary;

/// Types of elements in the order in which they are tried.
const ELEMENTS: [&str; 5] = ["BFloat16", "Float32", "Int32", "Float8E4M3FN", "Float16"];

/// Sizes that are tried first of a number of which nothing is known.
const USUAL: [i64; 3] = [128, 64, 256];

/// An argument that is supposed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Guess {
    Value(Py),
    /// A tensor with elements of this type.
    Tensor(Scalar),
}

/// An argument that is not the one which is supposed first.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    name: Arc<str>,
    /// Whether the parameter is one of the kernel, not of the constructor of its object.
    is_of_call: bool,
    guess: Guess,
}

/// All that is changed of what is supposed first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Changes {
    arguments: Vec<Change>,
    /// Numbers of modes of tensors that nothing but a run names.
    ranks: Vec<(Arc<str>, usize)>,
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A parameter and what is supposed of it.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: Arc<str>,
    /// Its type as it is written.
    pub(super) ty: String,
    pub(super) is_of_call: bool,
    pub(super) value: Py,
}

impl Changes {
    /// The argument of a parameter, where it is changed.
    pub(super) fn guess(&self, name: &str, is_of_call: bool) -> Option<&Guess> {
        let mut all = self.arguments.iter();
        let found = all.find(|it| &*it.name == name && it.is_of_call == is_of_call);
        found.map(|it| &it.guess)
    }

    /// These with one more, in the place of an earlier one of its parameter.
    fn with(&self, change: Change) -> Self {
        let mut changed = self.clone();
        let is_same = |it: &Change| it.name == change.name && it.is_of_call == change.is_of_call;
        changed.arguments.retain(|it| !is_same(it));
        changed.arguments.push(change);
        changed
    }

    /// The number of modes that a run names of a parameter of the kernel.
    pub(super) fn rank(&self, name: &str) -> Option<usize> {
        let found = self.ranks.iter().find(|(known, _)| &**known == name);
        found.map(|(_, rank)| *rank)
    }

    /// These with numbers of modes; nothing where none of them is new.
    pub(super) fn ranked(&self, ranks: &[(Arc<str>, usize)]) -> Option<Self> {
        let new = ranks.iter().filter(|(name, _)| self.rank(name).is_none());
        let mut ranked = self.clone();
        ranked.ranks.extend(new.cloned());
        (ranked.ranks.len() > self.ranks.len()).then_some(ranked)
    }

    /// The changed arguments of the kernel, for the name of the instance.
    pub(super) fn of_call(&self) -> String {
        let of_call = self.arguments.iter().filter(|it| it.is_of_call);
        let written = of_call.map(|it| match &it.guess {
            Guess::Tensor(element) => format!("{} of {}", it.name, type_name(element)),
            Guess::Value(value) => format!("{}={}", it.name, written(value)),
        });
        written.collect::<Vec<_>>().join(", ")
    }
}

/// A supposed value as Python writes it.
pub(super) fn written(value: &Py) -> String {
    match value {
        Py::Scalar(scalar) => type_name(scalar).to_owned(),
        other => text_of(other).unwrap_or_else(|| "?".to_owned()),
    }
}

fn type_name(scalar: &Scalar) -> &str {
    vocabulary::scalar_name(scalar).unwrap_or(scalar.name)
}

impl Parameter {
    /// A parameter of a file with this text.
    pub(super) fn of(param: &Param, text: &str, is_of_call: bool, value: Py) -> Self {
        let annotation = param.annotation.as_ref();
        Self {
            name: Arc::clone(&param.name.text),
            ty: annotation.map_or("", |it| it.span.text(text)).to_owned(),
            is_of_call,
            value,
        }
    }

    /// Changes with what else it may be given.
    pub(super) fn changes(&self, changes: &Changes, numbers: &[i64]) -> Vec<Changes> {
        let guesses = self.alternatives(numbers).into_iter();
        let change = |guess| Change {
            name: Arc::clone(&self.name),
            is_of_call: self.is_of_call,
            guess,
        };
        guesses.map(|guess| changes.with(change(guess))).collect()
    }

    /// Other arguments for it; `numbers` may suit one that takes integers.
    fn alternatives(&self, numbers: &[i64]) -> Vec<Guess> {
        let ty = self.ty.to_ascii_lowercase();
        let takes_tensor = self.takes_tensor();
        let truths = || [true, false].map(|it| Guess::Value(Py::Bool(it))).to_vec();
        let integers = || numbers.iter().map(|it| Py::Int(*it));
        match &self.value {
            Py::Bool(value) => vec![Guess::Value(Py::Bool(!value))],
            Py::None if takes_tensor => {
                let own = element_of(&self.name);
                let mut guesses: Vec<Guess> = own.map(Guess::Tensor).into_iter().collect();
                guesses.extend(elements_but(own).map(Guess::Tensor));
                guesses
            }
            Py::None | Py::Unknown(_) if ty.contains("bool") => truths(),
            Py::Unknown(_) if takes_tensor => Vec::new(),
            // A test without numbers is one of truth.
            Py::Unknown(_) if ty.is_empty() && numbers.is_empty() => truths(),
            Py::Unknown(_) if ty.is_empty() || ty.contains("int") => {
                let usual = USUAL.into_iter().map(Py::Int);
                usual.chain(integers()).map(Guess::Value).collect()
            }
            Py::Int(_) | Py::None if ty.is_empty() || ty.contains("int") => {
                let others = integers().filter(|it| *it != self.value);
                others.map(Guess::Value).collect()
            }
            Py::Tuple(items) if items.iter().all(|it| matches!(it, Py::Int(_))) => {
                let places = 0..items.len();
                let changed = places.flat_map(|at| {
                    integers().filter_map(move |number| {
                        let mut items = items.to_vec();
                        let item = items.get_mut(at).filter(|it| **it != number)?;
                        *item = number;
                        Some(Guess::Value(Py::tuple(items)))
                    })
                });
                changed.collect()
            }
            Py::Scalar(own) => {
                let others = elements_but(Some(*own)).map(Py::Scalar);
                others.map(Guess::Value).collect()
            }
            // Not every tensor that may be missing is declared so.
            Py::Open(..) | Py::Leaf(Value::Tensor(_)) => {
                let others = elements_but(self.element()).map(Guess::Tensor);
                others.chain([Guess::Value(Py::None)]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it decides which side of an `if` is taken: a truth value, or a tensor that may be missing.
    pub(super) fn is_flag(&self) -> bool {
        match &self.value {
            Py::Bool(_) => true,
            Py::None => self.takes_tensor(),
            _ => false,
        }
    }

    /// Whether its type is a tensor, not something with tensors.
    fn takes_tensor(&self) -> bool {
        let words = self.ty.split(|it: char| it != '_' && !it.is_alphanumeric());
        words.into_iter().any(|word| word == "Tensor")
    }

    /// The type of the elements of a tensor.
    fn element(&self) -> Option<Scalar> {
        match &self.value {
            Py::Open(element, _) => Some(*element),
            Py::Leaf(Value::Tensor(tensor)) => match tensor.engine.element.as_deref() {
                Some(Type::Scalar(element)) => Some(*element),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The types of elements but one.
fn elements_but(one: Option<Scalar>) -> impl Iterator<Item = Scalar> {
    let all = ELEMENTS.into_iter().filter_map(vocabulary::scalar);
    all.filter(move |it| Some(*it) != one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alternatives(ty: &str, value: Py, numbers: &[i64]) -> Vec<String> {
        let parameter = Parameter {
            name: "x".into(),
            ty: ty.to_owned(),
            is_of_call: false,
            value,
        };
        let all = parameter.alternatives(numbers).into_iter();
        all.map(|it| match it {
            Guess::Value(value) => written(&value),
            Guess::Tensor(element) => format!("of {}", type_name(&element)),
        })
        .collect()
    }

    #[test]
    fn the_type_and_the_value_of_a_parameter_say_what_else_it_may_be() {
        let tile = Py::tuple(vec![Py::Int(128), Py::Int(64)]);
        assert_eq!(
            alternatives("Tuple[int, int]", tile, &[64, 128]),
            ["(64, 64)", "(128, 128)"]
        );
        assert_eq!(alternatives("bool", Py::Bool(false), &[3]), ["True"]);
        assert_eq!(alternatives("int", Py::Int(1), &[1, 64]), ["64"]);
        assert_eq!(alternatives("Optional[int]", Py::None, &[2]), ["2"]);
        let unknown = Py::not_evaluated("x");
        assert_eq!(
            alternatives("", unknown.clone(), &[2]),
            ["128", "64", "256", "2"]
        );
        assert_eq!(alternatives("", unknown, &[]), ["True", "False"]);
        assert!(alternatives("Optional[SparseTensors]", Py::None, &[2]).is_empty());
        let tensors = alternatives("Optional[cute.Tensor]", Py::None, &[2]);
        assert_eq!(tensors[..2], ["of BFloat16", "of Float32"]);
        assert!(alternatives("Callable", Py::None, &[2]).is_empty());
    }
}
