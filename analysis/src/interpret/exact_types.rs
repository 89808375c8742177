//! Types with their references, pointers, extents and qualifiers, as type traits see them.

use crate::types::{Scalar, ScalarClass, Type};

/// A qualifier around a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layer {
    Constant,
    Lvalue,
    Rvalue,
    Pointer,
    Array(Option<i64>),
}

/// A type with all qualifiers around it, outermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Exact {
    pub(super) around: Vec<Layer>,
    pub(super) base: Type,
}

impl Exact {
    pub(super) fn plain(base: Type) -> Self {
        Self {
            around: Vec::new(),
            base,
        }
    }

    pub(super) fn outermost(&self) -> Option<&Layer> {
        self.around.first()
    }

    pub(super) fn is_reference(&self) -> bool {
        matches!(self.outermost(), Some(Layer::Lvalue | Layer::Rvalue))
    }

    pub(super) fn inside(mut self, layer: Layer) -> Self {
        self.around.insert(0, layer);
        self
    }

    /// `T const`: a reference is never constant, and an array is one of constants.
    pub(super) fn constant(mut self) -> Self {
        let arrays = self.around.iter();
        let place = arrays
            .take_while(|it| matches!(it, Layer::Array(_)))
            .count();
        let may_be = !matches!(
            self.around.get(place),
            Some(Layer::Constant | Layer::Lvalue | Layer::Rvalue)
        );
        if may_be {
            self.around.insert(place, Layer::Constant);
        }
        self
    }

    pub(super) fn without_constant(mut self) -> Self {
        let arrays = self.around.iter();
        let place = arrays
            .take_while(|it| matches!(it, Layer::Array(_)))
            .count();
        if self.around.get(place) == Some(&Layer::Constant) {
            self.around.remove(place);
        }
        self
    }

    /// `T&` and `T&&`, which collapse ([dcl.ref]).
    pub(super) fn referred(mut self, is_rvalue: bool) -> Self {
        match self.outermost() {
            Some(Layer::Lvalue) => self,
            Some(Layer::Rvalue) if is_rvalue => self,
            Some(Layer::Rvalue) => {
                self.around.remove(0);
                self.inside(Layer::Lvalue)
            }
            _ if is_rvalue => self.inside(Layer::Rvalue),
            _ => self.inside(Layer::Lvalue),
        }
    }

    pub(super) fn without_reference(mut self) -> Self {
        if self.is_reference() {
            self.around.remove(0);
        }
        self
    }

    /// As a value of the type is passed on ([meta.trans.other]).
    pub(super) fn decayed(self) -> Self {
        let mut own = self.without_reference();
        if let Some(Layer::Array(_)) = own.outermost() {
            own.around.remove(0);
            return own.inside(Layer::Pointer);
        }
        own.without_constant()
    }

    pub(super) fn without_extent(mut self) -> Self {
        if let Some(Layer::Array(_)) = self.outermost() {
            self.around.remove(0);
        }
        self
    }

    pub(super) fn without_pointer(self) -> Self {
        let mut own = self.clone().without_constant();
        if own.outermost() == Some(&Layer::Pointer) {
            own.around.remove(0);
            return own;
        }
        self
    }

    /// The arithmetic type that it is, constant or not.
    pub(super) fn scalar(&self) -> Option<Scalar> {
        let is_plain = self.around.iter().all(|it| *it == Layer::Constant);
        match &self.base {
            Type::Scalar(scalar) if is_plain => Some(*scalar),
            _ => None,
        }
    }

    /// The extents of an array.
    pub(super) fn extents(&self) -> Vec<Option<i64>> {
        let arrays = self.around.iter().map_while(|layer| match layer {
            Layer::Array(extent) => Some(*extent),
            _ => None,
        });
        arrays.collect()
    }
}

/// Whether an arithmetic type is one of the language.
pub(super) fn is_of_language(scalar: Scalar) -> bool {
    match scalar.class {
        ScalarClass::Float => matches!(scalar.name, "float" | "double"),
        ScalarClass::Signed | ScalarClass::Unsigned => matches!(scalar.bits, 8 | 16 | 32 | 64),
        ScalarClass::Bool | ScalarClass::Char | ScalarClass::Void => true,
    }
}
