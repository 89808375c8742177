//! Constants and enumerators by their names.

use tree_sitter_cute::tree::{Enum, Expr, Path, Segment};

use super::Interpreter;
use super::enumeration::Enumeration;
use super::frame::Frame;
use super::ids::ModuleId;
use super::integers::integral_type;
use super::names::Meaning;
use super::program::Constant;
use super::records::MemberKind;
use crate::reason::Reason;
use crate::types::{Scalar, Type, TypeName};
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// Whether an expression names an enumerator, whose value says nothing of its type.
    pub(super) fn is_enumerator(&self, expr: &Expr, frame: &Frame<'u>) -> bool {
        let named = self.constants_named(expr, frame);
        named
            .iter()
            .any(|constant| matches!(constant, Constant::Enumerator(..)))
    }

    /// The enumeration that an expression names, by itself or by one of its values; `None` where that may be another one.
    pub(super) fn enumeration_of(&self, expr: &Expr, frame: &Frame<'u>) -> Option<Enumeration> {
        let is_plain = expr.as_plain_name().is_some();
        // A class may have a member of the name.
        if is_plain && frame.owner.record.is_some() {
            return None;
        }
        let named = self.constants_named(expr, frame);
        let mut found = named.iter().map(|constant| match constant {
            Constant::Enumerator(declared, _) | Constant::Enum(declared) => {
                Enumeration::of(declared)
            }
            _ => None,
        });
        let first = found.next()??;
        found.all(|other| other == Some(first)).then_some(first)
    }

    /// The type that holds the values of the enumeration that an expression names, or one of whose values it names.
    pub(super) fn underlying_type(&mut self, expr: &'u Expr, frame: &Frame<'u>) -> Option<Scalar> {
        if expr.as_plain_name().is_some() && frame.owner.record.is_some() {
            return None;
        }
        let named = self.constants_named(expr, frame);
        let [Constant::Enumerator(declared, _) | Constant::Enum(declared)] = named.as_slice()
        else {
            return None;
        };
        let declared: &'u Enum = declared;
        if declared.base.is_some() {
            let mut scope = Frame::new(frame.owner.module, frame.steps);
            self.stated_type(declared, &mut scope)
        } else {
            let is_int = declared.scoped || Enumeration::of(declared)?.promotes_to_int;
            Scalar::of_spelling("int").filter(|_| is_int)
        }
    }

    /// The type behind the colon of an enumeration.
    fn stated_type(&mut self, declared: &'u Enum, frame: &mut Frame<'u>) -> Option<Scalar> {
        let base = declared.base.as_ref()?;
        let recording = frame.mode.pause();
        let ty = self.eval_type(base, frame);
        frame.mode.recording = recording;
        integral_type(&ty)
    }

    /// An enumeration as a type: its name, and the class instance that it is a member of.
    pub(super) fn enumeration_type(
        &mut self,
        (name, member_of): (&str, Option<usize>),
        declared: &'u Enum,
        frame: &mut Frame<'u>,
    ) -> Value {
        let held = match declared.base {
            None if declared.scoped => Scalar::of_spelling("int"),
            _ => self.stated_type(declared, frame),
        };
        let name = TypeName::of_enumeration(name, held, member_of);
        Value::Type(Box::new(Type::Named(name)))
    }

    /// The type that holds the values of an enumeration that is a member of a class, by the name of one of its values.
    pub(super) fn type_of_member_enumerator(
        &mut self,
        path: &'u Path,
        frame: &mut Frame<'u>,
    ) -> Option<Scalar> {
        let (_, scopes) = path.segments.split_last()?;
        let Meaning::Value(Value::Type(ty)) = self.meaning_of_type_path(None, scopes, frame) else {
            return None;
        };
        match *ty {
            Type::Named(name) if name.member_of().is_some() => name.holds(),
            _ => None,
        }
    }

    /// A value of an enumeration that is a member of a class: `Policy::Kind::dense`.
    pub(super) fn enumerator_of_member(&mut self, of: &TypeName, name: &str) -> Option<Value> {
        let instance = of.member_of()?;
        let declared = of.rsplit("::").next()?;
        let MemberKind::Enum(_, declared) = self.find_member(instance, declared)? else {
            return None;
        };
        let mut found = declared.enumerators.iter();
        let index = found.position(|it| it.name.name == name)?;
        let up_to = declared.enumerators.get(..=index)?;
        Some(self.member_value(instance, MemberKind::Enumerators(up_to), None))
    }

    /// Constants and variables of a name that the visible modules declare.
    pub(super) fn constants_named(&self, expr: &Expr, frame: &Frame<'u>) -> Vec<Constant<'u>> {
        let Some((last, scopes)) = expr.as_path().and_then(|path| path.segments.split_last())
        else {
            return Vec::new();
        };
        let name = last.name.name.as_str();
        let modules = match scopes.last() {
            None if frame.find(name).is_some() => Vec::new(),
            None => self.visible_modules(frame).to_vec(),
            Some(scope) => {
                let of_path: Vec<&str> = scopes
                    .iter()
                    .map(|scope| scope.name.name.as_str())
                    .collect();
                let named = self.module_of_path(frame.owner.module, &of_path);
                let named = named.or_else(|| self.visible_module(&scope.name.name, frame));
                named.into_iter().collect()
            }
        };
        let modules = modules.iter().filter_map(|id| self.program.module(*id));
        modules
            .filter_map(|module| module.constants.get(name).copied())
            .collect()
    }

    pub(super) fn constant(
        &mut self,
        module: ModuleId,
        name: &'u str,
        constant: Constant<'u>,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Value {
        match constant {
            Constant::Ambiguous => match self.program.macro_value(name, segment.name.span) {
                Some(value) => self.eval(value, frame),
                None => Value::Unknown(Reason::Ambiguous(name.into())),
            },
            Constant::OfBuild => Value::Unknown(Reason::OfBuild(name.into())),
            Constant::Binding(binding) => {
                if let Some(ident) = &binding.name {
                    self.recorder
                        .note_declaration(segment.name.span, ident.span);
                }
                let value = self.global_binding(module, binding, segment, frame);
                self.present_global(value, binding, name, frame)
            }
            Constant::Enumerator(declared, index) => {
                let up_to = declared.enumerators.get(..=index).unwrap_or_default();
                self.enumerator(module, up_to, frame)
            }
            Constant::Enum(declared) => {
                if let Some(declared) = &declared.name {
                    self.recorder
                        .note_declaration(segment.name.span, declared.span);
                }
                let whole = self.program.path_of_name(module, name);
                let mut scope = Frame::new(module, frame.steps);
                self.enumeration_type((&whole, None), declared, &mut scope)
            }
            Constant::Macro => match self.program.macro_value(name, segment.name.span) {
                Some(value) => self.eval(value, frame),
                None => Value::Unknown(Reason::Construct("a macro")),
            },
        }
    }

    /// The value of an enumerator: its own, or one more than the one before it.
    pub(super) fn enumerator(
        &mut self,
        module: ModuleId,
        enumerators: &'u [tree_sitter_cute::tree::Enumerator],
        frame: &mut Frame<'u>,
    ) -> Value {
        let stated = enumerators
            .iter()
            .rposition(|enumerator| enumerator.value.is_some());
        let (base, after) = match stated {
            Some(index) => {
                let mut scope = Frame::new(module, frame.steps);
                scope.owner.record = frame.owner.record;
                let value = enumerators
                    .get(index)
                    .and_then(|enumerator| enumerator.value.as_ref())
                    .map_or(Value::Nothing, |value| self.eval(value, &mut scope));
                (value, enumerators.len() - 1 - index)
            }
            None => (
                Value::Int(cute_algebra::Int::dynamic(0)),
                enumerators.len().saturating_sub(1),
            ),
        };
        let after = cute_algebra::Int::dynamic(i64::try_from(after).unwrap_or(i64::MAX));
        super::on_values::binary(
            tree_sitter_cute::tree::BinaryOp::Add,
            base,
            Value::Int(after),
        )
    }
}
