//! The results for one version of a document, computed once and shared by all requests.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cute_analysis::{Analysis, Memo, Options, Shown, SourceFile, Stop, WhatIf, what_if};
use ropey::Rope;
use tokio::sync::watch;
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Budget, Host, Syntax};

use crate::limits::MACROS_TIME;
use crate::pool::{Cancel, Stopped};
use crate::project::{Overlay, Project, View};

/// A version of a document with everything known of it.
#[derive(Debug)]
pub struct Analysed {
    /// The text; byte offsets are into it.
    pub text: Arc<str>,
    /// Its syntax, from which the next version's is made; where all was carried over, that of an earlier text.
    syntax: Arc<Syntax>,
    /// Whether the syntax is that of the text.
    is_parsed: bool,
    host: Host,
    /// The analysis.
    pub analysis: Analysis,
    /// The starting point of the analysis of the next version. A document that was never edited has an empty one: most
    /// are only read.
    memo: Memo,
}

/// Results that the analysis of a version takes over from an earlier one.
#[derive(Debug, Clone)]
pub struct Earlier {
    syntax: Arc<Syntax>,
    memo: Memo,
}

impl Analysed {
    /// The results that a later version takes over.
    pub fn as_earlier(&self) -> Earlier {
        Earlier {
            syntax: Arc::clone(&self.syntax),
            memo: self.memo.clone(),
        }
    }

    /// Its syntax, where it was parsed.
    pub fn syntax(&self) -> Option<&Arc<Syntax>> {
        self.is_parsed.then_some(&self.syntax)
    }

    /// The expression tree. It is made anew each time, as few requests need it.
    pub fn unit(&self) -> Unit {
        if self.is_parsed {
            return self.syntax.lower(&self.text);
        }
        let (text, before) = (&*self.text, Some(&*self.syntax));
        let parsed = Syntax::parse(self.host, text, before, Budget::unlimited());
        parsed.map_or_else(|_| Unit::default(), |syntax| syntax.lower(&self.text))
    }

    /// The results for a later text that means the same, for which nothing is evaluated; `None` where it may mean
    /// something else.
    pub fn carried_to(&self, text: Arc<str>) -> Option<Self> {
        let (before, syntax) = (&*self.text, &self.syntax);
        let (analysis, same) = self.analysis.carried(self.host, before, &text, syntax)?;
        Some(Self {
            text,
            is_parsed: same.syntax.is_some(),
            syntax: same.syntax.map_or_else(|| Arc::clone(syntax), Arc::new),
            host: self.host,
            analysis,
            memo: self.memo.clone(),
        })
    }
}

/// The input of an analysis.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its path, or its URI where it is not a file.
    pub path: PathBuf,
    /// The text.
    pub text: Rope,
    /// The language.
    pub host: Host,
    /// An earlier version, which spares work and changes no result.
    pub old: Option<Earlier>,
    /// The syntax of this text, where it was parsed already.
    pub parsed: Option<Arc<Syntax>>,
}

impl Source {
    /// Parses and analyses, with its headers taken from `project` and, where it is open, from `overlay`; `None` when it
    /// was cancelled.
    pub fn analyse(
        &self,
        options: &Options,
        project: &Arc<Project>,
        overlay: Overlay,
        cancel: &Cancel,
    ) -> Option<Analysed> {
        let text: Arc<str> = self.text.to_string().into();
        let syntax = self.syntax(&text, cancel)?;
        let options = self.options(options, cancel);
        let view = View::around(Arc::clone(project), &self.path, overlay);
        let file = SourceFile::parsed(&self.path, Arc::clone(&text), Arc::clone(&syntax));
        let mut memo = Memo::default();
        let analysis = match &self.old {
            Some(old) => {
                memo.clone_from(&old.memo);
                cute_analysis::analyse_edited(&file, &view, &options, &mut memo)
            }
            None => view.analyse_first(&file, &options),
        };
        if cancel.is_cancelled() {
            return None;
        }
        Some(Analysed {
            text,
            syntax,
            is_parsed: true,
            host: self.host,
            analysis,
            memo,
        })
    }

    /// The same of the instances that `shown` says; `Some(None)` where it does not tell which, or where the file no longer
    /// makes them, `None` when it was cancelled. `is_new` says that nothing is known of an earlier version.
    pub fn analyse_shown(
        &self,
        options: &Options,
        project: &Arc<Project>,
        overlay: Overlay,
        shown: impl FnOnce() -> Shown,
        is_new: bool,
        cancel: &Cancel,
    ) -> Option<Option<Analysed>> {
        let view = if is_new && self.host == Host::CudaCpp {
            View::nearest(Arc::clone(project), &self.path, overlay)
        } else {
            View::around(Arc::clone(project), &self.path, overlay)
        };
        // Who imports a module of Python is looked for in all of the project.
        let has_users = self.host == Host::CudaCpp && view.has_users(&self.path);
        let shown = shown();
        if !shown.tells_of(&self.path, self.host, has_users) {
            return Some(None);
        }
        let text: Arc<str> = self.text.to_string().into();
        let syntax = self.syntax(&text, cancel)?;
        let options = Options {
            shown: Some(Arc::new(shown)),
            remedies: false,
            ..self.options(options, cancel)
        };
        let file = SourceFile::parsed(&self.path, Arc::clone(&text), Arc::clone(&syntax));
        let analysis = cute_analysis::analyse(&file, &view, &options);
        if !has_users && analysis.lacks_shown() {
            return Some(None);
        }
        (!cancel.is_cancelled()).then(|| {
            let earlier = self.old.as_ref();
            Some(Analysed {
                text,
                syntax,
                is_parsed: true,
                host: self.host,
                analysis,
                memo: earlier.map(|old| old.memo.clone()).unwrap_or_default(),
            })
        })
    }

    /// The changes by macros that no flag decides to the results, in the instances of `shown` where it is given.
    /// Nothing where it is not C++, or when it was cancelled.
    pub fn what_if(
        &self,
        known: &Analysed,
        options: &Options,
        project: &Arc<Project>,
        overlay: Overlay,
        shown: Option<Shown>,
        cancel: &Cancel,
    ) -> Option<Arc<WhatIf>> {
        if self.host != Host::CudaCpp {
            return Some(Arc::default());
        }
        let syntax = match known.syntax() {
            Some(syntax) => Arc::clone(syntax),
            None => self.syntax(&known.text, cancel)?,
        };
        let view = View::around(Arc::clone(project), &self.path, overlay);
        let file = SourceFile::parsed(&self.path, Arc::clone(&known.text), syntax);
        let (asked, began) = (cancel.clone(), Instant::now());
        let options = Options {
            shown: shown.map(Arc::new),
            stop: Stop::when(move || asked.is_cancelled() || began.elapsed() > MACROS_TIME),
            ..self.options(options, cancel)
        };
        let found = what_if(&file, &view, &options);
        (!cancel.is_cancelled()).then(|| Arc::new(found))
    }

    /// The syntax of the text; `None` when it was cancelled.
    fn syntax(&self, text: &str, cancel: &Cancel) -> Option<Arc<Syntax>> {
        if let Some(parsed) = &self.parsed {
            return Some(Arc::clone(parsed));
        }
        let budget = Budget::while_true(|| !cancel.is_cancelled());
        // A document beyond the size limit is not served, so only the budget can end a parse.
        let before = self.old.as_ref().map(|old| &*old.syntax);
        let syntax = Syntax::parse(self.host, text, before, budget).ok()?;
        (!cancel.is_cancelled()).then(|| Arc::new(syntax))
    }

    fn options(&self, options: &Options, cancel: &Cancel) -> Options {
        let asked = cancel.clone();
        Options {
            host: self.host,
            stop: Stop::when(move || asked.is_cancelled()),
            ..options.clone()
        }
    }
}

/// The place of a result that is computed at most once.
#[derive(Debug)]
pub struct Slot<T = Arc<Analysed>> {
    started: AtomicBool,
    cancel: Cancel,
    result: watch::Sender<Option<Result<T, Stopped>>>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self {
            started: AtomicBool::new(false),
            cancel: Cancel::default(),
            result: watch::Sender::new(None),
        }
    }
}

impl<T: Clone> Slot<T> {
    /// The result, if it is there.
    pub fn peek(&self) -> Option<T> {
        self.result.borrow().as_ref()?.as_ref().ok().cloned()
    }

    /// Waits for the result. The first who waits has `start` put it under way, with the flag that
    /// cancels it; whoever carries it out calls [`fill`](Self::fill).
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn wait(&self, start: impl FnOnce(Cancel)) -> Result<T, Stopped> {
        if !self.started.swap(true, Ordering::Relaxed) {
            start(self.cancel.clone());
        }
        let mut result = self.result.subscribe();
        match result.wait_for(Option::is_some).await {
            Ok(result) => result.clone().unwrap_or(Err(Stopped::Cancelled)),
            Err(_) => Err(Stopped::Cancelled),
        }
    }

    /// Puts the result in its place.
    pub fn fill(&self, result: Result<T, Stopped>) {
        self.result.send_replace(Some(result));
    }

    /// Stops the computation, if it is under way: its result is not needed.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}
