//! Instances of templates that no visible code makes: one of each is *supposed*, of the template's defaults, of the
//! names of its parameters, and of the values that it compares them with. It satisfies every assertion that it reaches,
//! or no instance is supposed.
//!
//! Its facts have an instance whose name begins with [`SUPPOSED`]; nothing else of it is kept, and no finding.

mod candidates;
mod classes;

use std::collections::BTreeSet;

use tree_sitter_cute::tree::{Enum, Expr, Item, Span, TemplateParam, TemplateParamKind};

use super::Interpreter;
use super::attempts::Attempt;
use super::classes::ClassInstance;
use super::frame::Frame;
use super::ids::{FunctionId, ModuleId, RecordId};
use super::program::Constant;
use crate::coverage::is_type_of_layouts;
use crate::fact::Fact;
use crate::hash::HashSet;
use crate::limits;
use crate::role::Role;
use crate::types::{Scalar, ScalarClass, Type};
use crate::{vocabulary, walk};
use candidates::{Witnesses, architecture_in, types_named};

/// Depth of supposed arguments of arguments: traits of a kernel have elements and tiles.
const DEPTH: usize = 3;

/// A template that nothing instantiates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Template {
    Function(FunctionId),
    Class(RecordId),
}

/// A template as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written<'u> {
    pub(super) name: &'u str,
    pub(super) place: Span,
    pub(super) module: ModuleId,
    pub(super) tparams: &'u [TemplateParam],
    pub(super) items: &'u [Item],
    /// Whether it is a partial specialisation: arguments are those of its parameters.
    pub(super) is_partial: bool,
}

/// The scope in which arguments are searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'r> {
    /// The classes of the group of declarations that is evaluated.
    pub(super) own: &'r [RecordId],
    /// The depth of supposed arguments of arguments.
    pub(super) depth: usize,
}

/// Candidate arguments of a parameter.
#[derive(Debug)]
pub(super) struct Choice<'u> {
    pub(super) tparam: &'u TemplateParam,
    pub(super) name: &'u str,
    /// The arguments to try, the likeliest first; none where nothing is supposed.
    pub(super) texts: Vec<String>,
}

/// The search for arguments of one template.
#[derive(Debug)]
pub(super) struct Search<'u> {
    pub(super) template: Template,
    pub(super) written: Written<'u>,
    pub(super) choices: Vec<Choice<'u>>,
    witnesses: Witnesses<'u>,
    /// The steps that it may still take.
    pub(super) steps: usize,
}

impl Search<'_> {
    /// Combinations of candidates of some parameters, with the likeliest of all others: the likelier first.
    fn combinations(&self, of: &BTreeSet<usize>) -> Vec<Vec<usize>> {
        let mut all = vec![vec![0; self.choices.len()]];
        for at in of {
            let count = self.choices.get(*at).map_or(0, |choice| choice.texts.len());
            let before = std::mem::take(&mut all);
            for picked in before {
                for next in 0..count {
                    let mut picked = picked.clone();
                    if let Some(slot) = picked.get_mut(*at) {
                        *slot = next;
                    }
                    all.push(picked);
                }
            }
            if all.len() > limits::SUPPOSED_COMBINATIONS {
                break;
            }
        }
        all.sort_by_key(|picked| picked.iter().sum::<usize>());
        all
    }
}

impl<'u> Interpreter<'u> {
    /// Notes that an assertion does not hold, where arguments are tried.
    pub(super) fn note_refuted(&mut self, condition: &Expr) {
        if let Some(refuted) = &mut self.recorder.refuted
            && !self.computed.reports.calls_made.is_waiting()
        {
            refuted.conditions.push(condition.span);
            refuted.steps.get_or_insert(self.budget.steps);
            // Nothing else matters of these arguments.
            self.budget.steps = 0;
        }
    }

    /// Supposes an instance of each template that nothing instantiates: of the functions that were evaluated with open
    /// parameters, and of the classes that no other translation unit instantiates. `records` are all classes of the group.
    pub(super) fn suppose(
        &mut self,
        alone: &[FunctionId],
        classes: &[RecordId],
        records: &[RecordId],
    ) {
        if !self.settings.is_cpp() || !self.recorder.keeps_uses || self.budget.steps == 0 {
            return;
        }
        let functions = alone.iter().map(|id| Template::Function(*id));
        let classes = classes.iter().filter(|id| self.is_open_class(**id));
        let templates: Vec<Template> = functions
            .chain(classes.map(|id| Template::Class(*id)))
            .collect();
        let mut made: HashSet<Template> = HashSet::default();
        let mut steps = limits::STEPS_TO_SUPPOSE_TOGETHER;
        for template in templates {
            if made.contains(&template) || !self.is_worth_supposing(template) {
                continue;
            }
            if steps == 0 || self.budget.is_stopped() {
                break;
            }
            made.extend(self.suppose_one(template, records, &mut steps));
        }
        if self.budget.is_stopped() {
            self.budget.steps = 0;
        }
    }

    /// Whether nothing instantiates a class template of the file.
    fn is_open_class(&self, id: RecordId) -> bool {
        let is_template = self
            .record(id)
            .is_some_and(|record| record.members.is_some() && !record.tparams.is_empty());
        let is_closed = |found: &ClassInstance<'u>| {
            (found.primary == id || found.declaration == id) && found.is_used() && !found.open
        };
        is_template && self.is_record_in_focus(id) && !self.computed.classes.iter().any(is_closed)
    }

    fn written_template(&self, template: Template) -> Option<Written<'u>> {
        match template {
            Template::Function(id) => {
                let found = self.program.functions.get(id)?;
                let function = found.function;
                let is_special = function.flags.specialised || function.special_args.is_some();
                (!is_special).then(|| Written {
                    name: &function.name.name,
                    place: function.name.span,
                    module: found.module,
                    tparams: &function.tparams,
                    items: function.body.as_deref().unwrap_or_default(),
                    is_partial: false,
                })
            }
            Template::Class(id) => {
                let found = self.program.records.get(id)?;
                let name = found.record.name.as_ref()?;
                Some(Written {
                    name: &name.name,
                    place: name.span,
                    module: found.module,
                    tparams: &found.record.tparams,
                    items: found.record.members.as_deref().unwrap_or_default(),
                    is_partial: found.record.special_args.is_some(),
                })
            }
        }
    }

    /// Whether CuTe is used in a template, and something of it is not known.
    fn is_worth_supposing(&self, template: Template) -> bool {
        let Some(written) = self.written_template(template) else {
            return false;
        };
        let last = written.items.last();
        let last = last.map_or(written.place.end, |item| item.span.end);
        let inside = Span::new(written.place.start, last);
        let is_open = |fact: &Fact| {
            inside.encloses(fact.name_span)
                && matches!(fact.role, Role::Var | Role::Alias)
                && !fact.value.is_known()
        };
        names_cute(written.items) && self.recorder.output.facts.iter().any(is_open)
    }

    /// Tries arguments until they hold; gives the templates of which there are instances now.
    fn suppose_one(
        &mut self,
        template: Template,
        records: &[RecordId],
        steps: &mut usize,
    ) -> HashSet<Template> {
        let Some(written) = self.written_template(template) else {
            return HashSet::default();
        };
        let witnesses = Witnesses::of(written.tparams, written.items);
        let around = Around {
            own: records,
            depth: DEPTH,
        };
        let choices = self.choices(&written, &witnesses, around);
        // There is something to suppose.
        if choices.iter().all(|choice| choice.texts.is_empty()) {
            return HashSet::default();
        }
        let mut search = Search {
            template,
            written,
            choices,
            witnesses,
            steps: limits::STEPS_TO_SUPPOSE.min(*steps),
        };
        let before = search.steps;
        let best = self.search(&mut search);
        *steps -= before - search.steps;
        let Some(best) = best else {
            return HashSet::default();
        };
        // The names of its callees contain lines.
        self.recorder.output.names_lines |= best.output.names_lines;
        self.keep_supposed(best.output.facts);
        best.made
    }

    /// The first attempt that holds: the likeliest arguments, then others of the parameters that the assertions name which
    /// did not hold.
    fn search(&mut self, search: &mut Search<'u>) -> Option<Attempt> {
        let mut picked: Vec<usize> = vec![0; search.choices.len()];
        let mut tried: HashSet<Vec<usize>> = HashSet::default();
        let mut blamed: BTreeSet<usize> = BTreeSet::new();
        loop {
            tried.insert(picked.clone());
            let attempt = self.attempt(search, &picked)?;
            if attempt.holds() {
                return Some(attempt);
            }
            blamed.extend(self.blamed(search, &attempt));
            picked = search
                .combinations(&blamed)
                .into_iter()
                .find(|next| !tried.contains(next))?;
            if tried.len() >= limits::SUPPOSED_ATTEMPTS {
                return None;
            }
        }
    }

    /// The parameters that may mend an assertion: those that it names, else all that have several arguments.
    fn blamed(&self, search: &Search<'u>, attempt: &Attempt) -> Vec<usize> {
        let texts: Vec<&str> = attempt
            .refuted
            .conditions
            .iter()
            .map(|span| self.program.slice(*span))
            .collect();
        let is_named = |choice: &Choice<'u>| {
            let mut names = search.witnesses.names_of(choice.name);
            names.any(|name| texts.iter().any(|text| text.contains(name)))
        };
        let choices = search.choices.iter().enumerate();
        let several = choices.filter(|(_, choice)| choice.texts.len() > 1);
        let (named, others): (Vec<_>, Vec<_>) = several.partition(|(_, choice)| is_named(choice));
        let meant = if named.is_empty() { others } else { named };
        meant.into_iter().map(|(at, _)| at).collect()
    }

    /// Candidate arguments of each parameter that has no default.
    fn choices(
        &mut self,
        written: &Written<'u>,
        witnesses: &Witnesses<'u>,
        around: Around<'_>,
    ) -> Vec<Choice<'u>> {
        let mut choices = Vec::new();
        for tparam in written.tparams {
            let is_given = tparam.default.is_none() && !tparam.pack;
            let (true, Some(name)) = (is_given, &tparam.name) else {
                break;
            };
            let name = name.name.as_str();
            let mut texts = match &tparam.kind {
                TemplateParamKind::Value(ty) => self.values_for(name, ty, written, witnesses),
                TemplateParamKind::Type => self.types_for(name, written, witnesses, around),
                TemplateParamKind::Template => Vec::new(),
            };
            let mut met = BTreeSet::new();
            texts.retain(|text| met.insert(text.clone()));
            choices.push(Choice {
                tparam,
                name,
                texts,
            });
        }
        choices
    }

    fn architecture_around(&self, written: &Written<'u>) -> Option<u32> {
        let file = self.program.file_of(written.place);
        let of_file = || architecture_in(&file?.name());
        architecture_in(written.name).or_else(of_file)
    }

    fn values_for(
        &mut self,
        name: &str,
        ty: &'u Expr,
        written: &Written<'u>,
        witnesses: &Witnesses<'u>,
    ) -> Vec<String> {
        let mut frame = Frame::new(written.module, limits::STEPS_PER_INSTANCE);
        match self.eval_type(ty, &mut frame) {
            Type::Scalar(scalar) if scalar.class == ScalarClass::Bool => {
                vec!["false".to_owned(), "true".to_owned()]
            }
            Type::Scalar(scalar) if Scalar::is_integer(scalar) => {
                let numbers = witnesses.numbers_for(name);
                numbers.iter().map(ToString::to_string).collect()
            }
            _ => {
                let path = self.program.slice(ty.span);
                let enumerators = self.enumerators(ty);
                enumerators
                    .iter()
                    .map(|enumerator| format!("{path}::{enumerator}"))
                    .collect()
            }
        }
    }

    /// The enumerators of the only enumeration that a name may be.
    fn enumerators(&self, ty: &Expr) -> Vec<&'u str> {
        let Some(last) = ty.as_path().and_then(|path| path.last()) else {
            return Vec::new();
        };
        if last.name.name == "Major" {
            return vec!["K", "MN"];
        }
        let declared = self.program.modules.iter().filter_map(|module| {
            match module.constants.get(last.name.name.as_str()) {
                Some(Constant::Enum(declared)) => Some(*declared),
                _ => None,
            }
        });
        let declared: Vec<&'u Enum> = declared.collect();
        match declared.as_slice() {
            [only] => {
                let all = only.enumerators.iter();
                all.map(|enumerator| enumerator.name.name.as_str())
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn types_for(
        &mut self,
        name: &str,
        written: &Written<'u>,
        witnesses: &Witnesses<'u>,
        around: Around<'_>,
    ) -> Vec<String> {
        if let Some(members) = witnesses.members_of(name) {
            return self.classes_with(members, name, written, around);
        }
        let arch = self.architecture_around(written);
        let compared = witnesses.types_of(name).iter();
        let compared = compared.map(|ty| self.program.slice(ty.span).to_owned());
        let mut texts: Vec<String> = compared.filter(|text| !text.is_empty()).collect();
        texts.extend(
            types_named(name, arch)
                .iter()
                .map(|text| (*text).to_owned()),
        );
        if texts.is_empty() {
            texts = self.classes_called(name, written, around);
        }
        texts
    }
}

/// Whether statements or members name something of CuTe's or CUTLASS's.
fn names_cute(items: &[Item]) -> bool {
    let mut any = false;
    walk::expressions(items, &mut |expr| {
        let Some(path) = expr.as_path() else {
            return;
        };
        let mut names = path
            .segments
            .iter()
            .map(|segment| segment.name.name.as_str());
        any |= names.clone().any(|name| matches!(name, "cute" | "cutlass"))
            || names.next_back().is_some_and(|name| {
                vocabulary::function(name).is_some() || is_type_of_layouts(name)
            });
    });
    any
}
