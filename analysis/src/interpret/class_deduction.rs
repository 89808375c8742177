//! The arguments of a class template that a constructor deduces: `Params{tile, stride}`.

use tree_sitter_cute::tree::{Expr, Function, ItemKind, Record};

use super::Interpreter;
use super::deduction::bind_to;
use super::frame::Frame;
use super::ids::RecordId;
use super::records::MemberKind;
use crate::types::Type;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// The class that the name of a class template means before initialisers; `None` where not just one of its
    /// constructors says it. Guides are not read: a class that has no constructor is left alone.
    pub(super) fn class_of_initialisers(
        &mut self,
        ty: &'u Expr,
        values: &[Value],
        frame: &mut Frame<'u>,
    ) -> Option<Type> {
        let (candidates, outer) = self.template_in_sight(ty, frame)?;
        let record = self.record(self.primary(&candidates)?)?;
        let mut deduced: Vec<Vec<Value>> = Vec::new();
        for constructor in constructors(record) {
            // One that has template parameters may take anything.
            if !constructor.tparams.is_empty() {
                return None;
            }
            let params = (constructor.params.as_slice(), constructor.flags.variadic);
            let Some(bound) = bind_to(self, params, &record.tparams, &[], values) else {
                continue;
            };
            let is_given = |index: usize, value: &Value| {
                let default = record.tparams.get(index).map(|it| it.default.is_some());
                !matches!(value, Value::Nothing) || default == Some(true)
            };
            let mut arguments = bound.tparams;
            if !arguments
                .iter()
                .enumerate()
                .all(|(at, it)| is_given(at, it))
            {
                continue;
            }
            let given = arguments
                .iter()
                .rposition(|value| !matches!(value, Value::Nothing));
            arguments.truncate(given.map_or(0, |last| last + 1));
            if !deduced.contains(&arguments) {
                deduced.push(arguments);
            }
        }
        let [arguments] = deduced.as_slice() else {
            return None;
        };
        if arguments
            .iter()
            .any(|value| matches!(value, Value::Nothing))
        {
            return None;
        }
        let made = self.record_instance(&candidates, Some(arguments.clone()), outer, frame);
        made.ok().filter(|made| matches!(made, Type::Record(_)))
    }

    /// The class template of a name without arguments: of a class around the place, or of a module.
    pub(super) fn template_in_sight(
        &mut self,
        ty: &'u Expr,
        frame: &Frame<'u>,
    ) -> Option<(Vec<RecordId>, Option<usize>)> {
        let path = ty.as_path()?;
        if let [only] = path.segments.as_slice() {
            for outer in self.enclosing_records(frame) {
                if let Some(MemberKind::Record(record)) = self.find_member(outer, &only.name.name) {
                    return Some((self.nested_records(record, outer), Some(outer)));
                }
            }
        }
        let found = self.templates_named(path, frame.owner.module);
        (!found.is_empty()).then_some((found, None))
    }
}

/// The constructors that a class declares.
fn constructors(record: &Record) -> impl Iterator<Item = &Function> {
    let name = record.name.as_ref().map(|name| name.name.as_str());
    let members = record.members.as_deref().unwrap_or_default();
    members.iter().filter_map(move |item| match &item.kind {
        ItemKind::Function(function) if Some(function.name.name.as_str()) == name => {
            Some(&**function)
        }
        _ => None,
    })
}
