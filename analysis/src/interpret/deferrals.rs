//! The evaluations that are deferred while a translation unit is evaluated. From those that led to what is shown follows
//! what has to be evaluated of the next version of a header.

use std::sync::Arc;

use tree_sitter_cute::tree::Function;

use super::Interpreter;
use super::heads::name_of;
use super::ids::FunctionId;
use crate::deferred::Deferred;
use crate::hash::HashMap;

/// The requests so far.
#[derive(Debug, Default)]
pub(super) struct Deferrals {
    /// The deferred evaluation that is in progress.
    now: Option<Arc<Deferred>>,
    /// The requests for reports on class instances.
    of_classes: HashMap<usize, Arc<Deferred>>,
}

impl Deferrals {
    fn request(&self, name: &str, instance: Arc<str>) -> Arc<Deferred> {
        Arc::new(Deferred {
            name: name.into(),
            instance,
            method: None,
            within: self.now.clone(),
        })
    }

    /// Begins one, or an evaluation that is not deferred; gives the one around it.
    pub(super) fn begin(&mut self, deferred: Option<Arc<Deferred>>) -> Option<Arc<Deferred>> {
        std::mem::replace(&mut self.now, deferred)
    }
}

impl Interpreter<'_> {
    /// Notes a request for the evaluation of an instance that is named.
    pub(super) fn defer_instance(
        &mut self,
        id: FunctionId,
        place: &Arc<str>,
    ) -> Option<Arc<Deferred>> {
        let function = self.program.functions.get(id)?.function;
        let deferrals = &self.computed.reports.deferrals;
        let deferred = deferrals.request(&function.name.name, Arc::clone(place));
        self.goal.note_deferred(&deferred);
        Some(deferred)
    }

    /// Notes a request for the report on a class instance.
    pub(super) fn defer_report(&mut self, instance: usize) {
        if !self.recorder.of_user || self.computed.classes.is_open(instance) {
            return;
        }
        let Some(found) = self.computed.classes.get(instance) else {
            return;
        };
        let Some(record) = self.record(found.declaration) else {
            return;
        };
        let deferrals = &self.computed.reports.deferrals;
        let deferred = deferrals.request(name_of(record), Arc::clone(&found.name));
        self.goal.note_deferred(&deferred);
        let deferrals = &mut self.computed.reports.deferrals;
        deferrals.of_classes.insert(instance, deferred);
    }

    /// Begins the report on a class instance, or on one of its methods; gives the deferred evaluation around it.
    pub(super) fn begin_report(
        &mut self,
        instance: usize,
        method: Option<&Function>,
    ) -> Option<Arc<Deferred>> {
        let deferrals = &mut self.computed.reports.deferrals;
        let requested = deferrals.of_classes.get(&instance).cloned();
        let deferred = match method {
            Some(method) => requested.map(|requested| {
                Arc::new(Deferred {
                    method: Some(method.name.name.as_str().into()),
                    ..(*requested).clone()
                })
            }),
            None => requested,
        };
        deferrals.begin(deferred)
    }

    /// Ends it.
    pub(super) fn end_report(&mut self, around: Option<Arc<Deferred>>) {
        self.computed.reports.deferrals.begin(around);
    }

    /// Notes with an instance that is recorded which deferred evaluation it belongs to.
    pub(super) fn note_deferred_part(
        &mut self,
        function: Option<&Arc<str>>,
        instance: Option<&Arc<str>>,
    ) {
        if let (Some(deferred), Some(function), Some(instance)) =
            (&self.computed.reports.deferrals.now, function, instance)
        {
            let makers = &mut self.recorder.output.makers;
            makers.note_deferred(function, instance, deferred);
        }
    }
}
