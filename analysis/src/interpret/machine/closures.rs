//! Lambdas: their captures, and their calls.

use std::rc::Rc;

use tree_sitter_cute::tree::{Lambda, Span};

use super::given::{Given, Outcome};
use super::store::{Closure, Content, Followed, Location, Stop};
use super::{Activation, Runner};
use crate::hash::HashMap;
use crate::interpret::frame::{Frame, Scope, Variable};
use crate::value::Value;
use crate::walk;

impl<'u> Runner<'_, 'u> {
    /// A lambda with its captures.
    pub(super) fn lambda(
        &mut self,
        lambda: &'u Lambda,
        act: &mut Activation<'u>,
        frame: &Frame<'u>,
    ) -> Followed<Content<'u>> {
        let mut inside = frame.clone();
        let (places, own) = self.captured(lambda, act, &mut inside)?;
        // `[*this]` has a separate object.
        let is_copied = lambda.captures.iter().any(|it| it.name.name == "*this");
        let this = match &act.this {
            Some(this) if is_copied => Some(self.store.copy(this)?),
            this => this.clone(),
        };
        Ok(Content::Closure(Rc::new(Closure {
            lambda,
            frame: inside,
            places,
            own,
            this,
        })))
    }

    /// Variables around a lambda that it keeps, and those of them that it owns.
    fn captured(
        &mut self,
        lambda: &'u Lambda,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<(HashMap<Span, Location>, Vec<Span>)> {
        let mut places = HashMap::default();
        let mut own = Vec::new();
        match lambda.default_capture {
            Some('&') => places.clone_from(&act.places),
            Some(_) => {
                for declared in used_in(lambda, frame) {
                    if let Some(place) = act.places.get(&declared) {
                        places.insert(declared, self.store.copy(place)?);
                        own.push(declared);
                    }
                }
            }
            None => {}
        }
        for capture in &lambda.captures {
            let name = &capture.name;
            if let Some(init) = &capture.init {
                let given = self.evaluated(init, act, frame)?;
                let place = match given.place.clone() {
                    Some(place) if capture.by_reference => place,
                    _ => {
                        own.push(name.span);
                        let content = given.copy(&mut self.store)?;
                        self.store.add(content)?
                    }
                };
                let value = self.store.at(&place).and_then(|content| self.seen(content));
                frame.declare(
                    &name.name,
                    Variable {
                        value: value.unwrap_or(Value::Nothing),
                        declared: name.span,
                        read: true,
                    },
                );
                places.insert(name.span, place);
                continue;
            }
            if matches!(name.name.as_str(), "this" | "*this") {
                continue;
            }
            let variable = frame.find(&name.name).ok_or(Stop)?;
            let declared = variable.declared;
            let place = act.places.get(&declared).ok_or(Stop)?;
            let place = if capture.by_reference {
                place.clone()
            } else {
                own.push(declared);
                self.store.copy(&self.store.target_of(place)?)?
            };
            places.insert(declared, place);
        }
        Ok((places, own))
    }

    /// Calls a lambda.
    pub(super) fn call_closure(
        &mut self,
        closure: &Closure<'u>,
        given: Vec<Given<'u>>,
    ) -> Followed<Outcome<'u>> {
        let mut frame = closure.frame.clone();
        let mut act = Activation {
            places: closure.places.clone(),
            this: closure.this.clone(),
            ..Activation::default()
        };
        let lambda = closure.lambda;
        if !lambda.tparams.is_empty() {
            return Err(Stop);
        }
        frame.scopes.push(Scope::default());
        self.bind_parameters(&lambda.params, given, &mut act, &mut frame)?;
        self.run_body_of(&lambda.body, lambda.ret.as_ref(), &mut act, &mut frame)
    }
}

/// The variables around a lambda that its body names.
fn used_in(lambda: &Lambda, frame: &Frame<'_>) -> Vec<Span> {
    let mut used = Vec::new();
    walk::expressions(&lambda.body, &mut |expr| {
        let first = expr.as_path().and_then(|path| path.segments.first());
        if let Some(variable) = first.and_then(|first| frame.find(&first.name.name))
            && !used.contains(&variable.declared)
        {
            used.push(variable.declared);
        }
    });
    used
}
