//! A client's changes to a notebook: its cells, and their texts.

use serde_json::Value;
use tower_lsp::lsp_types::{TextDocumentContentChangeEvent, Url};

use super::cells::{Notebook, cells_of, number_at, text_at};
use crate::documents::{Document, Sync};
use crate::encoding::Encoding;

impl Notebook {
    /// The notebook after a change.
    pub(super) fn changed(&self, params: &Value, encoding: Encoding) -> Result<Self, String> {
        let mut next = self.clone();
        next.set_version(params);
        let cells = params.pointer("/change/cells");
        if let Some(structure) = cells.and_then(|cells| cells.get("structure")) {
            next.restructure(structure)?;
        }
        let texts = cells.and_then(|cells| cells.get("textContent"));
        for change in texts.and_then(Value::as_array).into_iter().flatten() {
            next.edit(change, encoding)?;
        }
        Ok(next)
    }

    fn restructure(&mut self, structure: &Value) -> Result<(), String> {
        let place = |pointer| usize::try_from(number_at(structure, pointer)).unwrap_or(usize::MAX);
        let start = place("/array/start").min(self.cells.len());
        let end = start.saturating_add(place("/array/deleteCount"));
        let end = end.min(self.cells.len());
        let mut added = cells_of(structure.pointer("/array/cells"))?;
        let removed: Vec<_> = self.cells.splice(start..end, Vec::new()).collect();
        // A cell that is only moved keeps its text.
        for cell in &mut added {
            if let Some(before) = removed.iter().find(|before| before.uri == cell.uri) {
                cell.text = before.text.clone();
                cell.version = before.version;
                cell.is_code &= before.is_code;
            }
        }
        self.cells.splice(start..start, added).for_each(drop);
        self.fill(structure.get("didOpen"))
    }

    fn edit(&mut self, change: &Value, encoding: Encoding) -> Result<(), String> {
        let uri = text_at(change, "/document/uri")?;
        let cell = self.cells.iter_mut().find(|cell| cell.uri == uri);
        let Some(cell) = cell else {
            return Err(format!(
                "{uri} was changed, but is not a cell of the notebook"
            ));
        };
        let changes = change.get("changes").cloned().unwrap_or_default();
        let changes: Vec<TextDocumentContentChangeEvent> =
            serde_json::from_value(changes).map_err(|error| error.to_string())?;
        let address = Url::parse(uri).map_err(|error| format!("{uri}: {error}"))?;
        let mut before = Document::new(address, "python", 0, "");
        before.text = cell.text.clone();
        let after = before.changed(0, &changes, encoding);
        if let Sync::Lost(reason) = &after.sync {
            return Err(reason.to_string());
        }
        cell.text = after.text.clone();
        cell.version = number_at(change, "/document/version");
        Ok(())
    }
}
