//! The part of a header that is evaluated first, where translation units instantiate it: of each function one instance,
//! the one that is shown. A file that no other includes, and that costs much, is a translation unit of itself.
//!
//! An analysis of all instances says who made them ([`Makers`]). From that follows which units the next
//! version has to be evaluated in before anything is shown ([`Shown`]); without it that is the first unit.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::Span;

use crate::deferred::Deferred;
use crate::fact::{Analysis, Fact};
use crate::hash::{HashMap, HashSet};
use crate::instance_names::InstanceNames;
use crate::limits;
use crate::output::Output;
use crate::reason::Kept;
use crate::value::Dialect;

/// A function and how one of its instances is named.
type Named = (Arc<str>, Option<Arc<str>>);

/// The translation unit that made each instance first; in Python the run, by its name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Makers {
    /// The units that made one, in order.
    units: Vec<PathBuf>,
    of: HashMap<Named, Maker>,
    /// The deferred evaluations of the unit that is being evaluated, by the instances that they made.
    deferred: HashMap<Named, Arc<Deferred>>,
    /// The functions of the file that were evaluated with their template parameters open.
    open: HashSet<Arc<str>>,
    /// The functions and classes that a unit instantiates, by their names' spans.
    instantiated: Vec<Span>,
    /// Whether a function or class is looked at of which no unit that was read makes an instance.
    lacks: bool,
}

/// The maker of an instance.
#[derive(Debug, Clone, PartialEq)]
struct Maker {
    /// The unit, by its place among [`Makers::units`].
    unit: usize,
    /// Number of instances of the function that the unit makes before.
    before: usize,
    /// The deferred evaluation of the unit that made it, where one did.
    deferred: Option<Arc<Deferred>>,
}

impl Makers {
    /// Notes the facts that a unit made.
    pub(crate) fn add(&mut self, unit: &Path, facts: &[Fact]) {
        let mut counts: HashMap<&Arc<str>, usize> = HashMap::default();
        let mut met: HashSet<(&Arc<str>, &Arc<str>)> = HashSet::default();
        for fact in facts {
            let (Some(function), Some(instance)) = (&fact.function, &fact.instance) else {
                continue;
            };
            if !met.insert((function, instance)) {
                continue;
            }
            let count = counts.entry(function).or_default();
            let named = (Arc::clone(function), Some(Arc::clone(instance)));
            let maker = Maker {
                unit: self.units.len(),
                before: *count,
                deferred: self.deferred.remove(&named),
            };
            *count += 1;
            self.of.entry(named).or_insert(maker);
        }
        self.deferred.clear();
        if !met.is_empty() {
            self.units.push(unit.to_owned());
        }
    }

    /// Notes the facts that a file made which no other includes. A function that is not a template counts as one instance.
    pub(crate) fn add_alone(&mut self, file: &Path, facts: &[Fact]) {
        let open = std::mem::take(&mut self.open);
        self.deferred.clear();
        let mut counts: HashMap<&Arc<str>, usize> = HashMap::default();
        for fact in facts {
            let Some(function) = &fact.function else {
                continue;
            };
            if fact.is_supposed() || fact.instance.is_none() && open.contains(function) {
                continue;
            }
            let named = (Arc::clone(function), fact.instance.clone());
            if self.of.contains_key(&named) {
                continue;
            }
            let count = counts.entry(function).or_default();
            let maker = Maker {
                unit: 0,
                before: *count,
                deferred: None,
            };
            *count += 1;
            self.of.insert(named, maker);
        }
        self.units = vec![file.to_owned()];
    }

    /// Notes the facts that a run of Python made.
    pub(crate) fn add_run(&mut self, run: &str, facts: &[Fact]) {
        let run = Path::new(run);
        let known = self.units.iter().position(|unit| unit == run);
        let unit = known.unwrap_or(self.units.len());
        let mut is_any = known.is_some();
        for fact in facts {
            if let Some(function) = &fact.function {
                is_any = true;
                let named = (Arc::clone(function), fact.instance.clone());
                self.of.entry(named).or_insert(Maker {
                    unit,
                    before: 0,
                    deferred: None,
                });
            }
        }
        if is_any && known.is_none() {
            self.units.push(run.to_owned());
        }
    }

    /// Notes a function whose facts have its template parameters open.
    pub(crate) fn note_open(&mut self, function: &str) {
        self.open.insert(function.into());
    }

    /// Adds those of another part of a file that no other includes.
    pub(crate) fn join(&mut self, part: &Self) {
        if !part.units.is_empty() {
            self.units.clone_from(&part.units);
            let of = part.of.iter();
            self.of
                .extend(of.map(|(named, maker)| (named.clone(), maker.clone())));
        }
    }

    /// Notes the deferred evaluation of the present unit that makes an instance.
    pub(crate) fn note_deferred(
        &mut self,
        function: &Arc<str>,
        instance: &Arc<str>,
        deferred: &Arc<Deferred>,
    ) {
        let named = (Arc::clone(function), Some(Arc::clone(instance)));
        let entry = self.deferred.entry(named);
        entry.or_insert_with(|| Arc::clone(deferred));
    }

    /// The deferred evaluations of the instances that have these facts.
    pub(crate) fn deferred_of(&self, facts: &[Fact]) -> Self {
        let mut part = Self::default();
        for fact in facts {
            let Some(function) = &fact.function else {
                continue;
            };
            let named = (Arc::clone(function), fact.instance.clone());
            if let Some(deferred) = self.deferred.get(&named) {
                part.deferred.insert(named, Arc::clone(deferred));
            }
        }
        part
    }

    /// Adds the deferred evaluations of the present unit.
    pub(crate) fn take_deferred(&mut self, of_unit: &mut Self) {
        self.deferred.extend(of_unit.deferred.drain());
    }

    /// Gives the present unit's instances other names.
    pub(crate) fn rename_deferred(&mut self, renamed: &mut dyn FnMut(&str) -> Arc<str>) {
        let deferred = std::mem::take(&mut self.deferred).into_iter();
        let moved = deferred.map(|((function, instance), deferred)| {
            let instance = instance.map(|instance| renamed(&instance));
            ((function, instance), Arc::new(deferred.renamed(renamed)))
        });
        self.deferred = moved.collect();
    }

    /// Notes the names that the units instantiate.
    pub(crate) fn add_instantiated(&mut self, names: impl IntoIterator<Item = Span>) {
        self.instantiated = names.into_iter().collect();
        self.instantiated.sort_unstable();
    }

    /// Notes that something is looked at that no unit which was read makes.
    pub(crate) fn note_lack(&mut self) {
        self.lacks = true;
    }

    /// Whether there is something like that.
    pub(crate) fn lacks_any(&self) -> bool {
        self.lacks
    }

    /// Whether the maker of any instance is known.
    pub(crate) fn are_known(&self) -> bool {
        !self.units.is_empty()
    }

    /// Moves its places.
    pub(crate) fn move_to(&mut self, at: &dyn Fn(Span) -> Option<Span>) -> Option<()> {
        for name in &mut self.instantiated {
            *name = at(*name)?;
        }
        Some(())
    }

    /// Gives the instances the names that a person sees.
    pub(crate) fn rename(&mut self, names: &InstanceNames) {
        let of = std::mem::take(&mut self.of);
        let renamed = of.into_iter().map(|((function, mut instance), maker)| {
            names.put_on(std::iter::once((Some(&*function), &mut instance)));
            ((function, instance), maker)
        });
        self.of = renamed.collect();
    }

    /// The maker of the instance that a fact is about.
    fn of(&self, fact: &Fact) -> Option<&Maker> {
        let function = fact.function.as_ref()?;
        let named = (Arc::clone(function), fact.instance.clone());
        self.of.get(&named)
    }
}

/// The shown part of one unit: the number of instances of each function that have to be evaluated for it, in the order
/// in which the unit makes them.
#[derive(Debug, Clone, Default, PartialEq)]
struct ShownUnit {
    path: PathBuf,
    instances: HashMap<Arc<str>, Needed>,
}

/// The instances of a function that have to be evaluated.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Needed {
    /// Their number, in the order in which a unit makes them.
    pub(crate) count: usize,
    /// The deferred evaluation that makes the first one, where that is the only one.
    pub(crate) deferred: Option<Arc<Deferred>>,
}

impl Needed {
    /// The first instance, which may be made anywhere.
    pub(crate) const ONE: Self = Self {
        count: 1,
        deferred: None,
    };

    /// Adds an instance.
    fn add(&mut self, maker: &Maker) {
        let deferred = (maker.before == 0)
            .then(|| maker.deferred.clone())
            .flatten();
        self.deferred = match self.count {
            0 => deferred,
            1 => self
                .deferred
                .take()
                .filter(|known| Some(known) == deferred.as_ref()),
            _ => None,
        };
        self.count = self.count.max(maker.before + 1);
    }
}

/// The facts about each name whose first byte is looked at. They are in the order of the source, and those about a name are
/// hundreds: the ones about other names are not read.
fn names_with(facts: &[Fact], is_seen: impl Fn(usize) -> bool) -> Vec<Vec<&Fact>> {
    let mut rest = facts;
    let mut names = Vec::new();
    while let Some(first) = rest.first() {
        let start = first.name_span.start;
        let count = rest.partition_point(|fact| fact.name_span.start <= start);
        let (here, behind) = rest.split_at(count);
        if is_seen(start) {
            let of_names = here.chunk_by(|one, other| one.name_span == other.name_span);
            names.extend(of_names.map(|of_name| of_name.iter().collect()));
        }
        rest = behind;
    }
    names
}

/// The part of the instances of a header that is requested first. The default is the part of the first unit, where
/// nothing is known yet.
///
/// ```
/// use cute_analysis::Shown;
///
/// assert!(!Shown::default().is_known());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shown {
    /// The units; `None` where they are unknown.
    units: Option<Vec<ShownUnit>>,
    /// The shown instance of a function among those that the units make, where it is not the first.
    chosen: HashMap<Arc<str>, usize>,
    /// The functions and classes that some unit instantiates.
    instantiated: Vec<Span>,
    /// The bytes that are looked at, where nothing else is known.
    looked_at: Option<Range<usize>>,
    /// Whether it is unknown who made a value that is looked at.
    lacks_maker: bool,
    /// The supposed arguments that suit its kernels, in Python.
    choices: Option<Kept>,
}

impl Shown {
    /// The shown part of a header without earlier results, by the visible bytes: of the functions and classes there the
    /// first instances.
    pub fn looked_at(range: Range<usize>) -> Self {
        Self {
            looked_at: Some(range),
            ..Self::default()
        }
    }

    /// The bytes that are looked at, where nothing else is known.
    pub(crate) fn bytes_looked_at(&self) -> Option<&Range<usize>> {
        self.looked_at.as_ref()
    }

    /// The shown part of a header whose earlier version is known. `is_seen` says of a byte of that version whether it
    /// is looked at, `chosen` which of several facts about a name is shown, and `moved` where a byte is now.
    pub fn of(
        analysis: &Analysis,
        is_seen: impl Fn(usize) -> bool,
        chosen: impl Fn(&[&Fact]) -> usize,
        moved: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let makers = &analysis.makers;
        let mut seen: Vec<Vec<(Arc<str>, &Maker)>> = vec![Vec::new(); makers.units.len()];
        let mut lacks_maker = false;
        for of_name in names_with(&analysis.facts, is_seen) {
            let shown = of_name.get(chosen(&of_name)).or(of_name.first());
            if let Some(fact) = shown
                && let Some(function) = &fact.function
            {
                let maker = makers.of(fact);
                lacks_maker |= maker.is_none();
                if let Some(maker) = maker
                    && let Some(of_unit) = seen.get_mut(maker.unit)
                {
                    of_unit.push((Arc::clone(function), maker));
                }
            }
        }
        let mut order: Vec<usize> = (0..seen.len()).collect();
        order.retain(|unit| seen.get(*unit).is_some_and(|names| !names.is_empty()));
        if analysis.dialect != Dialect::Dsl {
            order.sort_by_key(|unit| std::cmp::Reverse(seen.get(*unit).map(Vec::len)));
            order.truncate(limits::UNITS_SHOWN_FIRST);
            order.sort_unstable();
        }
        let mut shown = Self {
            lacks_maker,
            choices: analysis.choices.clone(),
            ..Self::default()
        };
        let mut units = Vec::new();
        for unit in order {
            let (Some(path), Some(names)) = (makers.units.get(unit), seen.get(unit)) else {
                continue;
            };
            let mut of_unit = ShownUnit {
                path: path.clone(),
                ..ShownUnit::default()
            };
            for (function, maker) in names {
                let needed = of_unit.instances.entry(Arc::clone(function)).or_default();
                needed.add(maker);
                if maker.before > 0 {
                    shown.chosen.insert(Arc::clone(function), maker.before);
                }
            }
            units.push(of_unit);
        }
        shown.units = Some(units);
        let now = makers.instantiated.iter().filter_map(|name| {
            let start = moved(name.start)?;
            Some(Span::new(start, start + name.len()))
        });
        shown.instantiated = now.collect();
        shown
    }

    /// Whether it follows from earlier results.
    pub fn is_known(&self) -> bool {
        self.units.is_some()
    }

    /// The supposed arguments that suit its kernels.
    pub(crate) fn choices(&self) -> Option<&Kept> {
        self.choices.as_ref()
    }

    /// Whether it says what to evaluate of a file: units or a module of Python, or, of a source that no other includes, all
    /// that is looked at is made by the source itself.
    pub fn tells_of(&self, file: &Path, host: Host, has_users: bool) -> bool {
        let units = self.units.as_deref().unwrap_or_default();
        let makes_all = !self.lacks_maker && matches!(units, [unit] if unit.path == file);
        match host {
            Host::CudaCpp => has_users || makes_all,
            Host::Python => true,
            Host::Rust => false,
        }
    }

    /// Number of instances of one function that are evaluated in a unit; `None` where the unit is left out. Where
    /// nothing is known the first unit comes, and those behind it until one has made something.
    pub(crate) fn quota_of(&self, unit: &Path, index: usize, is_made: bool) -> Option<usize> {
        match &self.units {
            Some(_) => self.instances_of(unit).map(|needed| {
                needed
                    .values()
                    .map(|needed| needed.count)
                    .max()
                    .unwrap_or(1)
            }),
            None => (!is_made && index < limits::UNITS_TRIED_FIRST).then_some(1),
        }
    }

    /// The instances of each function that have to be evaluated in a unit.
    pub(crate) fn instances_of(&self, unit: &Path) -> Option<&HashMap<Arc<str>, Needed>> {
        let mut named = self.units.iter().flatten().filter(|it| it.path == unit);
        named.next().map(|unit| &unit.instances)
    }

    /// Whether a run of Python is one whose name `is_of` accepts; all are where nothing is known.
    pub(crate) fn wants_run(&self, is_of: &dyn Fn(&str) -> bool) -> bool {
        self.units.as_ref().is_none_or(|units| {
            let mut names = units.iter().filter_map(|unit| unit.path.to_str());
            names.any(is_of)
        })
    }

    /// The functions and classes that some unit instantiates.
    pub(crate) fn instantiated(&self) -> impl Iterator<Item = Span> + '_ {
        self.instantiated.iter().copied()
    }

    /// Leaves of each name the instance that is shown.
    pub(crate) fn retain(&self, output: &mut Output) {
        let mut labels: HashMap<Arc<str>, Vec<Arc<str>>> = HashMap::default();
        for fact in &output.facts {
            if let (Some(function), Some(instance)) = (&fact.function, &fact.instance) {
                let known = labels.entry(Arc::clone(function)).or_default();
                if !known.contains(instance) {
                    known.push(Arc::clone(instance));
                }
            }
        }
        let is_chosen = |fact: &Fact| {
            let function = fact.function.as_ref()?;
            let of_function = labels.get(function)?;
            let wanted = of_function.get(*self.chosen.get(function)?)?;
            Some(fact.instance.as_ref() == Some(wanted))
        };
        // The first instance of each name, or the chosen one where there is one.
        let mut of_name: HashMap<Span, Option<Arc<str>>> = HashMap::default();
        for fact in &output.facts {
            if is_chosen(fact) == Some(true) {
                of_name.insert(fact.name_span, fact.instance.clone());
            }
        }
        for fact in &output.facts {
            let first = || fact.instance.clone();
            of_name.entry(fact.name_span).or_insert_with(first);
        }
        let mut kept: HashSet<Named> = HashSet::default();
        output.facts.retain(|fact| {
            let is_kept = of_name.get(&fact.name_span) == Some(&fact.instance);
            if is_kept && let Some(function) = &fact.function {
                kept.insert((Arc::clone(function), fact.instance.clone()));
            }
            is_kept
        });
        output.mentions.retain(|mention| {
            let (Some(function), Some(_)) = (&mention.function, &mention.instance) else {
                return true;
            };
            kept.contains(&(Arc::clone(function), mention.instance.clone()))
        });
        let is_kept = |function: &str, instance: Option<&str>| {
            let named = |instance: &str| (function.into(), Some(instance.into()));
            instance.is_none_or(|instance| kept.contains(&named(instance)))
        };
        output.notes.retain(|note| {
            let function = note.function.as_deref();
            function.is_none_or(|function| is_kept(function, note.instance.as_deref()))
        });
        output
            .budgets
            .retain(|budget| is_kept(&budget.function, budget.instance.as_deref()));
        output
            .accesses
            .retain(|access| is_kept(&access.function, access.instance.as_deref()));
    }
}
