//! The positions of the rows of a recording in the text of now.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::checksum::crc32;
use super::file::{Recording, Role, Row};

/// The record of one binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The bytes of the name.
    pub span: Range<usize>,
    /// The name; `self.tile` of an attribute.
    pub name: String,
    /// The role.
    pub role: Role,
    /// The kind of its first value: `Layout`, `int`.
    pub kind: String,
    /// Its texts, the most frequent first.
    pub texts: Vec<String>,
    /// Set where the file was edited since: its line is as it was, the lines that it depends on may not be.
    pub is_stale: bool,
    /// Of which run.
    pub recording: Arc<Recording>,
}

/// The record of a source, by place. Of a file that was edited since only bindings remain whose line has the text that
/// it had: at its number, or anywhere else once.
pub fn placed(recording: &Arc<Recording>, path: &Path, text: &str) -> Vec<Placed> {
    let Some(file) = recording.files.iter().position(|file| file.path == path) else {
        return Vec::new();
    };
    let is_stale = recording
        .files
        .get(file)
        .is_some_and(|file| file.crc32 != crc32(text.as_bytes()));
    let lines = Lines::of(text);
    let mut by_place: BTreeMap<(usize, usize, &str), Vec<&Row>> = BTreeMap::new();
    for row in recording.rows.iter().filter(|row| row.file == file) {
        if let Some(span) = lines.span_of(row, text) {
            let rows = by_place.entry((span.start, span.end, &*row.name));
            rows.or_default().push(row);
        }
    }
    let mut found = Vec::new();
    for ((start, end, name), mut rows) in by_place {
        rows.sort_by_key(|row| std::cmp::Reverse(row.count));
        let Some(first) = rows.first() else {
            continue;
        };
        found.push(Placed {
            span: start..end,
            name: name.to_owned(),
            role: first.role,
            kind: first.kind.clone(),
            texts: rows.iter().map(|row| row.text.clone()).collect(),
            is_stale,
            recording: Arc::clone(recording),
        });
    }
    found
}

/// The lines of a text with their checksums.
struct Lines {
    /// The start of each line, and its checksum without blanks around it.
    lines: Vec<(usize, u32)>,
    /// The line with a checksum; `None` where several have it.
    alone: HashMap<u32, Option<usize>>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut lines = Vec::new();
        let mut alone = HashMap::new();
        let mut start = 0;
        for line in text.split('\n') {
            let sum = crc32(line.trim_ascii().as_bytes());
            alone
                .entry(sum)
                .and_modify(|alone| *alone = None)
                .or_insert(Some(lines.len()));
            lines.push((start, sum));
            start += line.len() + 1;
        }
        Self { lines, alone }
    }

    /// The bytes of the name of a row, if its line is still there.
    fn span_of(&self, row: &Row, text: &str) -> Option<Range<usize>> {
        let then = row.line.checked_sub(1)?;
        let same = self.lines.get(then).filter(|(_, sum)| *sum == row.crc32);
        let start = if let Some((start, _)) = same {
            *start
        } else {
            let line = self.alone.get(&row.crc32).copied().flatten()?;
            self.lines.get(line)?.0
        };
        let start = start.checked_add(row.column)?;
        let span = start..start.checked_add(row.name.len())?;
        // A line that was indented anew has its text elsewhere.
        (text.get(span.clone()) == Some(&*row.name)).then_some(span)
    }
}
