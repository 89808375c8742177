//! Explicit instantiations and specialisations: `template void run<128>(Params);`,
//! `template <> void run<128>(Params) { .. }`.

use std::sync::Arc;

use tree_sitter_cute::tree::{Instantiation, Span};

use super::Interpreter;
use super::deduction::{Bound, as_template_argument};
use super::frame::Frame;
use super::instances::Caller;
use super::names::Meaning;
use super::program::{FunctionId, ModuleId};
use crate::limits;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// Evaluates explicit instantiations.
    pub(super) fn run_instantiations(
        &mut self,
        instantiations: &[(ModuleId, &'u Instantiation, Span)],
    ) {
        for &(module, instantiation, span) in instantiations {
            let mut frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
            let target = &instantiation.target;
            let meaning = target.as_path().map(|path| self.meaning(path, &mut frame));
            let Some(Meaning::Functions(ids)) = meaning else {
                // A class: its instance is made here and reported with the others.
                let class = self.eval_type(target, &mut frame);
                self.use_type(&class);
                continue;
            };
            let segment = target.as_path().and_then(|path| path.last());
            let explicit = self.template_arguments(segment, &mut frame);
            let place = self.instantiation_name(self.program.slice(target.span), span);
            for id in ids {
                if let Some(bound) = self.instantiated(id, &explicit, instantiation) {
                    self.record_instance_of(
                        id,
                        &bound,
                        Some(Arc::clone(&place)),
                        Caller::default(),
                    );
                }
            }
        }
    }

    /// The template arguments with which an explicit instantiation names a function template;
    /// `None` when it cannot mean this one.
    fn instantiated(
        &self,
        id: FunctionId,
        explicit: &[Value],
        instantiation: &Instantiation,
    ) -> Option<Bound> {
        let function = self.program.functions.get(id)?.function;
        let arity = instantiation.params.as_ref().map(Vec::len);
        if function.body.is_none()
            || function.tparams.is_empty()
            || explicit.len() > function.tparams.len()
            || arity.is_some_and(|arity| arity != function.params.len())
        {
            return None;
        }
        let given = |index: usize| explicit.get(index);
        let tparams = function
            .tparams
            .iter()
            .enumerate()
            .map(|(index, tparam)| match given(index) {
                Some(_) if tparam.pack => {
                    Value::Pack(explicit.get(index..).unwrap_or_default().to_vec())
                }
                Some(value) => as_template_argument(value, tparam),
                None => Value::Nothing,
            })
            .collect();
        Some(Bound {
            tparams,
            params: vec![None; function.params.len()],
        })
    }
}
