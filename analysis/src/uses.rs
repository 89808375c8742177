//! Uses of names and their values: computed on request.
//!
//! Hints and findings need the values of declarations; hovers and remedies need those of their uses, and there are many
//! more of them. So an analysis only keeps the data to compute them.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tree_sitter_cute::tree::Span;

use crate::fact::{Mention, Word};
use crate::instance_names::InstanceNames;
use crate::moves::Moves;
use crate::output::Output;
use crate::places::Places;
use crate::plain_names;

/// The uses of names in a file. Copies share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uses(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Taken when it is found.
    from: Mutex<Option<Pending>>,
    /// Words that were requested before the rest: hints request nothing else.
    words: OnceLock<Vec<Word>>,
    found: OnceLock<Found>,
}

/// Data that uses are computed from.
#[derive(Debug)]
enum Pending {
    /// An evaluation.
    Evaluated(Box<Source>),
    /// The uses in an earlier text with the same code.
    Earlier(Uses, Moves),
}

/// Data of an evaluation about uses.
#[derive(Debug)]
pub(crate) struct Source {
    /// Results of the evaluation.
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
        Self::of(Pending::Evaluated(Box::new(source)))
    }

    fn of(from: Pending) -> Self {
        Self(Arc::new(Shared {
            from: Mutex::new(Some(from)),
            words: OnceLock::new(),
            found: OnceLock::new(),
        }))
    }

    /// The same in a later text with the same code.
    pub(crate) fn moved(&self, moves: &Moves) -> Self {
        // Data that was moved and not requested moves from its first place, not step by step.
        let (first, mut all) = match self.earlier() {
            Some((first, all)) if !all.is_full() => (first, all),
            Some(_) => {
                self.found();
                (self.clone(), Moves::default())
            }
            None => (self.clone(), Moves::default()),
        };
        all.extend(moves);
        Self::of(Pending::Earlier(first, all))
    }

    /// The uses in an earlier text that these are found from, and the replacements since.
    fn earlier(&self) -> Option<(Uses, Moves)> {
        match &*self.pending() {
            Some(Pending::Earlier(first, moves)) => Some((first.clone(), moves.clone())),
            _ => None,
        }
    }

    fn pending(&self) -> MutexGuard<'_, Option<Pending>> {
        self.0.from.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(&self) -> &Found {
        self.0.found.get_or_init(|| {
            let from = self.pending().take();
            match from {
                Some(Pending::Evaluated(source)) => Found::from(*source),
                Some(Pending::Earlier(first, moves)) => first.found().moved(&moves),
                None => Found::default(),
            }
        })
    }

    /// Uses and expressions with their values, in the order of the source, outer ones first.
    pub(crate) fn mentions(&self) -> &[Mention] {
        &self.found().mentions
    }

    /// The functions and instructions of CuTe, in the order of the source.
    pub(crate) fn words(&self) -> &[Word] {
        let words = &self.0.words;
        if let Some(found) = self.0.found.get() {
            return &found.words;
        }
        if let Some(words) = words.get() {
            return words;
        }
        let alone = match &*self.pending() {
            Some(Pending::Evaluated(source)) => Some(source.output.all_words()),
            Some(Pending::Earlier(first, moves)) => Some(moved_words(first.words(), moves)),
            None => None,
        };
        match alone {
            Some(alone) => words.get_or_init(|| alone),
            None => &self.found().words,
        }
    }

    /// The declaration of the name used at a place.
    pub(crate) fn declaration(&self, used: Span) -> Option<Span> {
        self.found().declarations.get(used)
    }

    /// The names that are used, each with where it is declared.
    pub(crate) fn declarations(&self) -> impl Iterator<Item = (Span, Span)> + '_ {
        self.found().declarations.iter()
    }

    /// The initialiser of the name declared at a place.
    pub(crate) fn initialiser(&self, declared: Span) -> Option<Span> {
        self.found().initialisers.get(declared)
    }

    /// The declared names, each with the span of its initialiser.
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
    /// The same at the new places, without replaced parts.
    fn moved(&self, moves: &Moves) -> Self {
        let at = |span: Span| moves.now_span(span);
        let mentions = self.mentions.iter().filter_map(|mention| {
            let span = at(mention.span)?;
            Some(Mention {
                span,
                ..mention.clone()
            })
        });
        let pairs = |places: &Places| {
            let pairs = places
                .iter()
                .filter_map(|(one, of)| Some((at(one)?, at(of)?)));
            Places::of(pairs.collect())
        };
        Self {
            mentions: mentions.collect(),
            words: moved_words(&self.words, moves),
            declarations: pairs(&self.declarations),
            initialisers: pairs(&self.initialisers),
        }
    }

    fn from(source: Source) -> Self {
        let mut output = source.output;
        output.gather();
        output.restore_mentions();
        let mut mentions = output.mentions;
        for mention in &mut mentions {
            mention.value = plain_names::in_value(&mention.value);
        }
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

/// Words at their new places, without replaced ones.
fn moved_words(words: &[Word], moves: &Moves) -> Vec<Word> {
    let words = words.iter().filter_map(|word| {
        let span = moves.now_span(word.span)?;
        Some(Word {
            span,
            ..word.clone()
        })
    });
    words.collect()
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
