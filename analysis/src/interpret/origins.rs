//! The origin of a written type, when the names of types are followed: two names of one declaration are one type, also
//! where its numbers are known only at run time and their width is not kept.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Path, Qualifier, Segment, Span};

use super::Interpreter;
use super::frame::Frame;
use super::heads::role_of;
use super::ids::ModuleId;
use super::names::Meaning;
use super::program::Constant;
use super::records::MemberKind;
use crate::role::Role;
use crate::types::Type;
use crate::value::{Truth, Value};
use crate::vocabulary;

/// The declaration that a written type is in the end: an alias of something else than a name, or a
/// template parameter.
#[derive(Debug, Clone, Copy)]
struct Origin<'u> {
    declared: Span,
    /// The class instance whose names are meant.
    instance: Option<usize>,
    /// The alias with its scope; nothing for a template parameter.
    alias: Option<(&'u Binding, Scope)>,
}

/// The scope in which an alias is declared.
#[derive(Debug, Clone, Copy)]
enum Scope {
    /// The function that is being evaluated.
    Function,
    Class(usize),
    Module(ModuleId),
}

impl<'u> Interpreter<'u> {
    /// `is_same<A, B>` of types that look the same and have run-time numbers: true where both are names of one type.
    /// The choice of the removed pointers does not matter, as one more would show.
    pub(super) fn same_by_origin(
        &mut self,
        segment: &'u Segment,
        args: &[Value],
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let is_value = match segment.name.name.as_str() {
            "is_same_v" => true,
            "is_same" => false,
            _ => return None,
        };
        let ([Value::Type(a), Value::Type(b)], Some([first, second])) =
            (args, segment.args.as_deref())
        else {
            return None;
        };
        let open = matches!(&**a, Type::Of(value) if vocabulary::has_open_numbers(value));
        if a != b || !open {
            return None;
        }
        // What is written alike in one place is one type.
        let is_alike = first.as_path().is_some() && first.to_string() == second.to_string();
        if !is_alike && !self.have_one_origin(first, second, frame)? {
            return None;
        }
        Some(if is_value {
            Value::Bool(Truth::run_time(true))
        } else {
            let constant = Value::Bool(Truth::fixed(true));
            Value::Type(Box::new(Type::Of(Box::new(constant))))
        })
    }

    fn have_one_origin(
        &mut self,
        first: &'u Expr,
        second: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<bool> {
        let (first, second) = (self.origin(first, frame)?, self.origin(second, frame)?);
        let is_one = first.declared == second.declared && first.instance == second.instance;
        Some(is_one)
    }

    /// The array type that a name is an alias of, as it is written, and the scope of the alias.
    pub(super) fn array_behind(
        &mut self,
        name: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<(&'u Expr, Frame<'u>)> {
        if let Some(template) = self.array_template(name, frame) {
            return Some(template);
        }
        let (alias, scope) = self.origin(name, frame)?.alias?;
        let mut written = alias.init.as_ref()?;
        while let ExprKind::Const(inner) = &written.kind {
            written = inner;
        }
        if !matches!(written.kind, ExprKind::Array(..)) {
            return None;
        }
        let scope = match scope {
            Scope::Function => frame.clone(),
            Scope::Class(instance) => self.record_frame(instance),
            Scope::Module(module) => Frame::new(module, frame.steps),
        };
        Some((written, scope))
    }

    /// The array type that an alias template of a namespace is, `template <class T> using Rows = T[8];`, and a scope with
    /// its parameters.
    fn array_template(
        &mut self,
        name: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<(&'u Expr, Frame<'u>)> {
        let segment = name.as_path()?.last()?;
        let args = segment.args.as_ref()?;
        let [Constant::Binding(binding)] = self.constants_named(name, frame)[..] else {
            return None;
        };
        let written = binding.init.as_ref()?;
        if role_of(binding) != Role::Alias || binding.tparams.is_empty() {
            return None;
        }
        let is_array = matches!(written.kind, ExprKind::Array(..));
        if !is_array && !matches!(written.kind, ExprKind::Name(_)) {
            return None;
        }
        let values = self.class_arguments(args, frame);
        let mut scope = frame.clone();
        self.template_scope(&binding.tparams, &values, &mut scope);
        if is_array {
            return Some((written, scope));
        }
        self.nested(|it| it.array_behind(written, &mut scope))?
    }

    fn origin(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Option<Origin<'u>> {
        let ExprKind::Name(path) = &expr.kind else {
            return None;
        };
        self.nested(|it| it.origin_of_path(path, frame)).flatten()
    }

    fn origin_of_path(&mut self, path: &'u Path, frame: &mut Frame<'u>) -> Option<Origin<'u>> {
        if !matches!(path.qualifier, Qualifier::None) {
            return None;
        }
        let (last, scopes) = path.segments.split_last()?;
        if let Some(args) = &last.args {
            return match args.as_slice() {
                [only] if last.name.name == "remove_pointer_t" => self.origin(only, frame),
                _ => None,
            };
        }
        let Some((first, rest)) = scopes.split_first() else {
            return self.origin_of_plain(last, frame);
        };
        let Meaning::Value(mut scope) = self.meaning_of_plain(first, frame) else {
            return None;
        };
        for segment in rest {
            scope = self.static_member(&scope, segment, frame);
        }
        match scope {
            Value::Type(ty) => match *ty {
                Type::Record(record) => self.origin_of_member(record.instance, last),
                _ => None,
            },
            _ => None,
        }
    }

    fn origin_of_plain(
        &mut self,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Origin<'u>> {
        let name = segment.name.name.as_str();
        if let Some(variable) = frame.find(name) {
            let declared = variable.declared;
            let local = frame.locals.declaration(declared);
            let alias = local.filter(|local| role_of(local) == Role::Alias);
            let init = alias.and_then(|alias| alias.init.as_ref());
            if let Some(init) = init.filter(|init| means_earlier(init, declared, frame))
                && let Some(named) = self.origin(init, frame)
            {
                return Some(named);
            }
            return Some(Origin {
                declared,
                instance: frame.owner.record,
                alias: alias.map(|alias| (alias, Scope::Function)),
            });
        }
        for record in self.enclosing_records(frame) {
            if self.named_member(record, name, None, None).is_some() {
                return self.origin_of_member(record, segment);
            }
        }
        self.read_declarations_of(name, segment.args.as_ref().map(Vec::len));
        for &module in self.visible_modules(frame).iter() {
            let found = self.program.module(module)?;
            match found.constants.get(name) {
                Some(Constant::Binding(binding)) => {
                    let binding = *binding;
                    return self.origin_of_alias(binding, &mut Frame::new(module, frame.steps));
                }
                None if found.declared(name).is_none() && !found.used_names.contains_key(name) => {}
                _ => return None,
            }
        }
        None
    }

    fn origin_of_member(&mut self, instance: usize, segment: &'u Segment) -> Option<Origin<'u>> {
        let name = segment.name.name.as_str();
        match self.find_member(instance, name) {
            Some(MemberKind::Binding(binding)) => {
                let mut frame = self.record_frame(instance);
                return self.origin_of_alias(binding, &mut frame);
            }
            Some(_) => return None,
            None => {}
        }
        let found = self.nested(|it| {
            let bases = it.bases(instance);
            bases.iter().find_map(|base| match base {
                Type::Record(record)
                    if record.instance != instance
                        && it.named_member(record.instance, name, None, None).is_some() =>
                {
                    Some(it.origin_of_member(record.instance, segment))
                }
                Type::Record(_) => None,
                _ => Some(None),
            })
        });
        found.flatten().flatten()
    }

    /// An alias of a name has the origin of the name.
    fn origin_of_alias(
        &mut self,
        binding: &'u Binding,
        frame: &mut Frame<'u>,
    ) -> Option<Origin<'u>> {
        if role_of(binding) != Role::Alias || !binding.tparams.is_empty() {
            return None;
        }
        let named = binding
            .init
            .as_ref()
            .and_then(|init| self.origin(init, frame));
        let scope = match frame.owner.record {
            Some(instance) => Scope::Class(instance),
            None => Scope::Module(frame.owner.module),
        };
        let itself = binding.name.as_ref().map(|name| Origin {
            declared: name.span,
            instance: frame.owner.record,
            alias: Some((binding, scope)),
        });
        named.or(itself)
    }
}

/// Whether a name, also behind `remove_pointer_t`, means nothing that was declared behind `alias`, as one of an inner scope
/// would be.
fn means_earlier(named: &Expr, alias: Span, frame: &Frame<'_>) -> bool {
    let Some(path) = named.as_path() else {
        return false;
    };
    let inner = path.last().and_then(|last| last.args.as_deref());
    let is_earlier = |name: &str| {
        let found = frame.find(name);
        found.is_none_or(|found| found.declared.start < alias.start)
    };
    path.segments
        .first()
        .is_some_and(|first| is_earlier(&first.name.name))
        && inner
            .iter()
            .flat_map(|args| args.iter())
            .all(|arg| means_earlier(arg, alias, frame))
}
