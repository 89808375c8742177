//! Values if a build defined the macros that no flag decides.
//!
//! A macro may decide a value without standing near it: `CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED` picks the instruction of
//! a kernel in a header of the library. So the file is evaluated once to see which macros it depends on, and once more for each
//! of them and each number that its conditions compare it with; where a value is another then, that is said with both.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, ExprKind, Include, Span};

use crate::analyse::analyse_without_remedies;
use crate::fact::{Analysis, Fact};
use crate::hash::HashMap;
use crate::limits;
use crate::options::{Judged, Options};
use crate::sources::{Crate, Included, Predefined, SourceFile, Sources};
use crate::undecided::{Undecided, Undecideds};
use crate::value::Value;

/// A macro that no flag decides, with a number that makes values others.
#[derive(Debug, Clone)]
pub struct Otherwise {
    /// The macro.
    pub name: String,
    /// The number that it is defined as.
    pub number: i64,
    /// The condition that tests it, where it is in the file itself.
    pub asked: Option<Span>,
    /// The values that are others then.
    values: HashMap<Key, Arc<Value>>,
}

/// Changes to the values of a file by macros that no flag decides.
#[derive(Debug, Clone, Default)]
pub struct WhatIf(Vec<Otherwise>);

/// A fact: the place of its name, its function and its instance.
type Key = (Span, Option<Arc<str>>, Option<Arc<str>>);

impl WhatIf {
    /// The other values of a fact, once for each macro that changes it.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use cute_analysis::{Alone, Options, SourceFile, analyse, what_if};
    /// # use tree_sitter_cute::{Budget, Host, Syntax};
    /// let text = "
    /// #ifdef WIDE
    /// using Tile = Shape<_128>;
    /// #else
    /// using Tile = Shape<_64>;
    /// #endif
    /// void f() { auto x = cute::make_layout(Tile{}); }";
    /// let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
    /// let file = SourceFile::parsed("x.cu", text, Arc::new(syntax));
    /// let analysis = analyse(&file, &Alone, &Options::default());
    /// let x = analysis.facts.iter().find(|fact| &*fact.name == "x").unwrap();
    /// assert_eq!(x.value.to_string(), "(_64):(_1)");
    /// let otherwise = what_if(&file, &Alone, &Options::default());
    /// let (wide, value) = otherwise.of(x)[0];
    /// assert_eq!((&*wide.name, value.to_string()), ("WIDE", "(_128):(_1)".to_owned()));
    /// ```
    pub fn of(&self, fact: &Fact) -> Vec<(&Otherwise, &Value)> {
        let mut found: Vec<(&Otherwise, &Value)> = Vec::new();
        for otherwise in &self.0 {
            if let Some(value) = otherwise.values.get(&key(fact))
                && !found.iter().any(|(known, _)| known.name == otherwise.name)
            {
                found.push((otherwise, value));
            }
        }
        found
    }
}

/// The changes to the values of a file of C++ by macros that no flag decides. Each macro is defined for itself.
pub fn what_if(file: &SourceFile, sources: &dyn Sources, options: &Options) -> WhatIf {
    let undecided = Undecideds::collected();
    let options = Options {
        remedies: false,
        costs: false,
        accesses: false,
        memory: Judged::Nothing,
        only_findings: false,
        undecided: undecided.clone(),
        ..options.clone()
    };
    let evaluated = |extra: Option<Predefined>| {
        let sources = With { sources, extra };
        let (analysis, _) = analyse_without_remedies(file, &sources, &options, None);
        (!options.stop.is_wanted()).then_some(analysis)
    };
    let Some(before) = evaluated(None) else {
        return WhatIf::default();
    };
    let known = by_key(&before);
    let mut found = Vec::new();
    let definitions = undecided.found().into_iter().flat_map(|undecided| {
        let numbers = undecided.numbers.clone().into_iter();
        numbers.map(move |number| (undecided.clone(), number))
    });
    for (undecided, number) in definitions.take(limits::TRIED_DEFINITIONS) {
        let Some(after) = evaluated(Some(defined(&undecided, number))) else {
            break;
        };
        let values = others(&known, &after);
        if !values.is_empty() {
            let is_here = |span: &Span| !span.is_empty() && span.end <= file.text().len();
            found.push(Otherwise {
                asked: Some(undecided.asked).filter(is_here),
                name: undecided.name,
                number,
                values,
            });
        }
    }
    WhatIf(found)
}

/// The values that are known and others than before.
fn others(before: &HashMap<Key, Arc<Value>>, after: &Analysis) -> HashMap<Key, Arc<Value>> {
    let is_other = |key: &Key, value: &Arc<Value>| {
        let is_known = !matches!(**value, Value::Unknown(_));
        is_known && before.get(key).is_some_and(|before| before != value)
    };
    let mut after = by_key(after);
    after.retain(|key, value| is_other(key, value));
    after
}

/// The values of facts. Translation units that give one name several values, in instances without a name, are left out:
/// nothing says which of them is which.
fn by_key(analysis: &Analysis) -> HashMap<Key, Arc<Value>> {
    let mut values: HashMap<Key, Option<Arc<Value>>> = HashMap::default();
    for fact in &analysis.facts {
        let key = (fact.name_span, fact.function.clone(), fact.instance.clone());
        let known = values
            .entry(key)
            .or_insert_with(|| Some(Arc::clone(&fact.value)));
        if known.as_ref().is_some_and(|known| *known != fact.value) {
            *known = None;
        }
    }
    let values = values.into_iter();
    values
        .filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

fn key(fact: &Fact) -> Key {
    (fact.name_span, fact.function.clone(), fact.instance.clone())
}

fn defined(undecided: &Undecided, number: i64) -> Predefined {
    Predefined {
        name: undecided.name.clone(),
        value: Some(Expr {
            kind: ExprKind::Int(number),
            span: Span::default(),
        }),
    }
}

/// Sources with one more macro. They share nothing that was evaluated without it.
struct With<'s> {
    sources: &'s dyn Sources,
    extra: Option<Predefined>,
}

impl Sources for With<'_> {
    fn include(&self, from: &SourceFile, include: &Include) -> Included {
        self.sources.include(from, include)
    }

    fn users(&self, file: &SourceFile) -> Vec<Arc<SourceFile>> {
        self.sources.users(file)
    }

    fn count_users(&self, file: &SourceFile) -> usize {
        self.sources.count_users(file)
    }

    fn predefined(&self, file: &SourceFile) -> Vec<Predefined> {
        let mut all = self.sources.predefined(file);
        all.extend(self.extra.clone());
        all
    }

    fn module(&self, focus: &SourceFile, from: &SourceFile, name: &str) -> Option<Arc<SourceFile>> {
        self.sources.module(focus, from, name)
    }

    fn refused_modules(&self) -> Vec<(String, PathBuf)> {
        self.sources.refused_modules()
    }

    fn missing_files(&self) -> Vec<PathBuf> {
        self.sources.missing_files()
    }

    fn crates(&self, file: &SourceFile) -> Vec<Crate> {
        self.sources.crates(file)
    }

    fn worlds(&self) -> Option<&(dyn Any + Send + Sync)> {
        None
    }

    fn units(&self) -> Option<&(dyn Any + Send + Sync)> {
        None
    }

    fn module_name(&self, file: &SourceFile) -> Option<String> {
        self.sources.module_name(file)
    }

    fn asked(&self) -> Option<Arc<SourceFile>> {
        self.sources.asked()
    }
}
