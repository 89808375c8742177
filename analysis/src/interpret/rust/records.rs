//! Structs: members in `impl`s, expressions with named fields.

use tree_sitter_cute::tree::{Expr, ExprKind, Item};

use crate::interpret::Interpreter;
use crate::interpret::frame::Frame;
use crate::reason::Reason;
use crate::types::RecordType;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// The members of a class instance: in its body, then in its `impl`s.
    pub(in crate::interpret) fn member_lists(&self, instance: usize) -> Vec<&'u [Item]> {
        let mut lists = vec![self.members(instance)];
        let declaration = self
            .computed
            .classes
            .get(instance)
            .map(|found| found.declaration);
        let declared = declaration.and_then(|id| self.program.records.get(id));
        if let Some(declared) = declared
            && let Some(name) = &declared.record.name
            && let Some(impls) = self
                .program
                .apart
                .impls
                .get(&(declared.module, name.name.as_str()))
        {
            lists.extend(impls.iter().map(|apart| apart.items.as_slice()));
        }
        lists
    }

    /// The arguments of `Foo { b: 1, a: 2 }` in the order of the fields.
    pub(in crate::interpret) fn fields_in_order(
        &mut self,
        record: &RecordType,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Vec<Value> {
        let mut given: Vec<(&str, Value)> = Vec::new();
        for arg in args {
            let value = self.eval(arg, frame);
            if let ExprKind::Designated(name, _) = &arg.kind {
                given.push((&name.name, value));
            }
        }
        let base = given.iter().find(|(name, _)| *name == "..");
        let base = base.map(|(_, value)| value.clone());
        let fields = self.data_members(record.instance);
        let names = fields.iter().filter_map(|field| field.name.as_ref());
        names
            .map(|field| {
                let found = given.iter().find(|(name, _)| *name == field.name);
                match (found, &base) {
                    (Some((_, value)), _) => value.clone(),
                    (None, Some(Value::Object(base))) => base
                        .fields
                        .iter()
                        .find(|(name, _)| *name == field.name)
                        .map_or(Value::Nothing, |(_, value)| value.clone()),
                    _ => Value::Unknown(Reason::Construct("a field without a value")),
                }
            })
            .collect()
    }
}
