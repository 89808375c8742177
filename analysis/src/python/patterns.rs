//! `match`: the patterns of its cases.

use std::sync::Arc;

use tree_sitter_cute::script::{Case, CompareOp, Expr, ExprKind, Name, Pattern};

use super::heap::Object;
use super::machine::{Machine, Run};
use super::run::Flow;
use super::suspended::Place;
use super::value::{Builtin, Condition, Py};
use crate::reason::Reason;

impl Machine<'_> {
    /// `match subject: cases`
    pub(super) fn select(&mut self, subject: &Expr, cases: &[Case]) -> Run<Flow> {
        if let Some(Place::Case(at)) = self.resumed() {
            let Some(case) = cases.get(at) else {
                return Ok(Flow::Next);
            };
            let flow = self.block(&case.body)?;
            return Ok(self.pausing_at(flow, || Place::Case(at)));
        }
        let subject = self.eval(subject)?;
        for (at, case) in cases.iter().enumerate() {
            let mut matches = self.matches(&case.pattern, &subject)?;
            if let (Condition::Known(true), Some(guard)) = (&matches, &case.guard) {
                let guard = self.eval(guard)?;
                matches = self.condition(&guard)?;
            }
            match matches {
                Condition::Known(true) => {
                    let flow = self.block(&case.body)?;
                    return Ok(self.pausing_at(flow, || Place::Case(at)));
                }
                Condition::Known(false) => {}
                unknown => {
                    let flow = self.either_block(&unknown, &case.body, &[])?;
                    if flow != Flow::Next {
                        return Ok(flow);
                    }
                }
            }
        }
        Ok(Flow::Next)
    }

    /// Whether a pattern takes a value; its names are bound where it does.
    fn matches(&mut self, pattern: &Pattern, value: &Py) -> Run<Condition> {
        self.step(1)?;
        self.deeper(|machine| machine.matches_deeper(pattern, value))
    }

    fn matches_deeper(&mut self, pattern: &Pattern, value: &Py) -> Run<Condition> {
        Ok(match pattern {
            Pattern::Any => Condition::Known(true),
            Pattern::Capture(name) => {
                self.capture(name, value.clone());
                Condition::Known(true)
            }
            Pattern::Value(expr) => {
                let wanted = self.eval(expr)?;
                let is_name = matches!(expr.kind, ExprKind::None | ExprKind::Bool(_));
                let op = if is_name {
                    CompareOp::Is
                } else {
                    CompareOp::Eq
                };
                let equal = self.compare(op, value, &wanted)?;
                self.condition(&equal)?
            }
            Pattern::Or(all) => {
                let mut result = Condition::Known(false);
                for pattern in all {
                    match self.matches(pattern, value)? {
                        Condition::Known(false) => {}
                        Condition::Known(true) => return Ok(Condition::Known(true)),
                        unknown => result = unknown,
                    }
                }
                result
            }
            Pattern::As(inner, name) => {
                let matches = self.matches(inner, value)?;
                if matches != Condition::Known(false) {
                    self.capture(name, value.clone());
                }
                matches
            }
            Pattern::Sequence(parts) => self.matches_sequence(parts, value)?,
            Pattern::Mapping(entries, rest) => {
                self.matches_mapping(entries, rest.as_ref(), value)?
            }
            Pattern::Class(class, plain, named) => {
                self.matches_class(class, plain, named, value)?
            }
            Pattern::Star(_) | Pattern::Unread => {
                Condition::Unknown(Reason::Construct("a pattern of `match`"))
            }
        })
    }

    fn capture(&mut self, name: &Name, value: Py) {
        self.recorded(name.span, &name.text, &value);
        self.bind(&name.text, value);
    }

    fn matches_sequence(&mut self, parts: &[Pattern], value: &Py) -> Run<Condition> {
        let items = match value {
            Py::Unknown(reason) => return Ok(Condition::Unknown(reason.clone())),
            Py::Tuple(items) => items.to_vec(),
            Py::Object(id) => match (self.heap.get(*id), self.content_of(value)) {
                (Object::List(items), _) => items.clone(),
                (Object::Lost(reason), _) => return Ok(Condition::Unknown(reason.clone())),
                (_, Some(Py::Tuple(items))) => items.to_vec(),
                _ => return Ok(Condition::Known(false)),
            },
            _ => return Ok(Condition::Known(false)),
        };
        let star = parts
            .iter()
            .position(|part| matches!(part, Pattern::Star(_)));
        let fits = match star {
            Some(_) => items.len() + 1 >= parts.len(),
            None => items.len() == parts.len(),
        };
        if !fits {
            return Ok(Condition::Known(false));
        }
        let more = (items.len() + 1).saturating_sub(parts.len());
        let mut items = items.into_iter();
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Pattern::Star(name) => {
                    let rest: Vec<Py> = items.by_ref().take(more).collect();
                    let rest = self.list(rest);
                    if let Some(name) = name {
                        self.capture(name, rest);
                    }
                }
                part => {
                    let item = items.next().unwrap_or(Py::None);
                    all.push((part, item));
                }
            }
        }
        self.matches_all(&all)
    }

    fn matches_all(&mut self, all: &[(&Pattern, Py)]) -> Run<Condition> {
        let mut result = Condition::Known(true);
        for (pattern, value) in all {
            match self.matches(pattern, value)? {
                Condition::Known(true) => {}
                Condition::Known(false) => return Ok(Condition::Known(false)),
                unknown => result = unknown,
            }
        }
        Ok(result)
    }

    fn matches_mapping(
        &mut self,
        entries: &[(Expr, Pattern)],
        rest: Option<&Name>,
        value: &Py,
    ) -> Run<Condition> {
        let content = self.content_of(value).unwrap_or_else(|| value.clone());
        let mut left = match &content {
            Py::Unknown(reason) => return Ok(Condition::Unknown(reason.clone())),
            Py::Object(id) => match self.heap.get(*id) {
                Object::Dict(known) => known.clone(),
                Object::Lost(reason) => return Ok(Condition::Unknown(reason.clone())),
                _ => return Ok(Condition::Known(false)),
            },
            _ => return Ok(Condition::Known(false)),
        };
        let mut all = Vec::with_capacity(entries.len());
        for (key, pattern) in entries {
            let key = self.eval(key)?;
            let Some(at) = self.place_of_key(&left, &key)? else {
                return Ok(Condition::Known(false));
            };
            let (_, item) = left.remove(at);
            all.push((pattern, item));
        }
        if let Some(rest) = rest {
            let others = Py::Object(self.heap.add(Object::Dict(left)));
            self.capture(rest, others);
        }
        self.matches_all(&all)
    }

    fn matches_class(
        &mut self,
        class: &Expr,
        plain: &[Pattern],
        named: &[(Name, Pattern)],
        value: &Py,
    ) -> Run<Condition> {
        let class = self.eval(class)?;
        let unknown = || Condition::Unknown(Reason::Construct("a pattern of `match`"));
        match self.is_instance(value, &class) {
            Some(true) => {}
            Some(false) => return Ok(Condition::Known(false)),
            None => return Ok(unknown()),
        }
        let mut all = Vec::with_capacity(plain.len() + named.len());
        if let (Py::Builtin(_), [only]) = (&class, plain) {
            // `int(n)`: the value itself.
            all.push((only, value.clone()));
        } else {
            let names = self.match_names(&class)?;
            for (at, pattern) in plain.iter().enumerate() {
                let Some(name) = names.get(at) else {
                    return Ok(unknown());
                };
                all.push((pattern, self.attribute(value, name)?));
            }
        }
        for (name, pattern) in named {
            match self.find_attribute(value, &name.text)? {
                Some(found) => all.push((pattern, found)),
                None => return Ok(Condition::Known(false)),
            }
        }
        self.matches_all(&all)
    }

    /// The attributes that the patterns of a class take by position.
    fn match_names(&mut self, class: &Py) -> Run<Vec<Arc<str>>> {
        if let Py::Builtin(Builtin::Object) = class {
            return Ok(Vec::new());
        }
        if let Some(names) = self.find_attribute(class, "__match_args__")? {
            let names = self.iterate(&names)?.unwrap_or_default();
            return Ok(names
                .into_iter()
                .filter_map(|name| match name {
                    Py::Str(name) => Some(name),
                    _ => None,
                })
                .collect());
        }
        let Py::Object(id) = class else {
            return Ok(Vec::new());
        };
        Ok(match self.heap.get(*id) {
            Object::Class(class) => {
                let fields = class.fields.iter();
                fields.map(|field| Arc::clone(&field.name)).collect()
            }
            _ => Vec::new(),
        })
    }
}
