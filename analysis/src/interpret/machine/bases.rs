//! Objects of derived classes: their parts that are objects of bases, the functions that are called on them, and operators
//! of classes.

use tree_sitter_cute::tree::Function;

use super::Runner;
use super::given::{Given, Outcome};
use super::store::{BASE, Content, Followed, Location, Number, Stop};
use crate::interpret::frame::Frame;
use crate::interpret::overloads::Named;
use crate::interpret::written_arguments::is_constant;
use crate::limits;
use crate::types::{ScalarClass, Type};

/// Candidates for an operator of classes: the methods of a class, by its instance, and functions.
type Operators<'u> = (Option<(usize, Vec<&'u Function>)>, Vec<Named<'u>>);

impl<'u> Runner<'_, 'u> {
    /// The class instance of the object at a place.
    pub(super) fn class_at(&self, place: &Location) -> Followed<usize> {
        match self.store.at(place)? {
            Content::Object(class, _) => Ok(class.instance),
            _ => Err(Stop),
        }
    }

    /// The part of an object that is one of a class: of a base, or the whole that it is a part of.
    pub(super) fn as_class(&self, object: &Location, class: usize) -> Followed<Location> {
        if let Some(part) = self.part_of_class(object, class)? {
            return Ok(part);
        }
        let mut whole = object.clone();
        while let Some(around) = self.whole_of(&whole) {
            if self.class_at(&around)? == class {
                return Ok(around);
            }
            whole = around;
        }
        Err(Stop)
    }

    /// The part of an object that is one of a class; stops where there are several.
    pub(super) fn part_of_class(
        &self,
        object: &Location,
        class: usize,
    ) -> Followed<Option<Location>> {
        let Content::Object(own, fields) = self.store.at(object)? else {
            return Err(Stop);
        };
        if own.instance == class {
            return Ok(Some(object.clone()));
        }
        let mut found = None;
        for (index, (name, _)) in fields.iter().enumerate() {
            if *name != BASE {
                break;
            }
            if let Some(part) = self.part_of_class(&object.part(index), class)?
                && found.replace(part).is_some()
            {
                return Err(Stop);
            }
        }
        Ok(found)
    }

    /// The object of which an object is the part of a base.
    fn whole_of(&self, object: &Location) -> Option<Location> {
        let (whole, index) = object.array()?;
        match self.store.at(&whole).ok()? {
            Content::Object(_, fields) if fields.get(index)?.0 == BASE => Some(whole),
            _ => None,
        }
    }

    /// The method that a call of a virtual one runs, and the part of the object that it runs on ([class.virtual]).
    pub(super) fn final_overrider(
        &mut self,
        method: &'u Function,
        class: usize,
        object: &Location,
    ) -> Followed<(usize, &'u Function, Location)> {
        let mut whole = object.clone();
        while let Some(around) = self.whole_of(&whole) {
            whole = around;
        }
        // An object that was not made here may be a part of another one.
        if self.store.is_outside(&whole) {
            return Err(Stop);
        }
        let top = self.class_at(&whole)?;
        let own = self.parameter_types(method, class);
        let mut level = top;
        loop {
            self.tick()?;
            let named = self.it.inherited_methods(level, &method.name.name);
            let (owner, methods) = named.ok_or(Stop)?;
            let mut same = Vec::new();
            for other in methods {
                if other.flags.constant == method.flags.constant
                    && self.parameter_types(other, owner) == own
                {
                    same.push(other);
                }
            }
            match same.as_slice() {
                [only] => {
                    let part = self.part_of_class(&whole, owner)?.ok_or(Stop)?;
                    return Ok((owner, *only, part));
                }
                [] => {}
                _ => return Err(Stop),
            }
            // It is hidden here by others of its name.
            level = match &*self.it.bases(owner) {
                [Type::Record(only)] => only.instance,
                _ => return Err(Stop),
            };
        }
    }

    fn parameter_types(&mut self, method: &'u Function, class: usize) -> Vec<Option<Type>> {
        let mut frame = self.it.record_frame(class);
        let types = method.params.iter();
        let types = types.map(|param| Some(self.it.eval_type(param.ty.as_ref()?, &mut frame)));
        types.collect()
    }

    /// An operator of classes: a method of the first operand, or a function that a look-up finds.
    pub(super) fn operate(
        &mut self,
        name: &str,
        mut given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let (method, functions) = self.operators(name, &given, frame)?;
        match (method, functions.is_empty()) {
            (Some((owner, methods)), true) => {
                let object = given.remove(0);
                let constant = match object.place {
                    Some(_) => is_constant(object.expr, frame),
                    None => Some(false),
                };
                let place = match object.place {
                    Some(place) => place,
                    None => self.store.add(object.content)?,
                };
                let this = Some(self.as_class(&place, owner)?);
                self.call_method(owner, &methods, this, constant, None, false, given, frame)
            }
            (None, false) => {
                let chosen = self.chosen(&functions, None, &[], &given, None, frame)?;
                self.run_chosen(&chosen, None, given)
            }
            (None, true) if name == "operator!=" => {
                let equal = self.operate("operator==", given, frame)?;
                let equal = self.read(equal)?;
                if !matches!(&equal, Content::Number(number) if number.ty.class == ScalarClass::Bool)
                {
                    return Err(Stop);
                }
                Ok(Outcome::Value(Content::Number(Number::truth(
                    !equal.truth()?,
                )?)))
            }
            _ => Err(Stop),
        }
    }

    /// Candidates for an operator of classes: methods of the first operand, and functions.
    fn operators(
        &mut self,
        name: &str,
        given: &[Given<'u>],
        frame: &mut Frame<'u>,
    ) -> Followed<Operators<'u>> {
        let method = match given.first().map(|first| &first.content) {
            Some(Content::Object(class, _)) => self.method_named(class.instance, name)?,
            _ => None,
        };
        let mut functions = Vec::new();
        for function in self.operators_in_sight(name, given, frame)? {
            if !self.cannot_take(function, given)? {
                functions.push(function);
            }
        }
        Ok((method, functions))
    }

    /// Whether the types of a function keep it from taking objects of these classes.
    fn cannot_take(
        &mut self,
        (_, function, module): Named<'u>,
        given: &[Given<'u>],
    ) -> Followed<bool> {
        if !function.tparams.is_empty() {
            return Ok(false);
        }
        if function.params.len() != given.len() {
            return Ok(function.params.len() < given.len());
        }
        let mut frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
        for (param, given) in function.params.iter().zip(given) {
            let Content::Object(class, _) = &given.content else {
                continue;
            };
            let converts = self.it.has_bases(class.instance)
                || !self.it.conversion_functions(class.instance).is_empty();
            let ty = param.ty.as_ref().ok_or(Stop)?;
            let is_other = match self.it.eval_type(ty, &mut frame) {
                Type::Record(other) => {
                    self.it.derives_from(class.instance, other.instance) == Some(false)
                        && !self.it.has_constructor(other.instance)
                }
                Type::Scalar(_) | Type::Pointer(_) | Type::Array(..) => true,
                _ => false,
            };
            if is_other && !converts {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a class or a visible namespace has an operator for these operands.
    pub(super) fn has_operator(
        &mut self,
        name: &str,
        given: &[Given<'u>],
        frame: &mut Frame<'u>,
    ) -> Followed<bool> {
        let (method, functions) = self.operators(name, given, frame)?;
        Ok(method.is_some() || !functions.is_empty())
    }

    /// An operand of a built-in operator: for an object, the result of the only conversion of its class.
    pub(super) fn operand(
        &mut self,
        given: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let Content::Object(class, _) = &given.content else {
            return given.read();
        };
        let class = class.instance;
        // An operand is never converted by an explicit function ([class.conv.fct]).
        let functions = self.it.conversion_functions(class);
        if functions.iter().any(|function| function.flags.explicit) {
            return Err(Stop);
        }
        let place = match given.place {
            Some(place) => place,
            None => self.store.add(given.content)?,
        };
        self.convert_object(&place, class, frame)
    }

    /// The methods of a name, and whose they are; stops where a class takes others with `using`.
    pub(super) fn method_named(
        &mut self,
        class: usize,
        name: &str,
    ) -> Followed<Option<(usize, Vec<&'u Function>)>> {
        let found = self.it.inherited_methods(class, name);
        match &found {
            Some((owner, _))
                if self.it.uses_name(class, name) || self.it.uses_name(*owner, name) =>
            {
                Err(Stop)
            }
            _ => Ok(found),
        }
    }

    fn operators_in_sight(
        &mut self,
        name: &str,
        given: &[Given<'u>],
        frame: &mut Frame<'u>,
    ) -> Followed<Vec<Named<'u>>> {
        let mut ids: Vec<usize> = Vec::new();
        let mut add = |found: &[usize]| {
            for id in found {
                if !ids.contains(id) {
                    ids.push(*id);
                }
            }
        };
        let visible = self.it.visible_modules(frame);
        if let Some(innermost) = visible
            .iter()
            .find_map(|id| self.it.functions_of_module(*id, name))
        {
            add(innermost);
        }
        let mut classes: Vec<usize> = Vec::new();
        for given in given {
            if let Content::Object(class, _) = &given.content {
                classes.push(class.instance);
            }
        }
        let mut next = 0;
        while let Some(&class) = classes.get(next) {
            next += 1;
            self.tick()?;
            // A friend that is defined in its class is not among the functions.
            if self.it.has_friends(class) {
                return Err(Stop);
            }
            let module = self.it.module_of_record(class);
            add(self
                .it
                .functions_of_module(module, name)
                .unwrap_or_default());
            for base in self.it.bases(class).iter() {
                match base {
                    Type::Record(base) if !classes.contains(&base.instance) => {
                        classes.push(base.instance);
                    }
                    Type::Record(_) => {}
                    _ => return Err(Stop),
                }
            }
        }
        Ok(self.it.named_functions(&ids))
    }

    /// A value as a condition, by way of a conversion of its class.
    pub(super) fn condition(
        &mut self,
        value: Content<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<bool> {
        match &value {
            Content::Object(class, _) => {
                let class = class.instance;
                let place = self.store.add(value)?;
                let converted = self.convert_object(&place, class, frame)?;
                converted.truth()
            }
            value => value.truth(),
        }
    }

    /// A value as an index.
    pub(super) fn integer(&mut self, value: Content<'u>, frame: &mut Frame<'u>) -> Followed<i64> {
        let number = match &value {
            Content::Object(class, _) => {
                let class = class.instance;
                let place = self.store.add(value)?;
                self.convert_object(&place, class, frame)?.number()?
            }
            value => value.number()?,
        };
        Ok(number.value)
    }

    /// The result of the only conversion function of a class for an object of it.
    pub(super) fn convert_object(
        &mut self,
        object: &Location,
        class: usize,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let functions = self.it.conversion_functions(class);
        let [only] = functions.as_slice() else {
            return Err(Stop);
        };
        if self.it.has_bases(class) || !only.tparams.is_empty() {
            return Err(Stop);
        }
        let this = Some(object.clone());
        let found =
            self.call_method(class, &[*only], this, None, None, false, Vec::new(), frame)?;
        self.read(found)
    }

    /// A value as one of a type, by way of the conversions of classes.
    pub(super) fn converted_to(
        &mut self,
        ty: &Type,
        given: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match (ty, &given.content) {
            (Type::Record(class), content) => {
                let is_copy =
                    matches!(content, Content::Object(own, _) if own.instance == class.instance);
                let constructors = self.constructors(class.instance)?;
                // Explicit constructors are left out ([over.match.copy]).
                if !is_copy && constructors.iter().any(|it| it.flags.explicit) {
                    return Err(Stop);
                }
                self.object_of(class, given, false, frame)
            }
            (Type::Scalar(_), Content::Object(class, _)) => {
                let class = class.instance;
                let place = match given.place {
                    Some(place) => place,
                    None => self.store.add(given.content)?,
                };
                let found = self.convert_object(&place, class, frame)?;
                super::objects::converted(found, ty)
            }
            _ => {
                let content = given.copy(&mut self.store)?;
                super::objects::converted(content, ty)
            }
        }
    }
}
