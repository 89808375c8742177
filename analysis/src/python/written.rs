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

/// A run of a branch that not every run of the script takes: its number, and 0 outside of all.
pub(super) type Branch = usize;

/// A file that a script writes.
#[derive(Debug, Default)]
struct File {
    /// Its text; nothing where a part is not known.
    text: Option<String>,
    /// Whether the script has closed it.
    is_closed: bool,
    /// The branch that opened it: the runs that come there write all of it.
    branch: Branch,
    /// Its text in the runs that do not write it again, where it was written before.
    before: Option<Before>,
}

/// The text of a file before a branch wrote it again; nothing where a part was not known.
#[derive(Debug)]
struct Before {
    text: Option<String>,
}

impl File {
    /// Forgets a text that some runs leave and others do not.
    fn settle(&mut self) {
        if let Some(before) = self.before.take()
            && before.text != self.text
        {
            self.text = None;
        }
    }
}

impl Writes {
    /// The files of which every part is known. Where the script did not come to its end, what it had not closed is not
    /// whole.
    pub(crate) fn into_known(self, is_ended: bool) -> impl Iterator<Item = (String, String)> {
        let files = self.files.into_iter().map(|(path, mut file)| {
            file.settle();
            (path, file)
        });
        let whole = files.filter(move |(_, file)| is_ended || file.is_closed);
        whole.filter_map(|(path, file)| Some((path, file.text?)))
    }

    pub(super) fn begin(&mut self, path: String, goes_on: bool, branch: Branch) {
        let known = self.files.remove(&path);
        let is_sure = branch == 0;
        let file = match known {
            Some(known) if goes_on => {
                let is_whole = known.branch == branch;
                File {
                    text: known.text.filter(|_| is_whole),
                    is_closed: false,
                    ..known
                }
            }
            Some(known) if !is_sure => File {
                text: Some(String::new()),
                is_closed: false,
                branch,
                before: Some(Before { text: known.text }),
            },
            // The branch may be run several times.
            _ => File {
                text: (is_sure || !goes_on).then(String::new),
                branch,
                ..File::default()
            },
        };
        self.files.insert(path, file);
    }

    pub(super) fn write(&mut self, path: &str, more: Option<&str>, branch: Branch) {
        let Some(file) = self.files.get_mut(path) else {
            return;
        };
        let more = more.filter(|_| file.branch == branch);
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
            file.settle();
        }
    }

    /// Whether a file is there in all runs that come to this branch, or in some.
    pub(super) fn is_sure(&self, path: &str, branch: Branch) -> bool {
        let file = self.files.get(path);
        file.is_none_or(|file| file.branch == 0 || file.branch == branch)
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.text.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::Writes;

    fn written(writes: &mut Writes, path: &str, text: &str, branch: usize) {
        writes.begin(path.to_owned(), false, branch);
        writes.write(path, Some(text), branch);
        writes.close(path);
    }

    fn known(writes: Writes) -> Vec<(String, String)> {
        writes.into_known(true).collect()
    }

    #[test]
    fn a_file_that_one_branch_writes_as_a_whole_is_known() {
        let mut writes = Writes::default();
        written(&mut writes, "a.cu", "a", 3);
        assert!(writes.is_sure("a.cu", 3) && !writes.is_sure("a.cu", 0));
        // Again, the same.
        written(&mut writes, "a.cu", "a", 4);
        assert_eq!(known(writes), [("a.cu".to_owned(), "a".to_owned())]);
    }

    #[test]
    fn a_text_that_depends_on_the_branch_is_not_known() {
        let mut writes = Writes::default();
        written(&mut writes, "a.cu", "a", 0);
        written(&mut writes, "a.cu", "b", 1);
        written(&mut writes, "b.cu", "a", 1);
        written(&mut writes, "b.cu", "b", 2);
        writes.begin("c.cu".to_owned(), false, 0);
        writes.write("c.cu", Some("a"), 0);
        writes.write("c.cu", Some("b"), 1);
        written(&mut writes, "d.cu", "a", 1);
        writes.begin("d.cu".to_owned(), true, 2);
        writes.write("d.cu", Some("b"), 2);
        writes.begin("e.cu".to_owned(), true, 1);
        writes.write("e.cu", Some("a"), 1);
        assert_eq!(known(writes), []);
    }

    #[test]
    fn what_is_written_last_in_every_run_is_known() {
        let mut writes = Writes::default();
        written(&mut writes, "a.cu", "a", 1);
        written(&mut writes, "a.cu", "b", 0);
        assert_eq!(known(writes), [("a.cu".to_owned(), "b".to_owned())]);
    }
}
