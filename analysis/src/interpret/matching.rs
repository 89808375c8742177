//! The match of the patterns of a specialisation with the arguments of a template.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Path, Qualifier, TemplateParam, TemplateParamKind,
};

use super::Interpreter;
use super::deduced_parts::parts_of_library_type;
use super::deduction::position;
use super::frame::{Frame, Scope};
use super::ids::{ModuleId, RecordId};
use crate::limits;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary::{self, same_types};
use crate::walk;

/// The outcome of the match of a pattern of a specialisation with an argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fit {
    Yes,
    No,
    /// Something unknown decides.
    Open(Reason),
}

impl Fit {
    fn of(decided: Option<bool>, open: impl FnOnce() -> Reason) -> Self {
        match decided {
            Some(true) => Self::Yes,
            Some(false) => Self::No,
            None => Self::Open(open()),
        }
    }
}

/// The parameters of a specialisation while its patterns meet the arguments.
struct Matching<'u> {
    tparams: &'u [TemplateParam],
    found: Vec<Option<Value>>,
    /// Patterns from which nothing is deduced, with their arguments: compared at the end.
    postponed: Vec<(&'u Expr, Value)>,
    module: ModuleId,
    scopes: Vec<Scope<'u>>,
}

impl<'u> Interpreter<'u> {
    /// Whether an explicit or partial specialisation takes these arguments, and which arguments
    /// its own parameters have then.
    pub(super) fn bindings_of(
        &mut self,
        id: RecordId,
        primary: RecordId,
        args: &[Value],
        stated: usize,
        scopes: &[Scope<'u>],
    ) -> (Fit, Vec<Value>) {
        let Some(declaration) = self.program.records.get(id).copied() else {
            return (Fit::No, Vec::new());
        };
        let Some(special) = declaration.record.special_args.as_deref() else {
            return (Fit::No, Vec::new());
        };
        let flat: Vec<Value> = args
            .iter()
            .flat_map(|arg| match arg {
                Value::Pack(items) => items.clone(),
                other => vec![other.clone()],
            })
            .collect();
        let mut matching = Matching {
            tparams: &declaration.record.tparams,
            found: vec![None; declaration.record.tparams.len()],
            postponed: Vec::new(),
            module: declaration.module,
            scopes: scopes.to_vec(),
        };
        // Arguments that neither the specialisation nor the use states are the same defaults; one that only the use
        // states has to be the default.
        let is_pack = |arg: &Value| matches!(arg, Value::Pack(_));
        let counts_match = !args.iter().any(is_pack) && !has_pack(special);
        let compared = match flat.get(..special.len()) {
            Some(first) if counts_match || (stated <= special.len() && !has_pack(special)) => first,
            _ => flat.as_slice(),
        };
        let mut fit = self.unify_all(special, compared, &mut matching);
        if compared.len() < stated && counts_match && !matches!(fit, Fit::No) {
            let defaults = self.completed(primary, compared, scopes);
            for (default, given) in defaults.iter().zip(args).skip(compared.len()) {
                match self::compared(default, given) {
                    Fit::No => fit = Fit::No,
                    Fit::Open(reason) if matches!(fit, Fit::Yes) => fit = Fit::Open(reason),
                    _ => {}
                }
            }
        }
        let fit = match fit {
            Fit::Yes => self.settle(&mut matching),
            other => other,
        };
        let fit = match fit {
            Fit::Yes => self.meets_constraints(declaration.record, &matching),
            other => other,
        };
        let bindings = matching
            .found
            .into_iter()
            .map(|value| value.unwrap_or(Value::Nothing))
            .collect();
        (fit, bindings)
    }

    /// Whether a specialisation of a variable template takes these arguments, and which arguments its own parameters have then.
    pub(super) fn fit_of_variable(
        &mut self,
        special: &'u Binding,
        module: ModuleId,
        args: &[Value],
    ) -> (Fit, Vec<Value>) {
        let mut matching = Matching {
            tparams: &special.tparams,
            found: vec![None; special.tparams.len()],
            postponed: Vec::new(),
            module,
            scopes: Vec::new(),
        };
        let patterns = special.special_args.as_deref().unwrap_or_default();
        let fit = match self.unify_all(patterns, args, &mut matching) {
            Fit::Yes => self.settle(&mut matching),
            other => other,
        };
        let found = matching.found.into_iter();
        let bound = found.map(|value| value.unwrap_or(Value::Nothing));
        (fit, bound.collect())
    }

    /// The values found for the parameters of a template, and a frame in which the parameters have them.
    fn frame_of(
        &mut self,
        matching: &Matching<'u>,
        tparams: &'u [TemplateParam],
    ) -> (Vec<Value>, Frame<'u>) {
        let found = matching.found.iter();
        let bound: Vec<Value> = found
            .map(|value| value.clone().unwrap_or(Value::Nothing))
            .collect();
        let mut frame = Frame::new(matching.module, limits::STEPS_PER_INSTANCE);
        frame.scopes.clone_from(&matching.scopes);
        self.template_scope(tparams, &bound, &mut frame);
        (bound, frame)
    }

    /// Whether the arguments found for the parameters of a specialisation meet the constraints in its head.
    fn meets_constraints(
        &mut self,
        record: &'u tree_sitter_cute::tree::Record,
        matching: &Matching<'u>,
    ) -> Fit {
        let (bound, mut frame) = self.frame_of(matching, &record.tparams);
        self.satisfies(
            &record.tparams,
            record.requires.as_ref(),
            &bound,
            &mut frame,
        )
    }

    fn unify_all(
        &mut self,
        patterns: &'u [Expr],
        args: &[Value],
        matching: &mut Matching<'u>,
    ) -> Fit {
        let mut open = None;
        for (index, pattern) in patterns.iter().enumerate() {
            if let ExprKind::Expand(inner) = &pattern.kind {
                let rest = args.get(index..).unwrap_or_default().to_vec();
                let place = inner
                    .as_plain_name()
                    .and_then(|name| position(matching.tparams, name));
                return match place.and_then(|place| matching.found.get_mut(place)) {
                    Some(slot) => {
                        *slot = Some(Value::Pack(rest));
                        open.unwrap_or(Fit::Yes)
                    }
                    None => Fit::Open(Reason::Construct("a pack in a specialisation")),
                };
            }
            let Some(arg) = args.get(index) else {
                return Fit::No;
            };
            match self.unify(pattern, arg, matching) {
                Fit::Yes => {}
                Fit::No => return Fit::No,
                Fit::Open(reason) => open = open.or(Some(Fit::Open(reason))),
            }
        }
        if args.len() > patterns.len() {
            return Fit::No;
        }
        open.unwrap_or(Fit::Yes)
    }

    /// Matches one pattern with one argument.
    fn unify(&mut self, pattern: &'u Expr, arg: &Value, matching: &mut Matching<'u>) -> Fit {
        if let Some(place) = pattern
            .as_plain_name()
            .and_then(|name| position(matching.tparams, name))
        {
            return bind_or_compare(place, arg, matching);
        }
        // `U<Args...>` with a template template parameter.
        if let ExprKind::Name(path) = &pattern.kind
            && let [segment] = path.segments.as_slice()
            && let Some(patterns) = segment.args.as_deref()
            && let Some(place) = position(matching.tparams, &segment.name.name)
        {
            return self.unify_open_template(place, patterns, arg, matching);
        }
        if !mentions(pattern, matching.tparams) {
            let mut frame = Frame::new(matching.module, limits::STEPS_PER_INSTANCE);
            frame.scopes.clone_from(&matching.scopes);
            let wanted = self.class_argument(pattern, &mut frame);
            return compared(&wanted, arg);
        }
        match (&pattern.kind, arg) {
            (_, Value::Unknown(reason)) => Fit::Open(reason.clone()),
            (ExprKind::Pointer(inner), Value::Type(ty)) => match &**ty {
                Type::Pointer(target) => self.unify(inner, &Value::Type(target.clone()), matching),
                Type::Unknown(reason) => Fit::Open(reason.clone()),
                Type::Parameter(name) => Fit::Open(Reason::Unbound(name.clone())),
                Type::Of(value) if matches!(**value, Value::Pointer(_)) => {
                    Fit::Open(Reason::Construct("a pointer of an engine"))
                }
                _ => Fit::No,
            },
            (ExprKind::Name(path), Value::Type(ty))
                if is_template_id(path, matching.tparams)
                    && (!is_spelled_as_alias(path)
                        || !self.templates_named(path, matching.module).is_empty()) =>
            {
                self.unify_template(path, ty, matching)
            }
            _ => {
                matching.postponed.push((pattern, arg.clone()));
                Fit::Yes
            }
        }
    }

    /// Matches `U<patterns>`, where `U` is a parameter, with a type.
    fn unify_open_template(
        &mut self,
        place: usize,
        patterns: &'u [Expr],
        arg: &Value,
        matching: &mut Matching<'u>,
    ) -> Fit {
        let ty = match arg {
            Value::Unknown(reason) => return Fit::Open(reason.clone()),
            Value::Type(ty) => &**ty,
            _ => return Fit::No,
        };
        match ty {
            Type::Record(record) => {
                let Some((template, args)) = self.open_template_of(record.instance) else {
                    return Fit::No;
                };
                match bind_or_compare(place, &Value::Type(Box::new(template)), matching) {
                    Fit::Yes => self.unify_all(patterns, &args, matching),
                    other => other,
                }
            }
            Type::Unknown(reason) => Fit::Open(reason.clone()),
            Type::Parameter(name) => Fit::Open(Reason::Unbound(name.clone())),
            Type::Scalar(_) | Type::Pointer(_) => Fit::No,
            // A tag that is a class without parameters.
            Type::Named(name) if self.class_of_tag(name).is_some() => Fit::No,
            _ => Fit::Open(Reason::Construct("a template as an argument")),
        }
    }

    /// The template of a class instance, without its arguments, and the arguments; `None` for any other class.
    pub(super) fn open_template_of(&self, instance: usize) -> Option<(Type, Vec<Value>)> {
        let primary = self.computed.classes.get(instance)?.primary;
        let (name, args) = self.template_of(instance)?;
        let template = Type::Template(self.first_of(primary), name.into());
        (!args.is_empty()).then_some((template, args))
    }

    /// Matches `Name<patterns>` with a type.
    fn unify_template(&mut self, path: &'u Path, ty: &Type, matching: &mut Matching<'u>) -> Fit {
        let Some(segment) = path.last() else {
            return Fit::No;
        };
        let patterns = segment.args.as_deref().unwrap_or_default();
        match ty {
            Type::Unknown(reason) => return Fit::Open(reason.clone()),
            Type::Parameter(name) => return Fit::Open(Reason::Unbound(name.clone())),
            _ => {}
        }
        let name = segment.name.name.as_str();
        let templates = self.templates_named(path, matching.module);
        match ty {
            Type::Record(record) => {
                let Some(found) = self.computed.classes.get(record.instance) else {
                    return Fit::No;
                };
                if !templates.contains(&found.primary) && !templates.contains(&found.declaration) {
                    let is_unseen =
                        templates.is_empty() && !vocabulary::knows(name, Some(patterns.len()));
                    return if is_unseen {
                        Fit::Open(Reason::Undeclared(name.into()))
                    } else {
                        Fit::No
                    };
                }
                let args = self
                    .template_of(record.instance)
                    .map_or_else(Vec::new, |(_, args)| args);
                // A parameter that the pattern leaves out has its default.
                let shown = if has_pack(patterns) {
                    args.as_slice()
                } else {
                    args.get(..patterns.len()).unwrap_or(&args)
                };
                self.unify_all(patterns, shown, matching)
            }
            _ if !templates.is_empty() => Fit::No,
            Type::Of(value) => match parts_of_library_type(name, patterns.len(), value) {
                Some(parts) => {
                    // `C<8>` has the number itself.
                    let is_number = matches!(**value, Value::Int(_) | Value::Swizzle(_));
                    let parts: Vec<Value> = parts
                        .iter()
                        .map(|part| {
                            if is_number {
                                part.clone()
                            } else {
                                as_argument(part)
                            }
                        })
                        .collect();
                    self.unify_all(patterns, &parts, matching)
                }
                None if vocabulary::knows(name, Some(patterns.len())) => Fit::No,
                None => Fit::Open(Reason::Undeclared(name.into())),
            },
            Type::Class(class) if *class.name == *name => {
                let args = class.args.clone();
                self.unify_all(patterns, &args, matching)
            }
            Type::Scalar(_) | Type::Pointer(_) | Type::Class(_) => Fit::No,
            // An instruction: `SM80_CP_ASYNC_CACHEALWAYS<T>`.
            Type::Named(known) if !known.contains('<') => Fit::No,
            Type::Named(known) => match known.split_once('<') {
                Some((head, _)) if head != name => Fit::No,
                _ => Fit::Open(Reason::Construct("an instruction in a specialisation")),
            },
            _ => Fit::Open(Reason::Undeclared(name.into())),
        }
    }

    /// Compares the patterns from which nothing was deduced, such as `enable_if_t<..>`, now that all
    /// parameters are.
    fn settle(&mut self, matching: &mut Matching<'u>) -> Fit {
        if matching.postponed.is_empty() {
            return Fit::Yes;
        }
        let (bound, mut frame) = self.frame_of(matching, matching.tparams);
        let mut open = None;
        let tparams = matching.tparams;
        let is_unbound = |pattern: &Expr| {
            let mut unbound = false;
            walk::subexpressions(pattern, &mut |part| {
                let first = part.as_path().and_then(|path| path.segments.first());
                unbound |= first
                    .and_then(|first| position(tparams, &first.name.name))
                    .is_some_and(|place| bound.get(place) == Some(&Value::Nothing));
            });
            unbound
        };
        for (pattern, arg) in std::mem::take(&mut matching.postponed) {
            if is_unbound(pattern) {
                open = open.or(Some(Fit::Open(Reason::Construct(
                    "a pattern that deduces nothing",
                ))));
                continue;
            }
            let wanted = self.class_argument(pattern, &mut frame);
            match compared(&wanted, &arg) {
                Fit::Yes => {}
                Fit::No => return Fit::No,
                Fit::Open(reason) => open = open.or(Some(Fit::Open(reason))),
            }
        }
        open.unwrap_or(Fit::Yes)
    }

    /// The class templates of a name, seen from a module.
    pub(super) fn templates_named(&mut self, path: &Path, module: ModuleId) -> Vec<RecordId> {
        let Some((last, scopes)) = path.segments.split_last() else {
            return Vec::new();
        };
        if matches!(path.qualifier, Qualifier::Type(_)) {
            return Vec::new();
        }
        let name = last.name.name.as_str();
        self.read_declarations_of(name, None);
        let scopes: Vec<&str> = scopes
            .iter()
            .map(|scope| scope.name.name.as_str())
            .collect();
        let in_module = |id: ModuleId| {
            let module = self.program.module(id)?;
            let mut found = module.records.get(name).cloned().unwrap_or_default();
            found.extend(module.declared_templates.get(name));
            (!found.is_empty()).then_some(found)
        };
        let modules = self.visible_modules(&Frame::new(module, 0));
        for &id in modules.iter() {
            let place = if scopes.is_empty() {
                Some(id)
            } else {
                self.module_of_path(id, &scopes)
            };
            if let Some(found) = place.and_then(in_module) {
                return found;
            }
        }
        Vec::new()
    }
}

fn bind_or_compare(place: usize, arg: &Value, matching: &mut Matching<'_>) -> Fit {
    let is_type = matching
        .tparams
        .get(place)
        .is_some_and(|tparam| matches!(tparam.kind, TemplateParamKind::Type));
    match (matching.found.get_mut(place), arg) {
        (None, _) => Fit::No,
        // A number is not a type.
        (Some(_), Value::Int(_) | Value::Bool(_)) if is_type => Fit::No,
        (Some(slot @ None), _) => {
            *slot = Some(arg.clone());
            Fit::Yes
        }
        (Some(Some(known)), _) => compared(known, arg),
    }
}

/// The outcome of the comparison of two template arguments.
pub(super) fn compared(wanted: &Value, given: &Value) -> Fit {
    match (wanted, given) {
        // A class that has no such member makes the pattern no type: nothing fits it.
        (Value::Unknown(Reason::NotEnabled | Reason::NoMember(..)), _) => Fit::No,
        (Value::Type(ty), _)
            if matches!(
                **ty,
                Type::Unknown(Reason::NotEnabled | Reason::NoMember(..))
            ) =>
        {
            Fit::No
        }
        (Value::Unknown(reason), _) | (_, Value::Unknown(reason)) => Fit::Open(reason.clone()),
        (Value::Type(a), Value::Type(b)) => {
            let open = || match (&**a, &**b) {
                (Type::Unknown(reason), _) | (_, Type::Unknown(reason)) => reason.clone(),
                (Type::Parameter(name), _) | (_, Type::Parameter(name)) => {
                    Reason::Unbound(name.clone())
                }
                _ => Reason::Construct("a comparison of these types"),
            };
            let same = same_types(a, b).or_else(|| match (&**a, &**b) {
                // Numbers known only at run time are `int`s as a rule.
                (Type::Of(a), Type::Of(b)) => {
                    (a == b && vocabulary::has_open_numbers(a)).then_some(true)
                }
                (Type::Named(a), Type::Named(b)) => (a == b).then_some(true).or_else(|| {
                    // Enumerators of the hardware's: `GMMA::Major::K`.
                    let scope = |name: &str| name.rsplit_once("::").map(|it| it.0.to_owned());
                    (scope(a).is_some() && scope(a) == scope(b)).then_some(false)
                }),
                (Type::Named(_), Type::Record(_)) | (Type::Record(_), Type::Named(_)) => {
                    Some(false)
                }
                _ => None,
            });
            Fit::of(same, open)
        }
        (Value::Int(_) | Value::Bool(_), Value::Int(_) | Value::Bool(_)) => {
            let number = |value: &Value| match value {
                Value::Int(int) => int.value(),
                Value::Bool(truth) => Some(i64::from(truth.value)),
                _ => None,
            };
            let same = number(wanted).zip(number(given)).map(|(a, b)| a == b);
            Fit::of(same, || {
                Reason::Construct("a specialisation chosen by a run-time number")
            })
        }
        (Value::Type(_), _) | (_, Value::Type(_)) => Fit::No,
        _ if wanted == given => Fit::Yes,
        _ => Fit::Open(Reason::Construct("a comparison of these arguments")),
    }
}

fn has_pack(patterns: &[Expr]) -> bool {
    patterns
        .iter()
        .any(|pattern| matches!(pattern.kind, ExprKind::Expand(_)))
}

/// A part of a type as a template argument.
fn as_argument(part: &Value) -> Value {
    match part {
        Value::Type(_) | Value::Nothing => part.clone(),
        other => Value::Type(Box::new(Type::of(other))),
    }
}

fn mentions(expr: &Expr, tparams: &[TemplateParam]) -> bool {
    let mut found = false;
    walk::subexpressions(expr, &mut |part| {
        if let Some(first) = part.as_path().and_then(|path| path.segments.first()) {
            found |= position(tparams, &first.name.name).is_some();
        }
    });
    found
}

/// `Name<patterns>`, whose arguments can be deduced: nothing before it depends on a parameter.
fn is_template_id(path: &Path, tparams: &[TemplateParam]) -> bool {
    let Some((last, scopes)) = path.segments.split_last() else {
        return false;
    };
    last.args.is_some()
        && matches!(path.qualifier, Qualifier::None | Qualifier::Global)
        && scopes
            .iter()
            .all(|scope| scope.args.is_none() && position(tparams, &scope.name.name).is_none())
}

/// `enable_if_t<..>`, `is_same_v<..>`: nothing is deduced from the result of a trait, unless a class template has such
/// a name, as `mx_float8_t` does.
fn is_spelled_as_alias(path: &Path) -> bool {
    path.last().is_some_and(|last| {
        let name = last.name.name.as_str();
        name.ends_with("_t") || name.ends_with("_v")
    })
}
