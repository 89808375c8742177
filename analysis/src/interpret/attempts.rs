//! Attempts to evaluate a template with supposed arguments.

use std::sync::Arc;

use tree_sitter_cute::cuda;
use tree_sitter_cute::tree::{Instantiation, Segment, Span};

use super::Interpreter;
use super::frame::{Frame, Variable};
use super::ids::RecordId;
use super::recorder::Refuted;
use super::site::Caller;
use super::supposed::{Search, Template, Written};
use crate::directive::moved;
use crate::fact::Fact;
use crate::finding::Severity;
use crate::hash::{HashMap, HashSet};
use crate::instance_names::SUPPOSED;
use crate::limits;
use crate::output::Output;
use crate::types::Type;
use crate::value::Value;

/// The outcome of one attempt.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) output: Output,
    pub(super) refuted: Refuted,
    /// The templates of which it has instances.
    pub(super) made: HashSet<Template>,
}

impl Attempt {
    /// Whether a compiler could make the instance, judged by visible code.
    pub(super) fn holds(&self) -> bool {
        let mut findings = self.output.findings.iter();
        self.refuted.conditions.is_empty()
            && !findings.any(|finding| finding.severity == Severity::Error)
    }
}

impl<'u> Interpreter<'u> {
    /// Evaluates a template with arguments, apart from all that is known; `None` where enough was done for it.
    pub(super) fn attempt(&mut self, search: &mut Search<'u>, picked: &[usize]) -> Option<Attempt> {
        if search.steps == 0 || self.budget.is_stopped() {
            return None;
        }
        let texts = search.choices.iter().zip(picked).map(|(choice, at)| {
            let text = choice.texts.get(*at).map(String::as_str);
            text.unwrap_or(choice.name)
        });
        let texts: Vec<&str> = texts.collect();
        let text = format!("{}<{}>", search.written.name, texts.join(", "));
        let target = cuda::parse_expression(&text).ok()?;
        // Behind all that the file declares.
        let place = self.program.file_of(search.written.place)?.span().end;
        let environment = self.program.environment?;
        let target = environment.arena.instantiation(Instantiation {
            is_extern: false,
            target: moved(target, place)?,
            params: None,
        });
        let segment = target.target.as_path().and_then(|path| path.last());
        let steps = search.steps.min(limits::STEPS_PER_SUPPOSED);
        let (attempt, taken) = self.apart(steps, |interpreter| {
            interpreter.evaluate_supposed(search, segment, &text)
        });
        search.steps -= taken.min(search.steps);
        Some(attempt)
    }

    /// Evaluates something and returns its results, without any trace of it in the facts.
    pub(super) fn apart(
        &mut self,
        steps: usize,
        evaluate: impl FnOnce(&mut Self) -> HashSet<Template>,
    ) -> (Attempt, usize) {
        let used = self.computed.classes.count_used();
        let reports = std::mem::take(&mut self.computed.reports);
        let records = self.recorder.begin_attempt();
        let looks_for = std::mem::take(&mut self.settings.looks_for);
        let left = std::mem::replace(&mut self.budget.steps, steps);
        let constants = self.budget.constant_steps;

        let mut made = evaluate(self);
        let functions = self.computed.reports.counted();
        made.extend(functions.map(Template::Function));
        let (output, refuted) = self.recorder.end_attempt(records);
        if self.budget.is_spent() {
            // With more steps they are known.
            self.computed.forget_cut_short();
            self.constants.clear();
        }
        self.budget.constant_steps = constants;
        let rest = std::mem::replace(&mut self.budget.steps, left);
        let taken = steps.saturating_sub(refuted.steps.unwrap_or(rest));
        self.budget.steps_apart += taken;
        self.settings.looks_for = looks_for;
        self.computed.reports = reports;
        self.computed.classes.take_back_used(used);
        let attempt = Attempt {
            output,
            refuted,
            made,
        };
        (attempt, taken)
    }

    /// Evaluates a template with arguments, and its instances.
    pub(super) fn evaluate_supposed(
        &mut self,
        search: &Search<'u>,
        segment: Option<&'u Segment>,
        text: &str,
    ) -> HashSet<Template> {
        let Search {
            template,
            written,
            choices,
            ..
        } = search;
        let mut frame = Frame::new(written.module, limits::STEPS_PER_INSTANCE);
        for choice in choices.iter().filter(|choice| choice.texts.is_empty()) {
            let Some(name) = &choice.tparam.name else {
                continue;
            };
            let value = self.unbound(choice.tparam, name, &mut frame);
            let variable = Variable {
                value,
                declared: name.span,
                read: true,
            };
            frame.declare(&name.name, variable);
        }
        let reported = self.used_so_far();
        let arguments = self.template_arguments(segment, &mut frame);
        match *template {
            Template::Function(id) => {
                if let Some(bound) = self.instantiated(id, &arguments, None) {
                    let place: Arc<str> = text.into();
                    self.record_instance_of(id, &bound, Some(place), Caller::default());
                    self.run_named();
                }
            }
            Template::Class(id) => {
                if let Some(instance) = self.supposed_class(id, written, arguments, &mut frame) {
                    if !written.is_partial
                        && let Some(found) = self.computed.classes.get_mut(instance)
                    {
                        found.name = text.into();
                    }
                    self.use_record(instance);
                }
            }
        }
        let closed = self.report_used_since(reported);
        for name in self
            .recorder
            .output
            .facts
            .iter_mut()
            .filter_map(|fact| fact.instance.as_mut())
        {
            let plain = name.strip_prefix(SUPPOSED).unwrap_or(name);
            *name = format!("{SUPPOSED}: {plain}").into();
        }
        closed.into_iter().map(Template::Class).collect()
    }

    pub(super) fn supposed_class(
        &mut self,
        id: RecordId,
        written: &Written<'u>,
        arguments: Vec<Value>,
        frame: &mut Frame<'u>,
    ) -> Option<usize> {
        let declared = self
            .program
            .module(written.module)?
            .records
            .get(written.name);
        let declared = declared.cloned().unwrap_or_default();
        if written.is_partial || !declared.contains(&id) {
            return self
                .instantiate(id, &arguments, Self::no_scopes(), None)
                .ok();
        }
        match self.record_instance(&declared, Some(arguments), None, frame) {
            Ok(Type::Record(class)) => Some(class.instance),
            _ => None,
        }
    }

    /// Keeps the facts about names of which nothing is known for sure.
    pub(super) fn keep_supposed(&mut self, facts: Vec<Fact>) {
        let certain = self.called_places();
        let mut sure: HashSet<Span> = HashSet::default();
        let mut counts: HashMap<Span, usize> = HashMap::default();
        for fact in &self.recorder.output.facts {
            if fact.is_supposed() {
                *counts.entry(fact.name_span).or_default() += 1;
            } else if fact.value.is_known() || certain.iter().any(|it| it.encloses(fact.name_span))
            {
                sure.insert(fact.name_span);
            }
        }
        for fact in facts {
            let count = counts.entry(fact.name_span).or_default();
            let is_new = *count < limits::SUPPOSED_VALUES && !sure.contains(&fact.name_span);
            if fact.is_supposed() && is_new && fact.reason().is_none() {
                *count += 1;
                self.recorder.output.facts.push(fact);
            }
        }
    }

    /// Places of the function templates that are called where no template parameter is open.
    pub(super) fn called_places(&self) -> Vec<Span> {
        let called = self.program.functions.iter().filter(|found| {
            self.computed.reports.calls_made.is_for_sure(found.function)
                && self.recorder.is_in_focus(found.function.name.span)
        });
        let place = |found: &super::program::FunctionDecl<'u>| {
            let body = found.function.body.as_deref().unwrap_or_default();
            let start = found.function.name.span.start;
            let end = body.last().map_or(start, |item| item.span.end);
            Span::new(start, end)
        };
        called.map(place).collect()
    }
}
