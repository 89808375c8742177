//! Calls: of functions, methods, operators and lambdas of the sources.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Path, Segment, UnaryOp};

use super::expressions::plain;
use super::extents::deduce_extents;
use super::given::{Given, Outcome};
use super::library::is_standard;
use super::numbers::scalar;
use super::store::{Content, Followed, Location, Number, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::Frame;
use crate::interpret::heads::is_generic;
use crate::interpret::names::{Meaning, is_qualified};
use crate::interpret::overloads::{Asked, Candidate, Named, Selection};
use crate::interpret::written_arguments::is_constant;
use crate::types::{Scalar, Type};
use crate::value::Value;
use crate::vocabulary;

impl<'u> Runner<'_, 'u> {
    pub(super) fn call(
        &mut self,
        expr: &'u Expr,
        callee: &'u Expr,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        if let Some(expansion) = self.it.expansion(expr, callee, frame) {
            return Ok(self.evaluated(expansion, act, frame)?.into_outcome());
        }
        if let Some(found) = self.limit_of(callee, frame) {
            return Ok(Outcome::Value(found?));
        }
        if let Some(types) = self.types_of_tuple(callee, frame) {
            return Ok(Outcome::Value(self.tuple(&types?, args, act, frame)?));
        }
        match &callee.kind {
            ExprKind::Member {
                object,
                member,
                arrow,
            } => {
                let is_qualified = matches!(&object.kind, ExprKind::Cast(_, ty, operand)
                    if ty.span.start > operand.span.start);
                let object_place = self.receiver(object, *arrow, act, frame)?;
                let constant = if *arrow {
                    match object.as_plain_name() {
                        Some("this") => frame.owner.constant_object,
                        _ => None,
                    }
                } else {
                    is_constant(object, frame)
                };
                let object = (&object_place, constant, is_qualified);
                self.call_member(object, member, args, act, frame)
            }
            ExprKind::Name(path) => self.call_named((expr, callee), path, args, act, frame),
            ExprKind::Unary(UnaryOp::Deref, inner) if self.is_function(inner, act, frame) => {
                self.call(expr, inner, args, act, frame)
            }
            _ => {
                let given = self.given(args, act, frame)?;
                let place = self.place(callee, act, frame)?;
                self.call_object(&place, callee, given, frame)
            }
        }
    }

    /// A call through the meaning of a name; `expr` is the whole call.
    fn call_named(
        &mut self,
        (expr, callee): (&'u Expr, &'u Expr),
        path: &'u Path,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        if let Some(place) = self.named(callee, act, frame) {
            let given = self.given(args, act, frame)?;
            return self.call_object(&place, callee, given, frame);
        }
        let meaning = self.it.meaning(path, frame);
        let segment = path.last().ok_or(Stop)?;
        match meaning {
            Meaning::Functions(ids) => {
                let given = self.given(args, act, frame)?;
                let ids = self.with_those_beside(ids, path, &given)?;
                let named = self.it.named_functions(&ids);
                let explicit = self.explicit(segment, frame)?;
                let chosen = self.chosen(&named, None, &explicit, &given, None, frame)?;
                self.run_chosen(&chosen, None, given)
            }
            Meaning::Methods(class, methods) => {
                let given = self.given(args, act, frame)?;
                if self.it.uses_name(class, &segment.name.name) {
                    return Err(Stop);
                }
                let this = match &act.this {
                    Some(this) => self.as_class(this, class).ok(),
                    None => None,
                };
                let constant = frame.owner.constant_object;
                let is_qualified = path.segments.len() > 1;
                self.call_method(
                    class,
                    &methods,
                    this,
                    constant,
                    Some(segment),
                    is_qualified,
                    given,
                    frame,
                )
            }
            Meaning::Value(Value::Type(ty)) => match &*ty {
                Type::Named(_) => {
                    let [only] = args else {
                        return Err(Stop);
                    };
                    let number = self.value(only, act, frame)?;
                    let value = self.as_enumerator(callee, &number, frame)?;
                    Ok(Outcome::Value(value))
                }
                ty => Ok(Outcome::Value(self.construct(ty, args, false, act, frame)?)),
            },
            Meaning::Value(_) => {
                let given = self.given(args, act, frame)?;
                let found = self.constant(callee, frame)?;
                let place = self.placed(found)?;
                self.call_object(&place, callee, given, frame)
            }
            Meaning::Vocabulary(word) if is_standard(callee) => {
                match self.call_standard(word, args, act, frame)? {
                    Some(found) => Ok(found),
                    None => self.call_library(expr, word, args, act, frame),
                }
            }
            Meaning::Vocabulary(word) => self.call_library(expr, word, args, act, frame),
            _ => Err(Stop),
        }
    }

    /// Whether an expression names a function, or a pointer to one.
    pub(super) fn is_function(
        &mut self,
        expr: &'u Expr,
        act: &Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> bool {
        if expr.as_path().is_none() {
            return false;
        }
        let found = match self.named(expr, act, frame) {
            Some(place) => self.store.read(&place),
            None => self
                .constant(expr, frame)
                .and_then(|found| self.read(found)),
        };
        matches!(found, Ok(Content::Function(_)))
    }

    /// Functions of a name with those beside the classes of arguments ([basic.lookup.argdep]).
    fn with_those_beside(
        &mut self,
        mut ids: Vec<usize>,
        path: &Path,
        given: &[Given<'u>],
    ) -> Followed<Vec<usize>> {
        let [only] = path.segments.as_slice() else {
            return Ok(ids);
        };
        for given in given {
            if let Content::Object(class, _) = &given.content {
                if self.it.befriends(class.instance, &only.name.name) {
                    return Err(Stop);
                }
                let module = self.it.module_of_record(class.instance);
                let beside = self.it.functions_of_module(module, &only.name.name);
                for id in beside.unwrap_or_default() {
                    if !ids.contains(id) {
                        ids.push(*id);
                    }
                }
            }
        }
        Ok(ids)
    }

    /// Template arguments that are written out.
    fn explicit(&mut self, segment: &'u Segment, frame: &mut Frame<'u>) -> Followed<Vec<Value>> {
        let mut written = segment.args.iter().flatten();
        // A reference as an argument makes parameters references that do not look like them.
        if written.any(|arg| is_qualified(arg, frame)) {
            return Err(Stop);
        }
        Ok(self.it.template_arguments(Some(segment), frame))
    }

    /// A method that is called on an object.
    fn call_member(
        &mut self,
        (object, constant, is_qualified): (&Location, Option<bool>, bool),
        member: &'u Segment,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let name = member.name.name.as_str();
        match self.store.at(object)? {
            Content::Array(_) => {
                let given = self.given(args, act, frame)?;
                self.call_array(object, name, &given)
            }
            Content::Object(class, _) => {
                let instance = class.instance;
                let given = self.given(args, act, frame)?;
                if let Some((owner, methods)) = self.method_named(instance, name)? {
                    let this = Some(self.as_class(object, owner)?);
                    let method = Some(member);
                    return self.call_method(
                        owner,
                        &methods,
                        this,
                        constant,
                        method,
                        is_qualified,
                        given,
                        frame,
                    );
                }
                let field = plain(member).and_then(|name| self.field(object, name));
                let field = field.ok_or(Stop)?;
                match self.store.read(&field)? {
                    Content::Closure(closure) => self.call_closure(&closure, given),
                    Content::Function(id) => self.call_function(id, given, frame),
                    _ => Err(Stop),
                }
            }
            _ => Err(Stop),
        }
    }

    /// A function that is called through a pointer.
    fn call_function(
        &mut self,
        id: usize,
        given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let named = self.it.named_functions(&[id]);
        // A pointer gives no default arguments.
        if self.function_at(id)?.params.len() != given.len() {
            return Err(Stop);
        }
        let chosen = self.chosen(&named, None, &[], &given, None, frame)?;
        self.run_chosen(&chosen, None, given)
    }

    /// Methods of arrays.
    pub(super) fn call_array(
        &mut self,
        array: &Location,
        name: &str,
        given: &[Given<'u>],
    ) -> Followed<Outcome<'u>> {
        let Content::Array(items) = self.store.at(array)? else {
            return Err(Stop);
        };
        let count = items.len();
        let size = i64::try_from(count).map_err(|_| Stop)?;
        match (name, given) {
            ("size" | "max_size", []) => Ok(Outcome::Value(Content::Number(Number {
                value: size,
                ty: scalar("unsigned long")?,
            }))),
            ("empty", []) => Ok(Outcome::Value(Content::Number(Number::truth(count == 0)?))),
            ("front", []) => Ok(Outcome::Location(self.element(array, 0)?)),
            ("back", []) => Ok(Outcome::Location(self.element(array, size - 1)?)),
            ("at", [index]) => {
                let index = index.content.number()?.value;
                Ok(Outcome::Location(self.element(array, index)?))
            }
            ("begin" | "data" | "cbegin", []) => {
                Ok(Outcome::Value(Content::Pointer(array.part(0))))
            }
            ("end" | "cend", []) => Ok(Outcome::Value(Content::Pointer(array.part(count)))),
            ("fill", [value]) => {
                for index in 0..count {
                    self.store
                        .assign(&array.part(index), value.content.clone())?;
                }
                Ok(Outcome::Value(Content::Unknown))
            }
            _ => Err(Stop),
        }
    }

    /// `x(args)` of a variable.
    fn call_object(
        &mut self,
        place: &Location,
        written: &'u Expr,
        given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        match self.store.read(place)? {
            Content::Closure(closure) => self.call_closure(&closure, given),
            Content::Function(id) => self.call_function(id, given, frame),
            Content::Object(..) => self.operator(place, written, "operator()", given, frame),
            _ => Err(Stop),
        }
    }

    /// An operator of an object that is a method.
    pub(super) fn operator(
        &mut self,
        object: &Location,
        written: &'u Expr,
        name: &str,
        given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let Content::Object(class, _) = self.store.at(object)? else {
            return Err(Stop);
        };
        let instance = class.instance;
        let written = match &written.kind {
            ExprKind::Index(inner, _) => inner,
            _ => written,
        };
        let constant = is_constant(written, frame);
        let (owner, methods) = self.method_named(instance, name)?.ok_or(Stop)?;
        let this = Some(self.as_class(object, owner)?);
        self.call_method(owner, &methods, this, constant, None, false, given, frame)
    }

    #[allow(clippy::too_many_arguments)] // A method call has this many parts.
    pub(super) fn call_method(
        &mut self,
        class: usize,
        methods: &[&'u Function],
        this: Option<Location>,
        constant: Option<bool>,
        segment: Option<&'u Segment>,
        is_qualified: bool,
        given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let module = self.it.module_of_record(class);
        let named: Vec<Named<'u>> = methods.iter().map(|it| (None, *it, module)).collect();
        let explicit = match segment {
            Some(segment) => self.explicit(segment, frame)?,
            None => Vec::new(),
        };
        let mut chosen = self.chosen(&named, Some(class), &explicit, &given, constant, frame)?;
        chosen.function = self
            .it
            .specialised_method(class, chosen.function)
            .map_err(|_| Stop)?;
        let mut this = this.filter(|_| !chosen.function.flags.is_static);
        if this.is_none() && !chosen.function.flags.is_static {
            return Err(Stop);
        }
        if !is_qualified
            && let Some(object) = &this
            && self.it.is_virtual(class, &chosen.function.name.name)
        {
            let (owner, method, part) = self.final_overrider(chosen.function, class, object)?;
            chosen.function = method;
            chosen.record = Some(owner);
            chosen.module = self.it.module_of_record(owner);
            this = Some(part);
        }
        self.run_chosen(&chosen, this, given)
    }

    /// The function that a call calls.
    pub(super) fn chosen(
        &mut self,
        named: &[Named<'u>],
        record: Option<usize>,
        explicit: &[Value],
        given: &[Given<'u>],
        constant: Option<bool>,
        frame: &mut Frame<'u>,
    ) -> Followed<Candidate<'u>> {
        let mut values = Vec::with_capacity(given.len());
        let mut arguments = Vec::with_capacity(given.len());
        for given in given {
            let value = self.passed(given, frame)?;
            let mut argument = self.it.argument_of(Some(given.expr), &value, frame);
            match &given.content {
                Content::Number(number) | Content::Bits(number, _) => argument.write(number.ty),
                // Its type is that of an enumeration.
                Content::Enumerator(_) if named.len() > 1 || is_generic_of(named) => {
                    return Err(Stop);
                }
                _ => {}
            }
            values.push(value);
            arguments.push(argument);
        }
        let asked = Asked {
            explicit,
            values: &values,
            arguments: &arguments,
            constant,
        };
        match self.it.overload(named, record, &asked) {
            Selection::One(mut chosen) => {
                deduce_extents(&mut chosen, given)?;
                Ok(chosen)
            }
            _ => Err(Stop),
        }
    }

    /// Functions of the standard library and of CuTe on numbers.
    fn call_library(
        &mut self,
        expr: &'u Expr,
        word: &'u Segment,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let name = word.name.name.as_str();
        if Scalar::of_spelling(name).is_some() {
            let ty = self.it.eval_type(expr_of_callee(expr)?, frame);
            return Ok(Outcome::Value(
                self.construct(&ty, args, false, act, frame)?,
            ));
        }
        let function = vocabulary::function(name).ok_or(Stop)?;
        let given = self.given(args, act, frame)?;
        let mut values = Vec::with_capacity(given.len());
        let mut ty: Option<Scalar> = None;
        for given in &given {
            let Content::Number(number) = &given.content else {
                return Err(Stop);
            };
            // The type of the result is unknown where they differ.
            if ty
                .replace(number.ty)
                .is_some_and(|other| other != number.ty)
            {
                return Err(Stop);
            }
            values.push(self.seen(&given.content)?);
        }
        if word.args.is_some() {
            return Err(Stop);
        }
        match self.it.ask_vocabulary(function, &[], &values).0 {
            Ok(Value::Int(int)) if !int.is_static() => {
                let number = Number {
                    value: int.value().ok_or(Stop)?,
                    ty: ty.ok_or(Stop)?,
                };
                Ok(Outcome::Value(Content::Number(number)))
            }
            _ => Err(Stop),
        }
    }
}

/// Whether one of several functions is a template.
fn is_generic_of(named: &[Named<'_>]) -> bool {
    named.iter().any(|(_, function, _)| is_generic(function))
}

/// The callee of a call.
fn expr_of_callee(expr: &Expr) -> Followed<&Expr> {
    match &expr.kind {
        ExprKind::Call(callee, _) => Ok(callee),
        _ => Err(Stop),
    }
}
