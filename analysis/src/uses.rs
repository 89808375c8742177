//! What is known of the uses of names: found when somebody asks for it.
//!
//! Hints and findings say what declarations are worth; what their uses are is asked for by hovers and
//! remedies, and there are many more of them. So an analysis only keeps from what they can be found.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tree_sitter_cute::tree::Span;

use crate::fact::{Mention, Word};
use crate::instance_names::InstanceNames;
use crate::interpret::Output;
use crate::places::Places;

/// What is known of the uses of names in a file. Copies share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uses(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Taken when it is found.
    from: Mutex<Option<Source>>,
    found: OnceLock<Found>,
}

/// What uses are found from.
#[derive(Debug)]
pub(crate) struct Source {
    /// What the evaluation left.
    pub(crate) output: Output,
    /// The literals in comments and strings.
    pub(crate) literals: Vec<Mention>,
    pub(crate) names: InstanceNames,
}

#[derive(Debug, Default, PartialEq)]
struct Found {
    mentions: Vec<Mention>,
    words: Vec<Word>,
    declarations: Places,
    initialisers: Places,
}

impl Uses {
    pub(crate) fn from(source: Source) -> Self {
        Self(Arc::new(Shared {
            from: Mutex::new(Some(source)),
            found: OnceLock::new(),
        }))
    }

    fn found(&self) -> &Found {
        self.0.found.get_or_init(|| {
            let mut from = self.0.from.lock().unwrap_or_else(PoisonError::into_inner);
            from.take().map(Found::from).unwrap_or_default()
        })
    }

    /// Uses and expressions with their values, in the order of the source, outer ones first.
    pub(crate) fn mentions(&self) -> &[Mention] {
        &self.found().mentions
    }

    /// The functions and instructions of CuTe, in the order of the source.
    pub(crate) fn words(&self) -> &[Word] {
        &self.found().words
    }

    /// Where the name used at a place is declared.
    pub(crate) fn declaration(&self, used: Span) -> Option<Span> {
        self.found().declarations.get(used)
    }

    /// The names that are used, each with where it is declared.
    pub(crate) fn declarations(&self) -> impl Iterator<Item = (Span, Span)> + '_ {
        self.found().declarations.iter()
    }

    /// The declared names, each with where what it is initialised with stands.
    pub(crate) fn initialisers(&self) -> impl Iterator<Item = (Span, Span)> + '_ {
        self.found().initialisers.iter()
    }
}

impl PartialEq for Uses {
    fn eq(&self, other: &Self) -> bool {
        self.found() == other.found()
    }
}

impl Found {
    fn from(source: Source) -> Self {
        let mut output = source.output;
        output.gather();
        output.restore_mentions();
        let mut mentions = output.mentions;
        source.names.put_on(
            mentions
                .iter_mut()
                .map(|mention| (mention.function.as_deref(), &mut mention.instance)),
        );
        mentions.extend(source.literals);
        mentions.sort_by_key(|mention| (mention.span.start, std::cmp::Reverse(mention.span.end)));
        mentions.dedup();
        let mut words = output.words;
        words.sort_by_key(|word| word.span.start);
        words.dedup();
        Self {
            mentions,
            words,
            declarations: Places::of(output.settled.declarations),
            initialisers: Places::of(output.settled.initialisers),
        }
    }
}

#[cfg(test)]
mod tests {
    use tree_sitter_cute::{Budget, Host, Syntax};

    use crate::{Alone, Memo, Options, SourceFile, analyse_edited};

    #[test]
    fn uses_are_put_together_when_they_are_asked_for() {
        let text = "// cute: assume M % 8 == 0\nvoid f(int M) { auto x = cute::make_layout(M); }\n";
        let parse = || Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).ok();
        let mut memo = Memo::default();
        for _ in 0..2 {
            let syntax = parse().unwrap_or_else(|| unreachable!("within the limits"));
            let file = SourceFile::parsed("a.cu", text, syntax.into());
            let options = Options {
                remedies: false,
                ..Options::default()
            };
            let analysis = analyse_edited(&file, &Alone, &options, &mut memo);
            assert_eq!(analysis.findings, []);
            assert!(analysis.facts.iter().any(|fact| &*fact.name == "x"));
            assert!(analysis.uses.0.found.get().is_none());
            assert!(!analysis.mentions().is_empty());
        }
    }
}
