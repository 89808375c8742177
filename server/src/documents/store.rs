//! All documents that are open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tower_lsp::lsp_types::Url;

use super::Document;

/// The open documents at one moment.
pub type Open = Arc<HashMap<Url, Arc<Document>>>;

/// The open documents now.
#[derive(Debug, Default)]
pub struct Documents {
    open: Mutex<Open>,
}

impl Documents {
    /// All of them, as they are at this moment.
    pub fn now(&self) -> Open {
        self.lock().clone()
    }

    /// One of them, as it is at this moment.
    pub fn get(&self, uri: &Url) -> Option<Arc<Document>> {
        self.lock().get(uri).cloned()
    }

    /// Puts a new version in the place of an older one, whose work is cancelled.
    pub fn put(&self, document: Arc<Document>) {
        let older = Arc::make_mut(&mut self.lock()).insert(document.uri.clone(), document);
        if let Some(older) = older {
            older.cancel();
        }
    }

    /// Puts a document in the place of `document`, if that is the newest version; whether it was.
    pub fn replace(&self, document: &Arc<Document>, by: Arc<Document>) -> bool {
        let mut open = self.lock();
        let is_newest = open
            .get(&document.uri)
            .is_some_and(|newest| Arc::ptr_eq(newest, document));
        if is_newest {
            Arc::make_mut(&mut open).insert(by.uri.clone(), by);
            document.cancel();
        }
        is_newest
    }

    /// Forgets a document and cancels its work; `false` if it was not open.
    pub fn close(&self, uri: &Url) -> bool {
        let closed = Arc::make_mut(&mut self.lock()).remove(uri);
        if let Some(closed) = &closed {
            closed.cancel();
        }
        closed.is_some()
    }

    /// Does `act` if `document` is the newest version; none newer can come meanwhile. So a message about a version is
    /// never sent after one about a newer version.
    pub fn if_newest(&self, document: &Arc<Document>, act: impl FnOnce()) {
        let open = self.lock();
        if open
            .get(&document.uri)
            .is_some_and(|newest| Arc::ptr_eq(newest, document))
        {
            act();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
