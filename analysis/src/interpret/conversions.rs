//! The rank of the conversion of an argument to a parameter: the implicit conversions of C++ in the order of
//! [over.ics.rank].

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Function, Reference, TemplateParam};

use super::Interpreter;
use super::deduced_parts::parts_of_class_or_base;
use super::deduction::{is_deduced, position};
use super::enumeration::Enumeration;
use super::frame::Frame;
use super::rank::{Category, Rank, between_scalars};
use super::written_arguments::{Argument, Pointing, is_given_in_pack, is_null_type};
use crate::reason::Reason;
use crate::types::{Scalar, ScalarClass, Type};
use crate::value::Value;
use crate::vocabulary::same_types;

/// The types that an integer may have of which only the value is known.
pub(super) const INTEGERS: &[&str] = &["int", "unsigned", "long", "unsigned long", "short"];

impl<'u> Interpreter<'u> {
    /// The ranks of the arguments of a function, `given` of whose template parameters are explicit; all are bound in
    /// `frame`. `integers` are the types of those arguments that are some integer.
    pub(super) fn ranks(
        &mut self,
        function: &'u Function,
        given: usize,
        arguments: &[Argument],
        integers: &[Option<Scalar>],
        frame: &mut Frame<'u>,
    ) -> Vec<Rank> {
        let mut ranks = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let param = match function.params.get(index) {
                Some(param) => Some(param),
                None => function.params.last().filter(|it| it.specifiers.pack),
            };
            let mut argument = argument.clone();
            match integers.get(index) {
                Some(Some(integer)) => argument.ty = Type::Scalar(*integer),
                // Too many worlds: it may be any.
                _ if argument.open_integer() => {
                    let reason = Reason::RunTime("the type of an integer".into());
                    argument.ty = Type::Unknown(reason);
                }
                _ => {}
            }
            ranks.push(match param {
                Some(param) if is_given_in_pack(param, function, index, &argument, frame) => {
                    Rank::UNKNOWN
                }
                Some(param) => self.rank(param, function, given, &argument, frame),
                None => Rank::ELLIPSIS,
            });
        }
        ranks
    }

    fn rank(
        &mut self,
        param: &'u Binding,
        function: &'u Function,
        given: usize,
        argument: &Argument,
        frame: &mut Frame<'u>,
    ) -> Rank {
        let tparams = function.tparams.as_slice();
        let Some(ty) = &param.ty else {
            return Rank::EXACT;
        };
        let is_any = matches!(ty.kind, ExprKind::Auto)
            || ty
                .as_plain_name()
                .is_some_and(|name| position(tparams, name).is_some());
        let is_given = is_any && self.is_given_other(ty, argument, frame);
        let plain = if (is_any && !is_given) || param.specifiers.pack {
            Rank::EXACT
        } else {
            let deduced = tparams.get(given..).unwrap_or_default();
            self.rank_of_argument(ty, tparams, deduced, argument, frame)
        };
        let converts = plain.best >= Rank::PROMOTION.best && plain.best != Rank::BASE;
        match (param.reference, argument.category) {
            _ if !plain.may_take() => plain,
            // A reference that may be written through takes no number and no constant.
            (Reference::Lvalue, Category::Rvalue) if !param.specifiers.constant => Rank::NOT,
            (Reference::Lvalue, Category::Lvalue { constant: true })
                if !param.specifiers.constant && !is_any =>
            {
                Rank::NOT
            }
            (Reference::Lvalue, Category::Lvalue { .. })
                if !param.specifiers.constant && converts && plain.best < Rank::BASE =>
            {
                Rank::NOT
            }
            (Reference::Rvalue, Category::Lvalue { .. }) if !is_any => Rank::NOT,
            (Reference::Lvalue, Category::Lvalue { constant: false })
                if param.specifiers.constant =>
            {
                plain.behind(1)
            }
            (Reference::Lvalue, Category::Rvalue) => plain.behind(1),
            (Reference::Lvalue | Reference::Rvalue, Category::Unknown) => {
                if is_any || param.specifiers.constant {
                    Rank {
                        reference: (0, 1),
                        ..Rank::between(plain.best, plain.worst.saturating_add(1))
                    }
                } else {
                    Rank::between(plain.best, Rank::NOT.worst)
                }
            }
            (Reference::None, _) => Rank {
                is_value: true,
                ..plain
            },
            _ => plain,
        }
    }

    /// The rank of an argument for a parameter of this declaration, references apart; `deduced` are the template
    /// parameters that the call leaves to deduction.
    fn rank_of_argument(
        &mut self,
        ty: &'u Expr,
        tparams: &'u [TemplateParam],
        deduced: &[TemplateParam],
        argument: &Argument,
        frame: &mut Frame<'u>,
    ) -> Rank {
        if is_null_type(ty) {
            return self.rank_to_null(argument);
        }
        if let Some(own) = argument.enumeration {
            return self.rank_of_enumerator(own, ty, tparams, frame);
        }
        if self.enumeration_of(ty, frame).is_some() {
            return self.rank_to_enumeration(argument);
        }
        let plain = self.rank_of_type(ty, tparams, &argument.ty, frame);
        argument.rank_as_pointer(ty, deduced, plain)
    }

    /// The rank of an argument converted to `std::nullptr_t` ([conv.ptr]).
    fn rank_to_null(&mut self, argument: &Argument) -> Rank {
        match (argument.pointer, &argument.ty) {
            (Pointing::Null, _) => Rank::EXACT,
            (Pointing::Zero, _) => Rank::CONVERSION,
            _ => self.rank_to_other_kind(argument),
        }
    }

    /// The rank of an argument of another type converted to an enumeration: no number and no pointer converts to one.
    fn rank_to_enumeration(&mut self, argument: &Argument) -> Rank {
        if argument.pointer == Pointing::Null {
            return Rank::NOT;
        }
        self.rank_to_other_kind(argument)
    }

    /// The rank of an argument converted to a type that neither numbers nor pointers convert to.
    fn rank_to_other_kind(&mut self, argument: &Argument) -> Rank {
        match &argument.ty {
            _ if argument.enumeration.is_some() || argument.scalar.is_some() => Rank::NOT,
            Type::Record(class) if self.may_convert(class.instance) => Rank::MAYBE_USER,
            Type::Record(_) | Type::Pointer(_) | Type::Array(..) => Rank::NOT,
            Type::Of(value) => match &**value {
                Value::Layout(_) | Value::Composed(_) | Value::Tensor(_) | Value::Tuple(_) => {
                    Rank::NOT
                }
                _ => Rank::UNKNOWN,
            },
            _ => Rank::UNKNOWN,
        }
    }

    /// The rank of an enumeration's value for a parameter of this declaration.
    fn rank_of_enumerator(
        &mut self,
        own: Enumeration,
        declared: &'u Expr,
        tparams: &'u [TemplateParam],
        frame: &mut Frame<'u>,
    ) -> Rank {
        if let Some(target) = self.enumeration_of(declared, frame) {
            return if target == own {
                Rank::EXACT
            } else {
                Rank::NOT
            };
        }
        let is_template = declared
            .as_path()
            .and_then(|path| path.last())
            .is_some_and(|last| last.args.is_some());
        if is_template && is_deduced(declared, tparams) {
            return Rank::NOT;
        }
        match self.eval_type(declared, frame) {
            Type::Pointer(_) | Type::Array(..) => Rank::NOT,
            Type::Scalar(_) if own.scoped => Rank::NOT,
            Type::Scalar(target) => Argument::rank_as_number(own, target),
            Type::Record(class) if !self.has_constructor(class.instance) => Rank::NOT,
            Type::Record(_) => Rank::MAYBE_USER,
            _ => Rank::UNKNOWN,
        }
    }

    /// Whether a template parameter is another arithmetic type than that of the argument: it was explicit.
    fn is_given_other(
        &mut self,
        param: &'u Expr,
        argument: &Argument,
        frame: &mut Frame<'u>,
    ) -> bool {
        if matches!(param.kind, ExprKind::Auto) {
            return false;
        }
        let Some(written) = argument.scalar else {
            return argument.enumeration.is_some()
                && matches!(self.eval_type(param, frame), Type::Scalar(_));
        };
        matches!(self.eval_type(param, frame), Type::Scalar(bound) if bound != written)
    }

    fn rank_of_type(
        &mut self,
        declared: &'u Expr,
        tparams: &'u [TemplateParam],
        given: &Type,
        frame: &mut Frame<'u>,
    ) -> Rank {
        match given {
            Type::Unknown(_) | Type::Parameter(_) | Type::Part(_) | Type::Placeholder => {
                return Rank::UNKNOWN;
            }
            _ => {}
        }
        if is_deduced(declared, tparams)
            && let Some(rank) = self.rank_of_template(declared, given)
        {
            return rank;
        }
        let target = self.eval_type(declared, frame);
        self.rank_of_conversion(&target, given)
    }

    /// `Layout<S, D>`, `Int<N>`, `Traits<N>` whose arguments were deduced from the type.
    fn rank_of_template(&mut self, declared: &'u Expr, given: &Type) -> Option<Rank> {
        let declared = match &declared.kind {
            ExprKind::Const(inner) | ExprKind::Reference(inner, _) => inner,
            _ => declared,
        };
        let segment = declared.as_path()?.last()?;
        let (name, count) = (segment.name.name.as_str(), segment.args.as_ref()?.len());
        match given {
            Type::Of(value) => {
                let (_, steps) = parts_of_class_or_base(name, count, value)?;
                Some(if steps == 0 {
                    Rank::EXACT
                } else {
                    Rank::of(Rank::BASE + steps)
                })
            }
            Type::Record(class) => {
                let (template, _) = self.template_of(class.instance)?;
                (template == name).then_some(Rank::EXACT)
            }
            // An integer is not an instance of a template.
            Type::Scalar(_) => Some(Rank::NOT),
            _ => None,
        }
    }

    fn rank_of_conversion(&mut self, target: &Type, given: &Type) -> Rank {
        match (target, given) {
            (Type::Placeholder, _) => Rank::EXACT,
            (Type::Unknown(_) | Type::Parameter(_) | Type::Part(_) | Type::Template(..), _) => {
                Rank::UNKNOWN
            }
            (Type::Scalar(target), given) => self.rank_to_scalar(*target, given),
            (Type::Record(target), given) => self.rank_to_class(target.instance, given),
            (Type::Pointer(target) | Type::Array(target, _), given) => {
                self.rank_to_pointer(target, given)
            }
            (Type::Of(target), Type::Of(value)) => match (&**target, &**value) {
                // One integral constant is made of no other.
                (Value::Int(target), Value::Int(value))
                    if target.is_static() && value.is_static() =>
                {
                    if target == value {
                        Rank::EXACT
                    } else {
                        Rank::NOT
                    }
                }
                (Value::Int(_), _) | (_, Value::Int(_)) => Rank::NOT,
                _ => match same_types(&Type::Of(target.clone()), &Type::Of(value.clone())) {
                    Some(true) => Rank::EXACT,
                    Some(false) => Rank::MAYBE_USER,
                    None => Rank::UNKNOWN,
                },
            },
            (Type::Of(target), Type::Scalar(_) | Type::Pointer(_) | Type::Array(..)) => {
                match &**target {
                    Value::Int(int) if int.is_static() => Rank::NOT,
                    Value::Layout(_) | Value::Composed(_) | Value::Tensor(_) => Rank::NOT,
                    _ => Rank::UNKNOWN,
                }
            }
            _ => match same_types(target, given) {
                Some(true) => Rank::EXACT,
                Some(false) => Rank::MAYBE_USER,
                None => Rank::UNKNOWN,
            },
        }
    }

    fn rank_to_scalar(&mut self, target: Scalar, given: &Type) -> Rank {
        match given {
            Type::Scalar(given) => between_scalars(target, *given),
            Type::Of(value) => match &**value {
                Value::Int(int) if int.is_static() => {
                    let own = Scalar::of_spelling("int");
                    own.map_or(Rank::UNKNOWN, |own| {
                        between_scalars(target, own).after_user()
                    })
                }
                Value::Bool(truth) if truth.fixed => {
                    let own = Scalar::of_spelling("bool");
                    own.map_or(Rank::UNKNOWN, |own| {
                        between_scalars(target, own).after_user()
                    })
                }
                Value::Layout(_) | Value::Composed(_) | Value::Tensor(_) | Value::Tuple(_) => {
                    Rank::NOT
                }
                _ => Rank::UNKNOWN,
            },
            Type::Pointer(_) | Type::Array(..) if target.class == ScalarClass::Bool => {
                Rank::TO_BOOL
            }
            Type::Pointer(_) | Type::Array(..) => Rank::NOT,
            Type::Record(class) => {
                if self.may_convert(class.instance) {
                    Rank::MAYBE_USER
                } else {
                    Rank::NOT
                }
            }
            // An enumerator promotes.
            _ => Rank::between(Rank::PROMOTION.best, Rank::NOT.worst),
        }
    }

    /// Whether a class itself has conversion functions, or a base that may have some.
    pub(super) fn may_have_conversions(&self, instance: usize) -> bool {
        self.record_declaration(instance).is_some_and(|record| {
            let mut members = record.members.iter().flatten();
            !record.bases.is_empty()
                || members.any(|item| {
                    matches!(&item.kind, tree_sitter_cute::tree::ItemKind::Function(function)
                        if function.name.name.starts_with("operator "))
                })
        })
    }

    /// Whether a class or a base of it has conversion functions, or may have some.
    fn may_convert(&mut self, instance: usize) -> bool {
        let items = self.member_items(instance);
        let has_own = items.iter().any(|item| {
            matches!(&item.kind, tree_sitter_cute::tree::ItemKind::Function(function)
                if function.name.name.starts_with("operator "))
        });
        if has_own || !self.is_all_in_sight(instance) {
            return true;
        }
        self.bases(instance).iter().any(|base| match base {
            Type::Record(base) => self.may_convert(base.instance),
            _ => true,
        })
    }

    fn rank_to_class(&mut self, target: usize, given: &Type) -> Rank {
        if let Type::Record(given) = given {
            match self.distance_to_base(given.instance, target, 0) {
                Distance::Of(0) => return Rank::EXACT,
                Distance::Of(distance) => return Rank::of(Rank::BASE + distance),
                Distance::NoBase => {}
                Distance::Unknown => return Rank::UNKNOWN,
            }
            if self.may_convert(given.instance) {
                return Rank::MAYBE_USER;
            }
        }
        if self.has_constructor(target) {
            return Rank::MAYBE_USER;
        }
        match given {
            // A braced list of initialisers.
            Type::Of(value) if matches!(**value, Value::Tuple(_)) => Rank::UNKNOWN,
            Type::Scalar(_)
            | Type::Record(_)
            | Type::Pointer(_)
            | Type::Array(..)
            | Type::Of(_) => Rank::NOT,
            _ => Rank::UNKNOWN,
        }
    }

    /// Number of classes between a class and its base.
    fn distance_to_base(&mut self, class: usize, base: usize, depth: u16) -> Distance {
        if class == base {
            return Distance::Of(depth.min(Rank::CONVERSION.best - Rank::BASE - 1));
        }
        let nearest = self.nested(|it| {
            let mut nearest = Distance::NoBase;
            for found in it.bases(class).iter() {
                let distance = match found {
                    Type::Record(found) => it.distance_to_base(found.instance, base, depth + 1),
                    Type::Of(_) | Type::Class(_) => Distance::NoBase,
                    _ => Distance::Unknown,
                };
                match distance {
                    Distance::Of(_) => return distance,
                    Distance::Unknown => nearest = Distance::Unknown,
                    Distance::NoBase => {}
                }
            }
            nearest
        });
        nearest.unwrap_or(Distance::Unknown)
    }

    fn rank_to_pointer(&mut self, target: &Type, given: &Type) -> Rank {
        match given {
            Type::Pointer(given) | Type::Array(given, _) => match (target, &**given) {
                (Type::Record(target), Type::Record(given)) => {
                    match self.distance_to_base(given.instance, target.instance, 0) {
                        Distance::Of(0) => Rank::EXACT,
                        Distance::Of(distance) => Rank::of(Rank::BASE + distance),
                        Distance::NoBase => Rank::NOT,
                        Distance::Unknown => Rank::UNKNOWN,
                    }
                }
                (Type::Scalar(target), given) if target.class == ScalarClass::Void => match given {
                    Type::Scalar(given) if given.class == ScalarClass::Void => Rank::EXACT,
                    _ => Rank::CONVERSION,
                },
                (target, given) => match same_types(target, given) {
                    Some(true) => Rank::EXACT,
                    Some(false) => Rank::NOT,
                    None => Rank::UNKNOWN,
                },
            },
            Type::Of(value) => match &**value {
                // `nullptr`
                Value::Pointer(pointer) if pointer.element.is_none() => Rank::CONVERSION,
                Value::Pointer(_) => Rank::UNKNOWN,
                _ => Rank::NOT,
            },
            Type::Record(class) if !self.may_convert(class.instance) => Rank::NOT,
            // 0 is a null pointer.
            _ => Rank::UNKNOWN,
        }
    }
}

/// The distance of a base from a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Distance {
    Of(u16),
    NoBase,
    Unknown,
}

/// Whether an arithmetic type is one of the language.
pub(super) fn is_builtin(scalar: Scalar) -> bool {
    use ScalarClass::{Bool, Char, Float, Signed, Unsigned, Void};
    match scalar.class {
        Float => matches!(scalar.name, "float" | "double"),
        Signed | Unsigned => matches!(scalar.bits, 8 | 16 | 32 | 64),
        Bool | Char => true,
        Void => false,
    }
}
