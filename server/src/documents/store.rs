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

    /// Puts a new version in the place of an older one, which is returned.
    pub fn put(&self, document: Arc<Document>) -> Option<Arc<Document>> {
        Arc::make_mut(&mut self.lock()).insert(document.uri.clone(), document)
    }

    /// Forgets a document, which is returned.
    pub fn close(&self, uri: &Url) -> Option<Arc<Document>> {
        Arc::make_mut(&mut self.lock()).remove(uri)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
