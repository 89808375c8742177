//! The first answer for a header that many translation units include, or for a source that costs much: the shown instances,
//! from the present text; all other instances follow in the background.
//!
//! A request for hints or a hover is answered from the instance that is shown, evaluated in its unit alone. Facts about
//! all instances (their number, their agreement, their findings) stay those before the edit, at their new places, until
//! all are known; then the client is told where something changed.
//!
//! Hints never fail for time, of any document: where those of the text as it is are not there soon, those of the
//! version before are answered, at their places of now and marked inside of edited text, and the client is told to
//! fetch them again once others are known.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use cute_analysis::{Fact, Options, Shown};
use tower_lsp::jsonrpc::Result;
use tower_lsp::lsp_types::Url;

use crate::analyses::{self, Which};
use crate::documents::{Analysed, Document, LookedAt, Said, Whole};
use crate::limits::FIRST_HINTS_PATIENCE;
use crate::pool::{Cancel, Stopped};
use crate::presentation::hints;
use crate::presentation::hints::earlier::{Before, first_hints_in, moved_hints_in};
use crate::presentation::hints::label::{Class, Hint};
use crate::presentation::instances::Chosen;
use crate::session::Session;

/// The analysis that answers a request.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The document, as it was when the request arrived.
    pub document: Arc<Document>,
    /// The analysis: complete, or for each name the instance that is shown.
    pub analysed: Arc<Analysed>,
    /// Whether all instances are known.
    pub is_whole: bool,
    /// The newest version whose instances were all known, where those of this one are not.
    before: Option<Arc<Whole>>,
}

impl Seen {
    /// All that is known of a document.
    fn whole((document, analysed): (Arc<Document>, Arc<Analysed>)) -> Self {
        Self {
            document,
            analysed,
            is_whole: true,
            before: None,
        }
    }

    /// The same, as they are shown from now on.
    pub fn shown_hints_in(&self, range: Range<usize>, chosen: &Chosen) -> Vec<Hint> {
        let found = self.hints_in(range.clone(), chosen);
        if self.is_whole {
            return found;
        }
        self.document.early.note_shown(range.clone(), said(&found));
        // Whoever puts all in its place later tells the client what changed.
        match self.document.known.peek() {
            Some(known) => hints::hints_in(&known.analysis, &known.text, range, chosen),
            None => found,
        }
    }

    /// The hints on the lines that a range of bytes touches.
    pub fn hints_in(&self, range: Range<usize>, chosen: &Chosen) -> Vec<Hint> {
        let (analysis, text) = (&self.analysed.analysis, &*self.analysed.text);
        if self.is_whole {
            return hints::hints_in(analysis, text, range, chosen);
        }
        let Some(before) = self.before.as_deref() else {
            return hints::hints_in(analysis, text, range, chosen);
        };
        let before = Before {
            analysis: &before.analysed.analysis,
            text: &before.analysed.text,
            now: &|byte| before.moves.now(byte),
            then: &|byte| before.moves.before(byte),
        };
        first_hints_in(analysis, text, range, chosen, &before)
    }
}

/// The source of the answer for hints.
#[derive(Debug, Clone)]
pub enum Timely {
    /// The analysis of the present text.
    Known(Seen),
    /// The results for an earlier version, if there were any: the rest took too long.
    Late(Late),
}

/// A document of whose text too little is known yet.
#[derive(Debug, Clone)]
pub struct Late {
    /// The document, as it was when the request arrived.
    pub document: Arc<Document>,
    /// The newest version of which all was known.
    before: Option<Arc<Whole>>,
}

impl Late {
    /// The hints to be shown until others are known, which the client is told when they are.
    pub fn shown_hints_in(&self, text: &str, range: Range<usize>, chosen: &Chosen) -> Vec<Hint> {
        let found = self.before.as_deref().map_or_else(Vec::new, |whole| {
            let before = Before {
                analysis: &whole.analysed.analysis,
                text: &whole.analysed.text,
                now: &|byte| whole.moves.now(byte),
                then: &|byte| whole.moves.before(byte),
            };
            let edited = whole.edited_in(text);
            moved_hints_in(text, range.clone(), chosen, &before, &edited)
        });
        self.document.early.note_shown(range.clone(), said(&found));
        // Whoever puts all in its place later tells the client what changed.
        match self.document.known.peek() {
            Some(known) => hints::hints_in(&known.analysis, &known.text, range, chosen),
            None => found,
        }
    }
}

/// The texts of hints, and their places.
fn said(hints: &[Hint]) -> Said {
    let hints = hints.iter();
    hints
        .map(|hint| (hint.byte_offset, hint.label(0)))
        .collect()
}

/// The document that a request for hints is about with the source of their answer: [the analysis](of_request) of its
/// text where that is there in time. A client that cannot be told to fetch hints again waits longer.
///
/// # Errors
/// As [`of_request`], but not for time.
pub async fn in_time(
    session: &Arc<Session>,
    uri: &Url,
    range: impl Fn(&Document) -> Range<usize>,
) -> Result<Option<Timely>> {
    let Some(document) = asked(session, uri).await else {
        return Ok(None);
    };
    let refreshes = session.client().refreshes_hints;
    let patience = if document.before().is_some() && refreshes {
        session.settings.patience
    } else {
        FIRST_HINTS_PATIENCE.max(session.settings.patience)
    };
    // Of a version that was just opened, a part is enough where the client fetches the rest later.
    let of_all = refreshes.then_some(session.settings.patience);
    let looked_at = LookedAt::bytes(range(&document));
    let known = of_document(session, document.clone(), looked_at.clone(), of_all);
    if let Ok(seen) = tokio::time::timeout(patience, known).await {
        return Ok(seen?.map(Timely::Known));
    }
    let document = renewed(session, &document).unwrap_or(document);
    tell_of_first(session, &document, looked_at);
    let before = document.before();
    Ok(Some(Timely::Late(Late { document, before })))
}

/// The document with the same text after another file changed: a request about the one before is about it, too.
fn renewed(session: &Session, before: &Document) -> Option<Arc<Document>> {
    let now = session.documents.get(&before.uri)?;
    let is_same = now.version == before.version && now.text == before.text;
    (is_same && !std::ptr::eq(Arc::as_ptr(&now), before)).then_some(now)
}

/// Has the client fetch hints again once those of the instances that are shown are known, where they are others than
/// those that were answered.
fn tell_of_first(session: &Arc<Session>, document: &Arc<Document>, looked_at: LookedAt) {
    if !document.may_come_in_part() {
        return;
    }
    let (session, document) = (session.clone(), document.clone());
    session.runtime.clone().spawn(async move {
        let first = shown(&session, &document, looked_at).await;
        if document.known.peek().is_some() {
            return;
        }
        let Ok(Some(analysed)) = first else {
            return;
        };
        let seen = Seen {
            before: document.before(),
            document: document.clone(),
            analysed,
            is_whole: false,
        };
        let chosen = session.chosen(&document.uri);
        if document
            .early
            .shows_other_than(|range| said(&seen.hints_in(range, &chosen)))
        {
            analyses::refresh_hints(&session);
        }
    });
}

/// The document a request is about with its shown part, where `range` is the visible range. `None` when it is not open,
/// not ours, out of sync or too large.
///
/// # Errors
/// The errors: a newer edit overtook the request, or the analysis panicked.
pub async fn of_request(
    session: &Arc<Session>,
    uri: &Url,
    looked_at: impl FnOnce(&Document) -> LookedAt,
) -> Result<Option<Seen>> {
    match asked(session, uri).await {
        Some(document) => {
            let looked_at = looked_at(&document);
            of_document(session, document, looked_at, None).await
        }
        None => Ok(None),
    }
}

/// The document that a request is about, once it is the turn of the request; `None` where it is not open, not ours, out of sync
/// or too large.
async fn asked(session: &Arc<Session>, uri: &Url) -> Option<Arc<Document>> {
    let document = session.open_at_arrival().get(uri).cloned()?;
    document.source()?;
    session.turn().await;
    Some(document)
}

/// The analysis of a document, also where another file changes meanwhile.
async fn of_document(
    session: &Arc<Session>,
    mut document: Arc<Document>,
    looked_at: LookedAt,
    patience: Option<Duration>,
) -> Result<Option<Seen>> {
    loop {
        match of_version(session, document.clone(), looked_at.clone(), patience).await {
            Ok(seen) => return Ok(seen),
            Err(error) => document = renewed(session, &document).ok_or(error)?,
        }
    }
}

/// The analysis of a version of a document. Where its shown part lacks what is looked at, all of it is waited for: not longer
/// than `patience`, if there is one, and then it is that part.
async fn of_version(
    session: &Arc<Session>,
    document: Arc<Document>,
    looked_at: LookedAt,
    patience: Option<Duration>,
) -> Result<Option<Seen>> {
    let mut part = None;
    if document.known.peek().is_none() && document.may_come_in_part() {
        let carried = carried(session, &document).await;
        if let Some(analysed) = carried.map_err(|stopped| session.answer_to(stopped))? {
            return Ok(Some(Seen::whole((document, analysed))));
        }
        let asked = looked_at.asked.clone();
        let first = shown(session, &document, looked_at).await;
        let before = document.before();
        // All may have become known meanwhile.
        if document.known.peek().is_none()
            && let Some(analysed) = first.map_err(|stopped| session.answer_to(stopped))?
        {
            // Where the requested instances have no value, another unit may make it.
            let is_enough = before.is_some()
                || !analysed.analysis.lacks_shown()
                || has_value(&analysed, &asked);
            let seen = Seen {
                document: document.clone(),
                analysed,
                is_whole: false,
                before,
            };
            if is_enough {
                return Ok(Some(seen));
            }
            part = Some(seen);
        }
    }
    let all = analyses::of_document(session, document);
    let found = match (part, patience) {
        (Some(part), Some(patience)) => match tokio::time::timeout(patience, all).await {
            Ok(found) => found?,
            Err(_) => return Ok(Some(part)),
        },
        _ => all.await?,
    };
    Ok(found.map(Seen::whole))
}

/// Whether a value is known of a name on some bytes.
fn has_value(analysed: &Analysed, bytes: &Range<usize>) -> bool {
    let mut facts = analysed.analysis.facts.iter();
    facts.any(|fact| bytes.contains(&fact.name_span.start) && fact.reason().is_none())
}

/// The analysis of an earlier version, where this one means the same: only comments and white space were edited. Then
/// nothing is evaluated.
pub async fn carried(
    session: &Arc<Session>,
    document: &Arc<Document>,
) -> std::result::Result<Option<Arc<Analysed>>, Stopped> {
    let before = document.before().filter(|before| !before.is_overtaken);
    let start = |cancel| {
        let (session, document) = (session.clone(), document.clone());
        session.runtime.clone().spawn(async move {
            let result = match before {
                Some(before) => {
                    let text: Arc<str> = document.text.to_string().into();
                    let carry = move |_: &Cancel| before.analysed.carried_to(text).map(Arc::new);
                    session.pool.run(cancel, carry).await
                }
                None => Ok(None),
            };
            document.carried.fill(result);
        });
    };
    document.carried.wait(start).await
}

/// The analysis of the shown instances in the visible bytes, which the first request has started; `None` where no
/// translation unit includes the document and no earlier version says what makes them, or too much of it is under way
/// already.
pub async fn shown(
    session: &Arc<Session>,
    document: &Arc<Document>,
    looked_at: LookedAt,
) -> std::result::Result<Option<Arc<Analysed>>, Stopped> {
    let Some(shown) = document.early.shown_of(&looked_at) else {
        return Ok(None);
    };
    let start = |cancel| {
        let (session, document, shown) = (session.clone(), document.clone(), shown.clone());
        session.runtime.clone().spawn(async move {
            let result = compute(&session, &document, shown.bytes.clone(), cancel).await;
            shown.slot.fill(result);
        });
    };
    shown.slot.wait(start).await
}

async fn compute(
    session: &Session,
    document: &Document,
    looked_at: Range<usize>,
    cancel: Cancel,
) -> std::result::Result<Option<Arc<Analysed>>, Stopped> {
    let Some(source) = document.source() else {
        return Err(Stopped::Cancelled);
    };
    let project = session.project_of(&document.path());
    let overlay = analyses::overlay(&session.documents.now());
    let (chosen, before) = (session.chosen(&document.uri), document.before());
    // Hints do not show costs, but for those of accesses.
    let has_costs = before.is_none() || session.config().hints.shows(Class::Access);
    let options = Options {
        costs: has_costs,
        ..analyses::options(session, &document.uri, Which::Plain)
    };
    let work = move |cancel: &Cancel| {
        let shown = || match &before {
            Some(before) => of_earlier(before, &looked_at, &chosen),
            None => Shown::looked_at(looked_at.clone()),
        };
        let is_new = before.is_none();
        let mut first = source.analyse_shown(&options, &project, overlay, shown, is_new, cancel)?;
        if let Some(first) = &mut first {
            // The findings of any instance are known when all are.
            first.analysis.findings = before.iter().flat_map(|it| it.moved_findings()).collect();
            first.analysis.preconditions.clear();
            if let Some(before) = before.as_deref().filter(|_| !has_costs) {
                let costs = &before.analysed.analysis;
                let now = |span| before.now(span);
                first.analysis.take_costs(costs, &looked_at, &now);
            }
        }
        Some(first.map(Arc::new))
    };
    let first = session.pool.run(cancel, work).await?;
    first.ok_or(Stopped::Cancelled)
}

/// The shown part of a document whose earlier version is known.
fn of_earlier(before: &Whole, looked_at: &Range<usize>, chosen: &Chosen) -> Shown {
    let is_seen = |byte: usize| {
        let now = before.moves.now(byte);
        now.is_some_and(|byte| (looked_at.start..=looked_at.end).contains(&byte))
    };
    let analysis = &before.analysed.analysis;
    let choice = |facts: &[&Fact]| chosen.first_of(facts);
    Shown::of(analysis, is_seen, choice, |byte| before.moves.now(byte))
}

/// Whether hints that were answered are others now that all is known.
pub fn has_changed(session: &Session, document: &Document, known: &Analysed) -> bool {
    let chosen = session.chosen(&document.uri);
    document.early.shows_other_than(|range| {
        let now = hints::hints_in(&known.analysis, &known.text, range, &chosen);
        said(&now)
    })
}
