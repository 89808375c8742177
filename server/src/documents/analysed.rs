//! What is known of one version of a document, computed once and shared by all who ask.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cute_analysis::{Analysis, Options, SourceFile, Stop};
use ropey::Rope;
use tokio::sync::watch;
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Budget, Host, Syntax};

use crate::pool::{Cancel, Stopped};
use crate::project::{Overlay, Project, View};

/// A version of a document with everything known of it.
#[derive(Debug)]
pub struct Analysed {
    /// The text; byte offsets are into it.
    pub text: Arc<str>,
    /// Its syntax, from which the next version's is made.
    pub syntax: Arc<Syntax>,
    /// What is known.
    pub analysis: Analysis,
}

impl Analysed {
    /// The expression tree. It is made anew each time, as few requests need it.
    pub fn unit(&self) -> Unit {
        self.syntax.lower(&self.text)
    }
}

/// What an analysis starts from.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where it is, or its URI where it is no file.
    pub path: PathBuf,
    /// The text.
    pub text: Rope,
    /// The language.
    pub host: Host,
    /// The syntax of an earlier version; without one the text is parsed afresh.
    pub old: Option<Arc<Syntax>>,
}

impl Source {
    /// Parses and analyses, with what it includes taken from `project` and, where it is open, from
    /// `overlay`; `None` when it was cancelled.
    pub fn analyse(
        &self,
        options: &Options,
        project: &Arc<Project>,
        overlay: Overlay,
        cancel: &Cancel,
    ) -> Option<Analysed> {
        let text: Arc<str> = self.text.to_string().into();
        let budget = Budget::while_true(|| !cancel.is_cancelled());
        // A document beyond the size limit is not served, so only the budget can end a parse.
        let syntax = Syntax::parse(self.host, &text, self.old.as_deref(), budget).ok()?;
        let unit = syntax.lower(&text);
        if cancel.is_cancelled() {
            return None;
        }
        let asked = cancel.clone();
        let options = Options {
            host: self.host,
            stop: Stop::when(move || asked.is_cancelled()),
            ..options.clone()
        };
        let view = View::around(Arc::clone(project), &self.path, overlay);
        let file = SourceFile::analysed(&self.path, Arc::clone(&text), unit);
        let analysis = cute_analysis::analyse(&file, &view, &options);
        if cancel.is_cancelled() {
            return None;
        }
        Some(Analysed {
            text,
            syntax: Arc::new(syntax),
            analysis,
        })
    }
}

/// The place of a result that is computed at most once.
#[derive(Debug)]
pub struct Slot {
    started: AtomicBool,
    cancel: Cancel,
    result: watch::Sender<Option<Result<Arc<Analysed>, Stopped>>>,
}

impl Default for Slot {
    fn default() -> Self {
        Self {
            started: AtomicBool::new(false),
            cancel: Cancel::default(),
            result: watch::Sender::new(None),
        }
    }
}

impl Slot {
    /// The result, if it is there.
    pub fn peek(&self) -> Option<Arc<Analysed>> {
        self.result.borrow().as_ref()?.as_ref().ok().cloned()
    }

    /// Waits for the result. The first who waits has `start` put it under way, with the flag that
    /// cancels it; whoever carries it out calls [`fill`](Self::fill).
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn wait(&self, start: impl FnOnce(Cancel)) -> Result<Arc<Analysed>, Stopped> {
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
    pub fn fill(&self, result: Result<Arc<Analysed>, Stopped>) {
        self.result.send_replace(Some(result));
    }

    /// Stops the computation, if it is under way: nobody will want its result.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}
