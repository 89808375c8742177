//! Notebooks: their cells of Python are one module, in order.
//!
//! The module is a document of ours, `notebook.ipynb.py`. Notifications about a cell become notifications about the
//! module, and answers about the module are brought back to the cell: lines are those of the cell, and text of other
//! cells is left out. Commands of `IPython` are comments.

mod cells;
mod changes;
mod leaving;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::encoding::Encoding;
pub use cells::Notebook;
pub use leaving::Asked;

/// The notebooks that the editor has open.
#[derive(Debug, Default)]
pub struct Notebooks(Mutex<Vec<Arc<Notebook>>>);

/// A notification about the module of a notebook.
#[derive(Debug, PartialEq)]
pub struct Said {
    /// The method.
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
}

impl Notebooks {
    /// The notification about its module that a notification about a notebook means; nothing where there is no module.
    ///
    /// # Errors
    /// The reason why the notification is not valid.
    pub fn notified(
        &self,
        method: &str,
        params: &Value,
        encoding: Encoding,
    ) -> Result<Option<Said>, String> {
        match method {
            "notebookDocument/didOpen" => self.opened(params).map(Some),
            "notebookDocument/didChange" => self.changed(params, encoding).map(Some),
            "notebookDocument/didClose" => Ok(self.closed(params)),
            _ => Ok(None),
        }
    }

    fn opened(&self, params: &Value) -> Result<Said, String> {
        let notebook = Notebook::opened(params)?;
        let said = Said {
            method: "textDocument/didOpen",
            params: json!({"textDocument": {
                "uri": notebook.module(),
                "languageId": "python",
                "version": notebook.version(),
                "text": notebook.text(),
            }}),
        };
        let mut all = self.all();
        all.retain(|other| other.uri() != notebook.uri());
        all.push(Arc::new(notebook));
        Ok(said)
    }

    fn changed(&self, params: &Value, encoding: Encoding) -> Result<Said, String> {
        let uri = cells::text_at(params, "/notebookDocument/uri")?;
        let mut all = self.all();
        let Some(known) = all.iter_mut().find(|known| known.uri() == uri) else {
            return Err(format!("{uri} was changed, but is not open"));
        };
        let changed = known.changed(params, encoding)?;
        let said = Said {
            method: "textDocument/didChange",
            params: json!({
                "textDocument": {"uri": changed.module(), "version": changed.version()},
                "contentChanges": [{"text": changed.text()}],
            }),
        };
        *known = Arc::new(changed);
        Ok(said)
    }

    fn closed(&self, params: &Value) -> Option<Said> {
        let uri = params.pointer("/notebookDocument/uri")?.as_str()?;
        let mut all = self.all();
        let at = all.iter().position(|known| known.uri() == uri)?;
        let notebook = all.remove(at);
        Some(Said {
            method: "textDocument/didClose",
            params: json!({"textDocument": {"uri": notebook.module()}}),
        })
    }

    /// Makes a question about a cell one about the module; nothing where it is about no cell.
    pub fn ask(&self, method: &str, params: &mut Value) -> Option<Asked> {
        let all = self.all();
        all.iter()
            .find_map(|notebook| Asked::about(notebook, method, params))
    }

    /// A notification about the module as one for each cell, with the address of each; nothing where it is about no
    /// notebook.
    pub fn of_cells(&self, params: &Value) -> Option<Vec<(String, Value)>> {
        let uri = params.get("uri")?.as_str()?;
        let all = self.all();
        let notebook = all.iter().find(|known| known.module() == uri)?;
        Some(leaving::of_cells(notebook, params))
    }

    fn all(&self) -> MutexGuard<'_, Vec<Arc<Notebook>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
