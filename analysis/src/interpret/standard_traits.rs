//! The type traits of `std::` on types that are written out: with their constants, references, pointers and arrays, which
//! types do not have elsewhere.

use cute_algebra::Int;
use tree_sitter_cute::tree::{Binding, Expr, ExprKind, RecordKind, Reference, Role, Segment};

use super::Interpreter;
use super::exact_types::{Exact, Layer, is_of_language};
use super::frame::Frame;
use super::integers::{QUALIFIED, common, number, promoted};
use super::program::Constant;
use crate::types::{Scalar, ScalarClass, Type};
use crate::value::{Truth, Value};

fn is_integral(scalar: Scalar) -> bool {
    !matches!(scalar.class, ScalarClass::Float | ScalarClass::Void)
}

/// The integer type of the same width that is signed, or that is not.
fn of_other_sign(scalar: Scalar, signed: bool) -> Option<Scalar> {
    let name = match (scalar.name, scalar.bits, signed) {
        ("long long" | "unsigned long long", _, true) => "long long",
        ("long long" | "unsigned long long", _, false) => "unsigned long long",
        (_, 8, true) => "signed char",
        (_, 8, false) => "unsigned char",
        (_, 16, true) => "short",
        (_, 16, false) => "unsigned short",
        (_, 32, true) => "int",
        (_, 32, false) => "unsigned",
        (_, 64, true) => "long",
        (_, 64, false) => "unsigned long",
        _ => return None,
    };
    let is_integer = scalar.is_integer() || scalar.class == ScalarClass::Char;
    Scalar::of_spelling(name).filter(|_| is_integer)
}

/// The type that both sides of `?:` come to ([meta.trans.other]).
fn common_scalar(a: Scalar, b: Scalar) -> Option<Scalar> {
    if a == b {
        return Some(a);
    }
    match (a.class, b.class) {
        (ScalarClass::Void, _) | (_, ScalarClass::Void) => None,
        (ScalarClass::Float, ScalarClass::Float) => Some(if a.bits >= b.bits { a } else { b }),
        (ScalarClass::Float, _) => Some(a),
        (_, ScalarClass::Float) => Some(b),
        _ => common(promoted(a)?, promoted(b)?),
    }
}

impl<'u> Interpreter<'u> {
    /// The result of a trait of `std::` for types that are written out; `None` for traits outside of this table.
    pub(super) fn standard_trait(
        &mut self,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let args = segment.args.as_deref()?;
        if !self.settings.is_cpp() || args.is_empty() || !self.is_in_std(segment) {
            return None;
        }
        let name = segment.name.name.as_str();
        if let Some(ty) = self.transformed(name.strip_suffix("_t")?, args, frame) {
            return Some(Value::Type(Box::new(named_type(ty))));
        }
        None
    }

    /// The same of a trait that is a truth or a number.
    pub(super) fn standard_question(
        &mut self,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let args = segment.args.as_deref()?;
        if !self.settings.is_cpp() || !self.is_in_std(segment) {
            return None;
        }
        let name = segment.name.name.as_str();
        let (stem, is_value) = match name.strip_suffix("_v") {
            Some(stem) => (stem, true),
            None => (name, false),
        };
        if let Some(count) = self.trait_count(stem, args, frame) {
            return Some(if is_value {
                Value::Int(Int::dynamic(count))
            } else {
                static_type(Value::Int(Int::fixed(count)))
            });
        }
        let truth = self.trait_truth(stem, args, frame)?;
        Some(if is_value {
            Value::Bool(Truth::run_time(truth))
        } else {
            static_type(Value::Bool(Truth::fixed(truth)))
        })
    }

    fn is_in_std(&self, segment: &Segment) -> bool {
        let start = segment.name.span.start;
        let scope = tree_sitter_cute::tree::Span::new(start.saturating_sub("std::".len()), start);
        self.program.slice(scope) == "std::"
    }

    fn trait_truth(&mut self, name: &str, args: &'u [Expr], frame: &mut Frame<'u>) -> Option<bool> {
        match (name, args) {
            ("is_same", [a, b]) => {
                let (a, b) = (self.exact(a, frame)?, self.exact(b, frame)?);
                Some(a == b)
            }
            ("is_convertible", [a, b]) => {
                let (a, b) = (self.exact(a, frame)?, self.exact(b, frame)?);
                let (a, b) = (a.without_reference().scalar()?, b.scalar()?);
                let is_void = |it: Scalar| it.class == ScalarClass::Void;
                Some(is_void(a) == is_void(b))
            }
            ("is_base_of", [a, b]) => {
                let (a, b) = (self.exact(a, frame)?, self.exact(b, frame)?);
                let is_class = |it: &Exact| {
                    it.around.iter().all(|it| *it == Layer::Constant)
                        && !matches!(it.base, Type::Scalar(_))
                };
                (!is_class(&a) || !is_class(&b)).then_some(false)
            }
            (_, [only]) if name.starts_with("is_") => match self.exact(only, frame) {
                Some(ty) => self.truth_of_type(name, &ty),
                None => self.truth_of_parameter(name, only, frame),
            },
            _ => None,
        }
    }

    /// The answer for a template parameter. An arithmetic type that may be constant or a reference is not known there;
    /// of a class and of a pointer only that is said which holds with qualifiers, too.
    fn truth_of_parameter(&mut self, name: &str, ty: &Expr, frame: &Frame<'u>) -> Option<bool> {
        let name_of_parameter = ty.as_plain_name()?;
        let Value::Type(bound) = &frame.find(name_of_parameter)?.value else {
            return None;
        };
        let of_number = matches!(
            name,
            "is_integral"
                | "is_floating_point"
                | "is_arithmetic"
                | "is_fundamental"
                | "is_void"
                | "is_signed"
                | "is_unsigned"
                | "is_enum"
                | "is_union"
        );
        match &**bound {
            Type::Scalar(_) => self.truth_of_type(name, &Exact::plain((**bound).clone())),
            Type::Record(class) => {
                let record = self.record_declaration(class.instance)?;
                let is_union = matches!(record.kind, RecordKind::Union);
                (of_number && !is_union).then_some(false)
            }
            Type::Class(_) | Type::Pointer(_) | Type::Array(..) => of_number.then_some(false),
            _ => None,
        }
    }

    fn truth_of_type(&mut self, name: &str, ty: &Exact) -> Option<bool> {
        let scalar = ty.scalar();
        if scalar.is_some_and(|scalar| !is_of_language(scalar)) {
            return None;
        }
        let is_class = ty.scalar().is_none()
            && ty.around.iter().all(|it| *it == Layer::Constant)
            && !matches!(ty.base, Type::Named(_));
        let kind = match &ty.base {
            Type::Record(class) if is_class => {
                self.record_declaration(class.instance).map(|it| it.kind)
            }
            _ => None,
        };
        let without = ty.clone().without_constant();
        let is_pointer = without.outermost() == Some(&Layer::Pointer);
        let is_arithmetic = scalar.is_some_and(|it| it.class != ScalarClass::Void);
        let of_scalar = |is: fn(Scalar) -> bool| scalar.is_some_and(is);
        Some(match name {
            "is_void" => of_scalar(|it| it.class == ScalarClass::Void),
            "is_integral" => of_scalar(is_integral),
            "is_floating_point" => of_scalar(|it| it.class == ScalarClass::Float),
            "is_arithmetic" => is_arithmetic,
            "is_fundamental" => scalar.is_some(),
            "is_pointer" => is_pointer,
            "is_reference" => ty.is_reference(),
            "is_lvalue_reference" => ty.outermost() == Some(&Layer::Lvalue),
            "is_rvalue_reference" => ty.outermost() == Some(&Layer::Rvalue),
            "is_array" => matches!(ty.outermost(), Some(Layer::Array(_))),
            "is_bounded_array" => matches!(ty.outermost(), Some(Layer::Array(Some(_)))),
            "is_const" => !ty.is_reference() && without != *ty,
            // Whether `char` is signed does not matter here.
            "is_signed" | "is_unsigned" if of_scalar(|it| it.class == ScalarClass::Char) => {
                return None;
            }
            "is_signed" => {
                of_scalar(|it| matches!(it.class, ScalarClass::Signed | ScalarClass::Float))
            }
            "is_unsigned" => {
                of_scalar(|it| matches!(it.class, ScalarClass::Unsigned | ScalarClass::Bool))
            }
            "is_class" => is_class && !matches!(kind, Some(RecordKind::Union)),
            "is_union" => matches!(kind, Some(RecordKind::Union)),
            "is_enum" => matches!(ty.base, Type::Named(_)) && !is_pointer && !ty.is_reference(),
            "is_scalar" => {
                is_arithmetic
                    || is_pointer
                    || matches!(ty.base, Type::Named(_)) && without.around.is_empty()
            }
            "is_object" => !ty.is_reference() && !of_scalar(|it| it.class == ScalarClass::Void),
            "is_trivially_copyable" | "is_trivial" | "is_default_constructible"
                if is_arithmetic || is_pointer =>
            {
                true
            }
            "is_empty" if scalar.is_some() || is_pointer || ty.is_reference() => false,
            _ => return None,
        })
    }

    fn trait_count(&mut self, name: &str, args: &'u [Expr], frame: &mut Frame<'u>) -> Option<i64> {
        match (name, args) {
            ("rank", [ty]) => {
                let ty = self.exact(ty, frame)?;
                i64::try_from(ty.extents().len()).ok()
            }
            ("extent", [ty, rest @ ..]) => {
                let ty = self.exact(ty, frame)?;
                let index = match rest {
                    [] => 0,
                    [index] => usize::try_from(self.constant_count(index, frame)?).ok()?,
                    _ => return None,
                };
                Some(ty.extents().get(index).copied().flatten().unwrap_or(0))
            }
            ("tuple_size", [ty]) => {
                let (name, args) = standard_class(ty)?;
                match (name, args) {
                    ("pair", [_, _]) => Some(2),
                    ("tuple", args) if !args.iter().any(is_expansion) => {
                        i64::try_from(args.len()).ok()
                    }
                    ("array", [_, count]) => self.constant_count(count, frame),
                    _ => None,
                }
            }
            ("alignment_of", [ty]) => {
                let layout = self.object_layout(ty, frame).ok()?;
                i64::try_from(layout.align).ok()
            }
            _ => None,
        }
    }

    fn constant_count(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Option<i64> {
        number(&self.eval(expr, frame))
    }

    /// The type that `std::name_t<args>` is.
    fn transformed(
        &mut self,
        name: &str,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Option<Exact> {
        let ([ty], rest) = args.split_at_checked(1)? else {
            return None;
        };
        match (name, rest) {
            ("conditional", [then, otherwise]) => {
                let holds = self.eval(ty, frame).as_truth()?;
                let taken = if holds { then } else { otherwise };
                return self.exact(taken, frame);
            }
            ("enable_if", [then]) => {
                let holds = self.eval(ty, frame).as_truth()?;
                return self.exact(then, frame).filter(|_| holds);
            }
            ("tuple_element", [class]) => {
                let index = usize::try_from(self.constant_count(ty, frame)?).ok()?;
                let (name, args) = standard_class(class)?;
                if args.iter().any(is_expansion) {
                    return None;
                }
                let item = match name {
                    "pair" | "tuple" => args.get(index)?,
                    "array" => args.first()?,
                    _ => return None,
                };
                return self.exact(item, frame);
            }
            ("common_type", [other]) => {
                let (a, b) = (self.exact(ty, frame)?, self.exact(other, frame)?);
                let (a, b) = (a.decayed().scalar()?, b.decayed().scalar()?);
                let both = is_of_language(a) && is_of_language(b);
                let found = common_scalar(a, b).filter(|_| both)?;
                return Some(Exact::plain(Type::Scalar(found)));
            }
            ("underlying_type", []) => {
                let held = self.underlying_type(ty, frame)?;
                return Some(Exact::plain(Type::Scalar(held)));
            }
            (_, []) => {}
            _ => return None,
        }
        let is_pointer = |own: &Exact| {
            let own = own.clone().without_constant();
            own.outermost() == Some(&Layer::Pointer)
        };
        let own = self.exact(ty, frame)?;
        Some(match name {
            "remove_const" | "remove_cv" => own.without_constant(),
            "remove_reference" => own.without_reference(),
            "remove_cvref" => own.without_reference().without_constant(),
            "remove_pointer" if is_pointer(&own) => own.without_pointer(),
            "remove_pointer" | "type_identity" => own,
            "remove_extent" => own.without_extent(),
            "remove_all_extents" => {
                let mut own = own;
                while let Some(Layer::Array(_)) = own.outermost() {
                    own = own.without_extent();
                }
                own
            }
            "add_const" => own.constant(),
            "add_pointer" => own.without_reference().inside(Layer::Pointer),
            "add_lvalue_reference" => own.referred(false),
            "add_rvalue_reference" => own.referred(true),
            "decay" => own.decayed(),
            "make_unsigned" | "make_signed" => {
                let scalar = own.scalar()?;
                let other = of_other_sign(scalar, name == "make_signed")?;
                let other = Exact::plain(Type::Scalar(other));
                if own.around.is_empty() {
                    other
                } else {
                    other.constant()
                }
            }
            _ => return None,
        })
    }

    /// A type that is written out, with all qualifiers around it; `None` where something may hide in a name.
    pub(super) fn exact(&mut self, ty: &'u Expr, frame: &mut Frame<'u>) -> Option<Exact> {
        self.nested(|it| it.exact_inside(ty, frame)).flatten()
    }

    fn exact_inside(&mut self, ty: &'u Expr, frame: &mut Frame<'u>) -> Option<Exact> {
        match &ty.kind {
            ExprKind::Const(inner) => Some(self.exact(inner, frame)?.constant()),
            ExprKind::Reference(inner, is_rvalue) => {
                Some(self.exact(inner, frame)?.referred(*is_rvalue))
            }
            ExprKind::Pointer(inner) => {
                let inner = self.exact(inner, frame)?;
                (!inner.is_reference()).then(|| inner.inside(Layer::Pointer))
            }
            ExprKind::Array(element, count) => {
                let count = match count {
                    Some(count) => Some(self.constant_count(count, frame)?),
                    None => None,
                };
                let element = self.exact(element, frame)?;
                Some(element.inside(Layer::Array(count)))
            }
            ExprKind::Decltype(operand) => self.exact_of_operand(ty, operand, frame),
            ExprKind::Name(_) => self.exact_named(ty, frame),
            _ => None,
        }
    }

    fn exact_of_operand(
        &mut self,
        ty: &'u Expr,
        operand: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Exact> {
        let Some(name) = operand.as_plain_name() else {
            if !crate::qualifiers::is_temporary(&operand.kind) {
                return None;
            }
            return match self.eval_type(ty, frame) {
                base @ Type::Scalar(_) => Some(Exact::plain(base)),
                _ => None,
            };
        };
        let (binding, mut scope) = match frame.find(name).map(|it| it.declared) {
            Some(declared) => (frame.locals.declaration(declared)?, frame.clone()),
            None if frame.owner.record.is_some() => return None,
            None => {
                let found = self.constant_declared(name, frame)?;
                (found.1, Frame::new(found.0, frame.steps))
            }
        };
        if binding.role == Role::Alias || !binding.tparams.is_empty() {
            return None;
        }
        let binding: &'u Binding = binding;
        let declared = binding.ty.as_ref()?;
        scope.mode.recording = false;
        let own = match &declared.kind {
            ExprKind::Auto if binding.reference == Reference::None => {
                match self.eval_type(ty, frame) {
                    base @ Type::Scalar(_) => Exact::plain(base),
                    _ => return None,
                }
            }
            // Its initialiser has the length of an array that is written without one ([dcl.init.aggr]).
            ExprKind::Array(element, None) => {
                let length = length_of_list(binding.init.as_ref()?)?;
                let element = self.exact(element, &mut scope)?;
                element.inside(Layer::Array(Some(length)))
            }
            _ => self.exact(declared, &mut scope)?,
        };
        let own = if binding.specifiers.constant || binding.specifiers.constexpr {
            // The constant part of a pointer may be its pointee.
            if own.outermost() == Some(&Layer::Pointer) || own.is_reference() {
                return None;
            }
            own.constant()
        } else {
            own
        };
        let own = match binding.reference {
            Reference::None => own,
            Reference::Lvalue => own.referred(false),
            Reference::Rvalue => own.referred(true),
        };
        let start = operand.span.start;
        let before = tree_sitter_cute::tree::Span::new(start.saturating_sub(2), start);
        let in_parentheses = match self.program.slice(before) {
            "((" => true,
            "e(" => false,
            _ => return None,
        };
        Some(if in_parentheses {
            own.referred(false)
        } else {
            own
        })
    }

    /// The declaration that a plain name is of: of a variable of the function, or of one outside of it.
    pub(super) fn variable_declared(&self, name: &str, frame: &Frame<'u>) -> Option<&'u Binding> {
        match frame.find(name) {
            Some(variable) => frame.locals.declaration(variable.declared),
            None => Some(self.constant_declared(name, frame)?.1),
        }
    }

    /// The constant or variable of a name that the innermost visible module declares.
    pub(super) fn constant_declared(
        &self,
        name: &str,
        frame: &Frame<'u>,
    ) -> Option<(super::ids::ModuleId, &'u Binding)> {
        let visible = self.visible_modules(frame);
        let declares = |id: &&super::ids::ModuleId| {
            let module = self.program.module(**id);
            module.is_some_and(|module| module.declared(name).is_some())
        };
        let id = *visible.iter().find(declares)?;
        match self.program.module(id)?.constants.get(name)? {
            Constant::Binding(binding) => Some((id, *binding)),
            _ => None,
        }
    }

    fn exact_named(&mut self, ty: &'u Expr, frame: &mut Frame<'u>) -> Option<Exact> {
        let path = ty.as_path()?;
        let last = path.last()?;
        let name = last.name.name.as_str();
        if let Some((stem, args)) = standard_class(ty) {
            if let Some(found) = stem
                .strip_suffix("_t")
                .and_then(|stem| self.transformed(stem, args, frame))
            {
                return Some(found);
            }
            if stem.ends_with("_t") {
                return None;
            }
        }
        // `std::remove_const<T>::type`
        if let [scope, class, member] = path.segments.as_slice()
            && scope.name.name == "std"
            && member.name.name == "type"
            && let Some(args) = class.args.as_deref()
        {
            return self.transformed(&class.name.name, args, frame);
        }
        if last.args.is_none() && path.segments.len() == 1 && frame.find(name).is_some() {
            return None;
        }
        let recording = frame.mode.pause();
        let base = self.eval_type(ty, frame);
        frame.mode.recording = recording;
        match &base {
            Type::Scalar(_) if Scalar::of_spelling(name).is_some() => Some(Exact::plain(base)),
            Type::Record(class) => {
                let record = self.record_declaration(class.instance)?;
                let is_itself = record.name.as_ref().is_some_and(|own| own.name == name);
                is_itself.then(|| Exact::plain(base.clone()))
            }
            Type::Class(class) if *class.name == *name => Some(Exact::plain(base.clone())),
            Type::Named(whole) if whole.rsplit("::").next() == Some(name) => {
                self.underlying_type(ty, frame)?;
                Some(Exact::plain(base.clone()))
            }
            _ if path.segments.len() == 1
                && last.args.is_none()
                && frame.owner.record.is_none() =>
            {
                let (module, alias) = self.constant_declared(name, frame)?;
                if alias.role != Role::Alias || !alias.tparams.is_empty() {
                    return None;
                }
                let mut scope = Frame::new(module, frame.steps);
                self.exact(alias.init.as_ref()?, &mut scope)
            }
            _ => None,
        }
    }
}

/// The name and the arguments of `std::name<args>`.
fn standard_class(ty: &Expr) -> Option<(&str, &[Expr])> {
    let path = ty.as_path()?;
    let [scope, class] = path.segments.as_slice() else {
        return None;
    };
    let args = class.args.as_deref()?;
    (scope.name.name == "std" && scope.args.is_none()).then_some((&class.name.name, args))
}

fn is_expansion(arg: &Expr) -> bool {
    matches!(arg.kind, ExprKind::Expand(_))
}

/// A type as it is elsewhere, without the qualifiers around it except pointers.
fn named_type(ty: Exact) -> Type {
    let mut named = ty.base;
    for layer in ty.around.iter().rev() {
        match layer {
            Layer::Pointer => named = Type::Pointer(Box::new(named)),
            Layer::Array(_) => named = Type::Unknown(QUALIFIED),
            Layer::Constant | Layer::Lvalue | Layer::Rvalue => {}
        }
    }
    named
}

fn static_type(value: Value) -> Value {
    Value::Type(Box::new(Type::Of(Box::new(value))))
}

/// The elements of an array that a list initialises; `None` where the list alone does not say their number.
fn length_of_list(init: &Expr) -> Option<i64> {
    let ExprKind::Braced(items) = &init.kind else {
        return None;
    };
    let is_one = |item: &Expr| !matches!(item.kind, ExprKind::Expand(_) | ExprKind::Designated(..));
    let length = i64::try_from(items.len()).ok()?;
    items.iter().all(is_one).then_some(length)
}
