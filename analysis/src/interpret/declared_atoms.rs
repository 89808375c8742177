//! MMA atoms of operations that a source declares itself, with the traits that it specialises for them.

use std::sync::Arc;

use cute_algebra::Layout;
use cute_hardware::{Element, MmaAtom};

use super::Interpreter;
use super::frame::Frame;
use super::ids::RecordId;
use crate::limits;
use crate::types::{RecordType, Type};
use crate::value::Value;

/// The template that a source specialises for its operations.
const TRAITS: &str = "MMA_Traits";

/// Members that say how an operand is not simply in registers: a descriptor, tensor memory.
const FRAGMENTS: [&str; 3] = ["FrgTypeA", "FrgTypeB", "FrgTypeC"];

impl<'u> Interpreter<'u> {
    /// The arguments of `make_tiled_mma`, the first of which may be an operation of the source.
    pub(super) fn with_declared_atom(
        &mut self,
        function: &str,
        values: &[Value],
    ) -> Option<Vec<Value>> {
        if function != "make_tiled_mma" {
            return None;
        }
        let class = match values.first()? {
            Value::Object(object) => object.class.clone(),
            Value::Instance(ty) => match &**ty {
                Type::Record(class) => class.clone(),
                _ => return None,
            },
            _ => return None,
        };
        let atom = self.declared_atom(&class)?;
        let mut values = values.to_vec();
        *values.first_mut()? = atom;
        Some(values)
    }

    /// `MMA_Atom<Op>` and `MMA_Atom<MMA_Traits<Op>>` of an operation of the source.
    pub(super) fn declared_atom_type(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let ("MMA_Atom", [Value::Type(ty)]) = (name, args) else {
            return None;
        };
        let Type::Record(class) = &**ty else {
            return None;
        };
        let atom = self.declared_atom(class)?;
        Some(Value::Type(Box::new(Type::Of(Box::new(atom)))))
    }

    /// The atom of an operation, or of its traits.
    fn declared_atom(&mut self, class: &RecordType) -> Option<Value> {
        let all: Vec<RecordId> = self
            .program
            .modules
            .iter()
            .filter_map(|module| module.records.get(TRAITS))
            .flatten()
            .copied()
            .collect();
        let traits = if all
            .iter()
            .any(|id| self.computed.classes.is_instance_of(class.instance, &[*id]))
        {
            class.instance
        } else {
            let id = all
                .into_iter()
                .find(|id| self.is_specialised_for(*id, class))?;
            self.instantiate(id, &[], Self::no_scopes(), None).ok()?
        };
        self.atom_of_traits(traits, &class.name)
    }

    /// A member of an atom whose operation the source declares: its traits, and their members, as an atom has them for
    /// a base.
    // Its variables are not on the stack of every look-up inside of another one.
    #[inline(never)]
    pub(super) fn member_of_declared_atom(&mut self, ty: &Type, member: &'u str) -> Option<Value> {
        let Type::Of(value) = ty else {
            return None;
        };
        let atom = match &**value {
            Value::MmaAtom(atom) => atom.as_ref(),
            Value::TiledMma(mma) => mma.atom(),
            Value::ThrMma(thread) => thread.mma.atom(),
            _ => return None,
        };
        if member == "Atom" {
            let atom = Value::MmaAtom(Arc::new(MmaAtom::clone(atom)));
            return Some(Value::Type(Box::new(Type::Of(Box::new(atom)))));
        }
        let traits = self.traits_of_atom(&atom.name)?;
        if member == "Traits" {
            return Some(Value::Type(Box::new(self.computed.classes.type_of(traits))));
        }
        self.named_member(traits, member, None, None)
    }

    /// The traits for which an atom is made that is called like their operation.
    fn traits_of_atom(&mut self, name: &str) -> Option<usize> {
        let modules = self.program.modules.iter();
        let all: Vec<RecordId> = modules
            .filter_map(|module| module.records.get(TRAITS))
            .flatten()
            .copied()
            .collect();
        for id in all {
            let declared = *self.program.records.get(id)?;
            let (Some([operation]), true) = (
                declared.record.special_args.as_deref(),
                declared.record.tparams.is_empty(),
            ) else {
                continue;
            };
            let mut frame = Frame::new(declared.module, limits::STEPS_PER_INSTANCE);
            if matches!(self.eval_type(operation, &mut frame), Type::Record(found) if *found.name == *name)
            {
                return self.instantiate(id, &[], Self::no_scopes(), None).ok();
            }
        }
        None
    }

    /// Whether a full specialisation is that for one class.
    fn is_specialised_for(&mut self, id: RecordId, class: &RecordType) -> bool {
        let Some(declared) = self.program.records.get(id) else {
            return false;
        };
        let (record, module) = (declared.record, declared.module);
        let Some([arg]) = record.special_args.as_deref() else {
            return false;
        };
        if !record.tparams.is_empty() {
            return false;
        }
        let mut frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
        matches!(self.eval_type(arg, &mut frame), Type::Record(found) if found == *class)
    }

    fn atom_of_traits(&mut self, traits: usize, name: &str) -> Option<Value> {
        if FRAGMENTS
            .into_iter()
            .any(|member| self.named_member(traits, member, None, None).is_some())
        {
            return None;
        }
        let Value::Tuple(shape) = self.member_of_traits(traits, "Shape_MNK")? else {
            return None;
        };
        let extents: Option<Vec<i64>> = shape
            .iter()
            .map(|extent| extent.as_int()?.value())
            .collect();
        let thread_id = self.layout_of_traits(traits, "ThrID")?;
        let a = self.operand_of_traits(traits, "ValTypeA", "ALayout")?;
        let b = self.operand_of_traits(traits, "ValTypeB", "BLayout")?;
        let c = self.operand_of_traits(traits, "ValTypeC", "CLayout")?;
        let atom = MmaAtom::declared(name, extents?.try_into().ok()?, thread_id, [a, b, c])?;
        Some(Value::MmaAtom(Arc::new(atom)))
    }

    fn operand_of_traits(
        &mut self,
        traits: usize,
        element: &'u str,
        layout: &'u str,
    ) -> Option<(Element, Layout)> {
        let element = match self.named_member(traits, element, None, None)? {
            Value::Type(ty) => match *ty {
                Type::Scalar(scalar) => Element::named(scalar.name).ok()?,
                Type::Named(name) => Element::named(&name).ok()?,
                _ => return None,
            },
            _ => return None,
        };
        Some((element, self.layout_of_traits(traits, layout)?))
    }

    fn layout_of_traits(&mut self, traits: usize, name: &'u str) -> Option<Layout> {
        match self.member_of_traits(traits, name)? {
            Value::Layout(layout) => Some((*layout).clone()),
            _ => None,
        }
    }

    /// The static value that the type of a member fixes.
    fn member_of_traits(&mut self, traits: usize, name: &'u str) -> Option<Value> {
        match self.named_member(traits, name, None, None)? {
            Value::Type(ty) => ty.as_static().cloned(),
            _ => None,
        }
    }
}
