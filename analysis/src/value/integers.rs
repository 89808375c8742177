//! The integers in a value, at any depth.

use std::sync::Arc;

use cute_algebra::symbol::Expression;
use cute_algebra::{AnyLayout, ComposedLayout, Delta, Int, Layout, Outer, ScaledBasis};

use super::{Object, Value};
use crate::tensor::Tensor;
use crate::types::Type;

impl Value {
    /// The same value with each run-time integer replaced; `None` where one cannot be reached.
    pub(crate) fn map_run_time(&self, new: &mut dyn FnMut(&Int) -> Int) -> Option<Self> {
        let mut leaf = |int: &Int| {
            if int.is_static() {
                int.clone()
            } else {
                new(int)
            }
        };
        Some(match self {
            Self::Int(int) => Self::Int(leaf(int)),
            Self::Tuple(items) => Self::Tuple(
                items
                    .iter()
                    .map(|item| item.map_run_time(new))
                    .collect::<Option<_>>()?,
            ),
            Self::Layout(layout) => {
                let shape = layout.shape().map(&mut leaf);
                let stride = layout.stride().map(|delta| match delta {
                    Delta::Int(int) => Delta::Int(leaf(int)),
                    other => other.clone(),
                });
                if stride
                    .leaves()
                    .iter()
                    .any(|delta| !delta.is_static() && delta.as_int().is_none())
                {
                    return None;
                }
                Layout::new(shape, stride).ok()?.into()
            }
            Self::Number(_)
            | Self::Pointer(_)
            | Self::Instance(_)
            | Self::Unknown(_)
            // Their layouts are their types.
            | Self::CopyAtom(_)
            | Self::MmaAtom(_)
            | Self::TiledCopy(_)
            | Self::TiledMma(_)
            | Self::ThrCopy(_)
            | Self::ThrMma(_) => self.clone(),
            other if other.is_static() => other.clone(),
            _ => return None,
        })
    }

    /// The same value with each integer of a layout or a tuple replaced, at any depth.
    #[must_use]
    pub(crate) fn map_integers(&self, new: &dyn Fn(&Int) -> Int) -> Self {
        let map_layout = |layout: &Layout| {
            let stride = layout.stride().map(|delta| match delta {
                Delta::Int(int) => Delta::Int(new(int)),
                Delta::Basis(basis) => {
                    let mut basis = ScaledBasis::clone(basis);
                    basis.value = new(&basis.value);
                    Delta::Basis(Arc::new(basis))
                }
                Delta::Xor(_) => delta.clone(),
            });
            // Shape and stride keep their profiles, so they are still a layout.
            Layout::new(layout.shape().map(new), stride).unwrap_or_else(|_| layout.clone())
        };
        let map_composed = |composed: &ComposedLayout| ComposedLayout {
            offset: composed.offset.map(new),
            inner: map_layout(&composed.inner),
            ..composed.clone()
        };
        match self {
            Self::Int(int) => Self::Int(new(int)),
            Self::Tuple(items) => {
                Self::Tuple(items.iter().map(|item| item.map_integers(new)).collect())
            }
            Self::Layout(layout) => map_layout(layout).into(),
            Self::Composed(composed) => Self::Composed(Arc::new(map_composed(composed))),
            Self::Tensor(tensor) => Self::Tensor(Box::new(Tensor {
                engine: tensor.engine.clone(),
                layout: match &tensor.layout {
                    AnyLayout::Affine(layout) => AnyLayout::Affine(map_layout(layout)),
                    AnyLayout::Composed(composed) => AnyLayout::Composed(map_composed(composed)),
                },
            })),
            other => other.clone(),
        }
    }

    /// The value with other names for its symbols; `None` where one cannot be reached. No new name is an old one.
    pub(crate) fn renamed(&self, name_of: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let result = self.with_names(name_of);
        let is_left = |symbol: &Arc<str>| name_of(symbol).is_some();
        (!result.symbols().iter().any(is_left)).then_some(result)
    }

    /// The value with other names for its symbols, where these can be reached.
    pub(crate) fn with_names(&self, name_of: &dyn Fn(&str) -> Option<String>) -> Self {
        let new = |int: &Int| {
            let renamed = int.as_expression().and_then(|expression| {
                expression.substitute(&|name| {
                    let least = expression.least_of(name).unwrap_or(0);
                    name_of(name).map(|name| Expression::symbol(&name, least))
                })
            });
            renamed.map_or_else(|| int.clone(), Int::expression)
        };
        match self {
            Self::Object(object) => {
                let fields = object.fields.iter();
                let fields = fields.map(|(name, field)| (name.clone(), field.with_names(name_of)));
                Self::Object(Arc::new(Object {
                    class: object.class.clone(),
                    fields: fields.collect(),
                }))
            }
            Self::Tuple(items) => {
                Self::Tuple(items.iter().map(|item| item.with_names(name_of)).collect())
            }
            other => other.map_integers(&new),
        }
    }

    /// The names of the symbols in it.
    pub(crate) fn symbols(&self) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        self.each_int(&mut |int| {
            if let Some(expression) = int.as_expression() {
                names.extend(expression.symbols());
            }
        });
        names
    }

    /// Whether both are the same function of the same form when static and run-time integers are
    /// not told apart.
    pub(crate) fn same_numbers(&self, other: &Self) -> bool {
        format!("{self:#}") == format!("{other:#}")
    }

    fn each_int(&self, visit: &mut dyn FnMut(&Int)) {
        match self {
            Self::Int(int) => visit(int),
            Self::Tuple(items) | Self::Pack(items) => {
                for item in items {
                    item.each_int(visit);
                }
            }
            Self::Delta(delta) => visit(&delta.value()),
            Self::Layout(layout) => each_int_of(layout, visit),
            Self::Composed(composed) => {
                each_int_of(&composed.inner, visit);
                composed.offset.leaves().iter().for_each(&mut *visit);
                if let Outer::Layout(outer) = &composed.outer {
                    each_int_of(outer, visit);
                }
            }
            Self::Tensor(tensor) => tensor.layout_value().each_int(visit),
            Self::Shared(shared) => each_int_of(&shared.layout, visit),
            Self::Object(object) => {
                for (_, field) in &object.fields {
                    field.each_int(visit);
                }
            }
            Self::Type(ty) => {
                if let Type::Of(value) = &**ty {
                    value.each_int(visit);
                }
            }
            _ => {}
        }
    }
}

pub(super) fn layout_is_known(layout: &Layout) -> bool {
    let mut known = true;
    each_int_of(layout, &mut |int| known &= int.value().is_some());
    known
}

fn each_int_of(layout: &Layout, visit: &mut dyn FnMut(&Int)) {
    layout.shape_view().leaves().iter().for_each(&mut *visit);
    for delta in layout.stride_view().leaves() {
        visit(&delta.value());
    }
}
