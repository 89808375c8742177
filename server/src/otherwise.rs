//! The changes by macros that no flag decides in a document, once a hover needs them: computed once for a version, in
//! the background, and shown by later hovers.

use std::sync::Arc;

use cute_analysis::{Fact, Shown, WhatIf};

use crate::analyses::{self, Which};
use crate::documents::{Analysed, Document};
use crate::first::Seen;
use crate::limits::MACROS_PATIENCE;
use crate::pool::{Cancel, Stopped};
use crate::presentation::instances::Chosen;
use crate::session::Session;

/// The changes by macros that no flag decides in the seen part; nothing where that takes longer than a hover waits.
pub async fn what_if(session: &Arc<Session>, seen: &Seen) -> Arc<WhatIf> {
    let (document, analysed) = (seen.document.clone(), seen.analysed.clone());
    let found = document.what_if.wait(|cancel| {
        let (session, document) = (session.clone(), document.clone());
        session.runtime.clone().spawn(async move {
            let result = compute(&session, &document, analysed, cancel).await;
            document.what_if.fill(result);
        });
    });
    match tokio::time::timeout(MACROS_PATIENCE, found).await {
        Ok(Ok(found)) => found,
        _ => Arc::default(),
    }
}

async fn compute(
    session: &Session,
    document: &Document,
    analysed: Arc<Analysed>,
    cancel: Cancel,
) -> Result<Arc<WhatIf>, Stopped> {
    let Some(source) = document.source() else {
        return Err(Stopped::Cancelled);
    };
    let options = analyses::options(session, &document.uri, Which::Plain);
    let project = session.project_of(&document.path());
    let overlay = analyses::overlay(&session.documents.now());
    let chosen = session.chosen(&document.uri);
    let may_have_users = document.may_have_users();
    let work = move |cancel: &Cancel| {
        let shown = may_have_users.then(|| shown(&analysed, &chosen));
        source.what_if(&analysed, &options, &project, overlay, shown, cancel)
    };
    let found = session.pool.run(cancel, work).await?;
    found.ok_or(Stopped::Cancelled)
}

/// The instances that are shown of a header.
fn shown(analysed: &Analysed, chosen: &Chosen) -> Shown {
    let choice = |facts: &[&Fact]| chosen.first_of(facts);
    Shown::of(&analysed.analysis, |_| true, choice, Some)
}
