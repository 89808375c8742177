//! Tensors whose extents and strides only the running program has: accessors of `PyTorch`, `mdspan`.

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, ExprKind};

use super::Walker;
use super::held::{Held, Pointer, Ty};
use super::roots::named_root;
use crate::access::AccessSpace;
use crate::access::terms::{IntKind, Operator, TermId};
use crate::types::{LibraryClass, Scalar, ScalarClass, Type};
use crate::value::Value;
use crate::vocabulary;

/// The most modes of a tensor that is followed.
const MODES: usize = 16;

/// A pointer with the extent and the stride of each mode.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Strided {
    start: Pointer,
    /// Extent and stride, the first index first.
    modes: Vec<(TermId, TermId)>,
    /// The type of its arithmetic.
    kind: IntKind,
    /// Its class.
    pub(super) ty: Ty,
}

/// The extents of an `mdspan`: a number, or nothing where the running program has it.
struct Extents {
    kind: IntKind,
    modes: Vec<Option<i64>>,
}

impl<'u> Walker<'_, 'u> {
    /// A tensor of this class that the kernel is given.
    pub(super) fn given_strided(&mut self, ty: &Ty, name: &str) -> Option<Held<'u>> {
        let class = class_of(ty)?;
        let element = match class.args.first()? {
            Value::Type(element) => self.ty_of(Type::clone(element)),
            _ => return None,
        };
        let Held::Pointer(start) = self.pointer_to(name, element, AccessSpace::Global, None) else {
            return None;
        };
        if vocabulary::is_accessor(&class.name) {
            let rank = rank_of(class.args.get(1)?)?;
            let kind = kind_of_accessor(&class);
            let modes = (0..rank).map(|mode| {
                let extent = self.given_symbol(&format!("{name}.size({mode})"), kind);
                let stride = self.given_symbol(&format!("{name}.stride({mode})"), kind);
                (extent, stride)
            });
            let modes = modes.collect();
            return Some(strided(start, modes, kind, ty));
        }
        let extents = extents_of(class.args.get(1)?)?;
        let kind = extents.kind;
        let modes = extents.modes.iter().enumerate();
        let shape = modes.map(|(mode, extent)| match extent {
            Some(extent) => self.terms().number(*extent, kind),
            None => self.given_symbol(&format!("{name}.extent({mode})"), kind),
        });
        let shape: Vec<TermId> = shape.collect();
        let stride = match self.strides(&class, &shape, kind) {
            Some(stride) => stride,
            None => (0..shape.len())
                .map(|mode| self.given_symbol(&format!("{name}.stride({mode})"), kind))
                .collect(),
        };
        let modes = shape.into_iter().zip(stride).collect();
        Some(strided(start, modes, kind, ty))
    }

    /// The strides that a layout of `mdspan` gives these extents; nothing of `layout_stride`.
    fn strides(
        &mut self,
        class: &LibraryClass,
        shape: &[TermId],
        kind: IntKind,
    ) -> Option<Vec<TermId>> {
        let is_left = match class.args.get(2) {
            None => false,
            Some(Value::Type(policy)) => match &**policy {
                Type::Class(policy) if &*policy.name == "layout_right" => false,
                Type::Class(policy) if &*policy.name == "layout_left" => true,
                _ => return None,
            },
            Some(_) => return None,
        };
        let mut stride = self.terms().number(1, kind);
        let mut found = Vec::new();
        let mut fastest_first = shape.to_vec();
        if !is_left {
            fastest_first.reverse();
        }
        for extent in fastest_first {
            found.push(stride);
            stride = self.terms().binary(Operator::Mul, extent, stride);
        }
        if !is_left {
            found.reverse();
        }
        Some(found)
    }

    /// `mdspan<T, E>(p, n, m)`: a pointer, then all extents or those that the class leaves open.
    pub(super) fn made_strided(&mut self, ty: &Ty, values: &[Held<'u>]) -> Option<Held<'u>> {
        let class = class_of(ty).filter(|class| &*class.name == "mdspan")?;
        let (Held::Pointer(start), rest) = values.split_first()? else {
            return None;
        };
        let given: Option<Vec<TermId>> = rest
            .iter()
            .map(|held| match held {
                Held::Int(term) => Some(*term),
                _ => None,
            })
            .collect();
        let given = given?;
        let extents = match class.args.get(1) {
            Some(extents) => extents_of(extents)?,
            // Class template argument deduction: `dextents<size_t, n>` ([mdspan.mdspan.overview]).
            None => Extents {
                kind: IntKind::UNSIGNED_LONG,
                modes: vec![None; given.len()],
            },
        };
        let kind = extents.kind;
        let are_all = given.len() == extents.modes.len();
        let mut given = given.into_iter();
        let shape = extents.modes.iter().map(|extent| match extent {
            Some(extent) => {
                if are_all {
                    given.next();
                }
                Some(self.terms().number(*extent, kind))
            }
            None => Some(self.out.terms.convert(given.next()?, kind)),
        });
        let shape: Option<Vec<TermId>> = shape.collect();
        let shape = shape.filter(|_| given.next().is_none())?;
        let stride = self.strides(&class, &shape, kind)?;
        let start = match class.args.first() {
            Some(Value::Type(element)) => Pointer {
                target: self.ty_of(Type::clone(element)),
                ..start.clone()
            },
            _ => start.clone(),
        };
        let modes = shape.into_iter().zip(stride).collect();
        Some(strided(start, modes, kind, ty))
    }

    /// The tensor that a variable is, or a member of an object that the kernel is given.
    pub(super) fn strided_named(&mut self, expr: &'u Expr) -> Option<Strided> {
        if let Some(local) = self.part(expr) {
            return match &local.held {
                Held::Strided(found) => Some(Strided::clone(found)),
                _ => None,
            };
        }
        let ExprKind::Member { object, member, .. } = &expr.kind else {
            return None;
        };
        // Most members are something else: the object is not evaluated for them.
        let root = named_root(object)?;
        let instance = self.given_class(root)?;
        if root.span == object.span {
            let (class, binding) = self.it.reached_member(instance, &member.name.name)?;
            class_of(&self.type_of_member(class, binding))?;
        }
        match self.given_by_name(object)?.get(&member.name.name)? {
            Held::Strided(found) => Some(Strided::clone(found)),
            _ => None,
        }
    }

    /// `a[i][j]`: the place of an element, or the tensor of the modes that are left.
    pub(super) fn strided_element(
        &mut self,
        object: &'u Expr,
        indices: &'u [Expr],
    ) -> Option<Held<'u>> {
        let of = match &object.kind {
            ExprKind::Index(inner, outer) => match self.strided_element(inner, outer)? {
                Held::Strided(found) => *found,
                _ => return None,
            },
            _ => self.strided_named(object)?,
        };
        Some(self.indexed_strided(of, indices))
    }

    /// The element, or the rest of the modes.
    pub(super) fn indexed_strided(&mut self, of: Strided, indices: &'u [Expr]) -> Held<'u> {
        if indices.len() > of.modes.len() {
            return Held::Other("it has fewer modes".into(), None);
        }
        let mut offset = self.terms().number(0, of.kind);
        for (index, (_, stride)) in indices.iter().zip(&of.modes) {
            let index = self.term(index);
            let terms = self.terms();
            let index = terms.convert(index, of.kind);
            let part = terms.binary(Operator::Mul, index, *stride);
            offset = terms.binary(Operator::Add, offset, part);
        }
        let Held::Pointer(start) = self.stepped(of.start, offset, false) else {
            return Held::Other("the size of its type is not known".into(), None);
        };
        let modes: Vec<_> = of.modes.into_iter().skip(indices.len()).collect();
        if modes.is_empty() {
            return Held::Pointed(start);
        }
        strided(start, modes, of.kind, &of.ty)
    }

    /// `a.size(0)`, `a.stride(0)`, `a.data()`, and the names of `mdspan` for them.
    pub(super) fn method_of_strided(
        &mut self,
        of: Strided,
        name: &str,
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        match (name, args) {
            ("size" | "extent", [mode]) => self.mode_of(&of, mode).map(|(extent, _)| extent),
            ("stride", [mode]) => self.mode_of(&of, mode).map(|(_, stride)| stride),
            ("size", []) => {
                let one = self.terms().number(1, of.kind);
                let extents = of.modes.iter().map(|(extent, _)| *extent);
                let terms = &mut self.out.terms;
                Some(extents.fold(one, |size, extent| {
                    terms.binary(Operator::Mul, size, extent)
                }))
            }
            ("rank", []) => {
                let rank = i64::try_from(of.modes.len()).ok()?;
                Some(self.terms().number(rank, IntKind::UNSIGNED_LONG))
            }
            ("data" | "data_handle", []) => return Some(Held::Pointer(of.start)),
            _ => None,
        }
        .map(Held::Int)
    }

    fn mode_of(&mut self, of: &Strided, mode: &'u Expr) -> Option<(TermId, TermId)> {
        let mode = self.term(mode);
        let mode = usize::try_from(self.out.terms.as_number(mode)?).ok()?;
        of.modes.get(mode).copied()
    }
}

fn strided<'u>(start: Pointer, modes: Vec<(TermId, TermId)>, kind: IntKind, ty: &Ty) -> Held<'u> {
    Held::Strided(Box::new(Strided {
        start,
        modes,
        kind,
        ty: ty.clone(),
    }))
}

fn class_of(ty: &Ty) -> Option<Arc<LibraryClass>> {
    match ty {
        Ty::Other(Type::Class(class), _) => Some(Arc::clone(class)),
        _ => None,
    }
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(int) => int.value(),
        _ => None,
    }
}

/// The number of modes.
fn rank_of(value: &Value) -> Option<usize> {
    let rank = usize::try_from(number(value)?).ok()?;
    (rank <= MODES).then_some(rank)
}

/// The type of the indices of an accessor.
fn kind_of_accessor(class: &LibraryClass) -> IntKind {
    let written = class.args.get(3).and_then(kind_of_type);
    match &*class.name {
        "PackedTensorAccessor32" => IntKind::INT,
        _ => written.unwrap_or(IntKind::LONG),
    }
}

fn kind_of_type(value: &Value) -> Option<IntKind> {
    let Value::Type(ty) = value else { return None };
    match &**ty {
        Type::Scalar(Scalar { class, bits, .. }) if (8..=64).contains(bits) => match class {
            ScalarClass::Signed => Some(IntKind::new(*bits, true)),
            ScalarClass::Unsigned => Some(IntKind::new(*bits, false)),
            _ => None,
        },
        _ => None,
    }
}

/// `extents<I, 64, dynamic_extent>`, `dextents<I, 2>`, `dims<2>`.
fn extents_of(value: &Value) -> Option<Extents> {
    let Value::Type(ty) = value else { return None };
    let Type::Class(class) = &**ty else {
        return None;
    };
    let open = |rank: &Value| Some(vec![None; rank_of(rank)?]);
    Some(match (&*class.name, class.args.as_slice()) {
        ("extents", [index, extents @ ..]) => Extents {
            kind: kind_of_type(index)?,
            modes: extents.iter().map(number).collect(),
        },
        ("dextents", [index, rank]) => Extents {
            kind: kind_of_type(index)?,
            modes: open(rank)?,
        },
        ("dims", [rank]) => Extents {
            kind: IntKind::UNSIGNED_LONG,
            modes: open(rank)?,
        },
        _ => return None,
    })
}
