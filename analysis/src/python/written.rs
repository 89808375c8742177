//! The files that a script writes.

use std::collections::BTreeMap;

/// Bytes of one file that a script writes, and of all its files.
const FILE: usize = 1 << 20;
const FILES: usize = 32 << 20;

/// The files of a script.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    /// The files by the paths that the script names.
    files: BTreeMap<String, File>,
    bytes: usize,
}

/// A file that a script writes.
#[derive(Debug, Default)]
struct File {
    /// Nothing where a part is not known.
    text: Option<String>,
    /// Whether the script has closed it.
    is_closed: bool,
}

impl Writes {
    /// The files of which every part is known. Where the script did not come to its end, what it had not closed is not
    /// whole.
    pub(crate) fn into_known(self, is_ended: bool) -> impl Iterator<Item = (String, String)> {
        let files = self.files.into_iter();
        let whole = files.filter(move |(_, file)| is_ended || file.is_closed);
        whole.filter_map(|(path, file)| Some((path, file.text?)))
    }

    pub(super) fn begin(&mut self, path: String, goes_on: bool) {
        let file = self.files.entry(path).or_insert_with(|| File {
            text: Some(String::new()),
            is_closed: false,
        });
        file.is_closed = false;
        if !goes_on {
            file.text = Some(String::new());
        }
    }

    pub(super) fn write(&mut self, path: &str, more: Option<&str>) {
        let Some(file) = self.files.get_mut(path) else {
            return;
        };
        self.bytes = self.bytes.saturating_add(more.map_or(0, str::len));
        let fits = |text: &String, more: &str| text.len() + more.len() <= FILE;
        file.text = match (file.text.take(), more) {
            (Some(text), Some(more)) if fits(&text, more) && self.bytes <= FILES => {
                Some(text + more)
            }
            _ => None,
        };
    }

    pub(super) fn close(&mut self, path: &str) {
        if let Some(file) = self.files.get_mut(path) {
            file.is_closed = true;
        }
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.text.as_deref()
    }
}
