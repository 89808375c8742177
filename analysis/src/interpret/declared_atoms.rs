//! MMA atoms of operations that a source declares itself, with the traits that it specialises for them.

use std::sync::Arc;

use cute_algebra::Layout;
use cute_hardware::{Element, MmaAtom, OperandMemory};

use super::Interpreter;
use super::frame::Frame;
use super::ids::RecordId;
use super::matching::Fit;
use crate::limits;
use crate::types::{RecordType, Type};
use crate::value::Value;

/// The template that a source specialises for its operations.
const TRAITS: &str = "MMA_Traits";

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
            all.into_iter()
                .find_map(|id| self.traits_specialised_for(id, class))?
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

    /// The instance of a full or partial specialisation that is for one class.
    fn traits_specialised_for(&mut self, id: RecordId, class: &RecordType) -> Option<usize> {
        let declared = *self.program.records.get(id)?;
        let [arg] = declared.record.special_args.as_deref()? else {
            return None;
        };
        if declared.record.tparams.is_empty() {
            let mut frame = Frame::new(declared.module, limits::STEPS_PER_INSTANCE);
            let found = self.eval_type(arg, &mut frame);
            return matches!(found, Type::Record(found) if found == *class)
                .then(|| self.instantiate(id, &[], Self::no_scopes(), None).ok())
                .flatten();
        }
        let operation = [Value::Type(Box::new(Type::Record(class.clone())))];
        match self.bindings_of(id, id, &operation, 1, &Self::no_scopes()) {
            (Fit::Yes, bound) => self.instantiate(id, &bound, Self::no_scopes(), None).ok(),
            _ => None,
        }
    }

    fn atom_of_traits(&mut self, traits: usize, name: &str) -> Option<Value> {
        let Value::Tuple(shape) = self.member_of_traits(traits, "Shape_MNK")? else {
            return None;
        };
        let extents: Option<Vec<i64>> = shape
            .iter()
            .map(|extent| extent.as_int()?.value())
            .collect();
        let thread_id = self.layout_of_traits(traits, "ThrID")?;
        let a = self.operand_of_traits(traits, ["ValTypeA", "FrgTypeA", "ALayout"])?;
        let b = self.operand_of_traits(traits, ["ValTypeB", "FrgTypeB", "BLayout"])?;
        let c = self.operand_of_traits(traits, ["ValTypeC", "FrgTypeC", "CLayout"])?;
        let atom = MmaAtom::declared(name, extents?.try_into().ok()?, thread_id, [a, b, c])?;
        Some(Value::MmaAtom(Arc::new(atom)))
    }

    fn operand_of_traits(
        &mut self,
        traits: usize,
        [element, fragment, layout]: [&'u str; 3],
    ) -> Option<(Element, OperandMemory, Layout)> {
        let element = match self.named_member(traits, element, None, None)? {
            Value::Type(ty) => ty.as_element()?,
            _ => return None,
        };
        let place = match self.named_member(traits, fragment, None, None) {
            None => OperandMemory::Registers,
            Some(Value::Type(ty)) => match *ty {
                Type::Scalar(_) => OperandMemory::Registers,
                Type::Named(name) => OperandMemory::of_fragment(&name)?,
                _ => return None,
            },
            Some(_) => return None,
        };
        Some((element, place, self.layout_of_traits(traits, layout)?))
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
