//! `layouts --snapshot` and `--diff`: the layouts, sizes and figures of sources, kept so that a later run sees the
//! changes.
//!
//! A name is found again by its file, its function and its instance, not by its line: code that only moves does not differ.

mod figures;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use cute_analysis::{Analysis, Dialect, Fact, Value};
use serde::{Deserialize, Serialize};

use super::Session;
use super::output::{Outcome, complain, shown};
use super::source::Source;
use crate::presentation::summary;

/// The form of the file; another one is not compared.
const FORM: u32 = 1;

/// The kept file.
#[derive(Debug, Serialize, Deserialize)]
struct Lock {
    /// Its form.
    form: u32,
    /// The version that wrote it.
    analyzer: String,
    /// Known values, by file and by name.
    files: BTreeMap<String, BTreeMap<String, Entry>>,
}

/// The known figures of one name in one instance: kind, value, and further figures by name.
type Entry = BTreeMap<String, String>;

/// One changed figure.
struct Change {
    file: String,
    line: Option<usize>,
    name: String,
    what: String,
}

/// The positions of the names of a file now.
type Places = BTreeMap<(String, String), usize>;

/// Writes the known figures of the files.
pub(super) fn snapshot(
    files: &[PathBuf],
    target: &Path,
    session: &mut Session,
) -> io::Result<Outcome> {
    let Some((lock, _)) = gathered(files, session) else {
        return Ok(Outcome::Unusable);
    };
    let text = serde_json::to_string_pretty(&lock)?;
    if let Err(error) = std::fs::write(target, text + "\n") {
        complain(&format!("{}: {error}", shown(target)));
        return Ok(Outcome::Unusable);
    }
    Ok(Outcome::Clean)
}

/// Compares the known figures of the files with the kept ones.
pub(super) fn diff(files: &[PathBuf], kept: &Path, session: &mut Session) -> io::Result<Outcome> {
    let before = match read(kept) {
        Ok(lock) => lock,
        Err(mistake) => {
            complain(&format!("{}: {mistake}", shown(kept)));
            return Ok(Outcome::Unusable);
        }
    };
    let Some((now, places)) = gathered(files, session) else {
        return Ok(Outcome::Unusable);
    };
    let changes = changes(&before, &now, &places);
    for change in &changes {
        let line = change
            .line
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        session.out.line(&format!(
            "{}{line}: {}: {}",
            change.file, change.name, change.what
        ))?;
    }
    let count = changes.len();
    let plural = if count == 1 { "" } else { "s" };
    session.out.line(&format!("{count} change{plural}"))?;
    Ok(if changes.is_empty() {
        Outcome::Clean
    } else {
        Outcome::Found
    })
}

fn read(path: &Path) -> Result<Lock, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let lock: Lock =
        serde_json::from_str(&text).map_err(|error| format!("no snapshot of layouts: {error}"))?;
    if lock.form == FORM {
        Ok(lock)
    } else {
        Err(format!("a snapshot of version {}, not {FORM}", lock.form))
    }
}

fn gathered(files: &[PathBuf], session: &mut Session) -> Option<(Lock, Places)> {
    let mut lock = Lock {
        form: FORM,
        analyzer: env!("CARGO_PKG_VERSION").to_owned(),
        files: BTreeMap::new(),
    };
    let mut places = Places::new();
    session.analyser.project.will_analyse(files);
    for path in files {
        let analysed =
            Source::read(path).and_then(|source| Ok((session.analyse(&source)?, source)));
        let (analysis, source) = match analysed {
            Ok(analysed) => analysed,
            Err(error) => {
                complain(&error.to_string());
                return None;
            }
        };
        let file = portable(&source.path);
        let mut entries = BTreeMap::new();
        let is_cute = analysis.dialect == Dialect::Cute;
        let facts = analysis.facts.iter();
        let made = facts.filter(|fact| !is_cute || !fact.is_supposed());
        for fact in made {
            let name = add(&mut entries, &key(fact), entry(fact));
            let line = source.lines.place(fact.name_span.start).line;
            places.insert((file.clone(), name), line);
        }
        let others = kernels(&analysis)
            .into_iter()
            .chain(figures::budgets(&analysis))
            .chain(figures::costs(&analysis, &source.text));
        for (name, figures, start) in others {
            let name = add(&mut entries, &name, figures);
            let line = source.lines.place(start).line;
            places.insert((file.clone(), name), line);
        }
        lock.files.insert(file, entries);
    }
    Some((lock, places))
}

/// Adds an entry; one whose name is there already gets a number.
fn add(entries: &mut BTreeMap<String, Entry>, name: &str, entry: Entry) -> String {
    let mut unique = name.to_owned();
    let mut number = 2;
    while entries.contains_key(&unique) {
        unique = format!("{name} #{number}");
        number += 1;
    }
    entries.insert(unique.clone(), entry);
    unique
}

/// A path that is the same on every system.
fn portable(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/").replace("//", "/")
}

/// `function::name [instance]`.
fn key(fact: &Fact) -> String {
    let function = fact
        .function
        .as_ref()
        .map(|function| format!("{function}::"))
        .unwrap_or_default();
    let instance = fact
        .instance
        .as_ref()
        .map(|instance| format!(" [{instance}]"))
        .unwrap_or_default();
    format!("{function}{}{instance}", fact.name)
}

fn entry(fact: &Fact) -> Entry {
    let mut entry = Entry::new();
    entry.insert("kind".to_owned(), fact.kind().name().to_owned());
    match &*fact.value {
        Value::Unknown(_) => {}
        Value::Tensor(tensor) => {
            entry.insert("value".to_owned(), tensor.layout_value().to_string());
            entry.insert("print".to_owned(), tensor.to_string());
        }
        other => {
            entry.insert("value".to_owned(), other.to_string());
        }
    }
    let parts = cute_analysis::parts(&fact.value);
    entry.extend(
        parts
            .into_iter()
            .map(|(name, part)| (name.to_owned(), part)),
    );
    entry
}

/// The steps of each kernel: bytes, instructions, registers.
fn kernels(analysis: &Analysis) -> Vec<(String, Entry, usize)> {
    summary::of(analysis)
        .into_iter()
        .map(|kernel| {
            let instance = kernel
                .instance
                .as_ref()
                .map(|instance| format!(" [{instance}]"))
                .unwrap_or_default();
            let mut figures = Entry::new();
            for step in &kernel.path {
                let name = step.name.as_deref().unwrap_or_default();
                let what = format!("{} {name}", step.at).trim_end().to_owned();
                add_figure(&mut figures, what, step.text.clone());
            }
            let start = kernel.span.start;
            (format!("kernel {}{instance}", kernel.name), figures, start)
        })
        .collect()
}

fn add_figure(figures: &mut Entry, name: String, text: String) {
    let taken = figures.keys().filter(|key| key.starts_with(&name)).count();
    let name = if figures.contains_key(&name) {
        format!("{name} #{}", taken + 1)
    } else {
        name
    };
    figures.insert(name, text);
}

/// The differences; new names differ from nothing.
fn changes(before: &Lock, now: &Lock, places: &Places) -> Vec<Change> {
    let mut changes = Vec::new();
    for (file, entries) in &before.files {
        let present = now.files.get(file);
        if present.is_none() {
            // A file that was not asked about this time.
            continue;
        }
        for (name, entry) in entries {
            let line = places.get(&(file.clone(), name.clone())).copied();
            let mut note = |what: String| {
                changes.push(Change {
                    file: file.clone(),
                    line,
                    name: name.clone(),
                    what,
                });
            };
            let Some(found) = present.and_then(|present| present.get(name)) else {
                note("is gone".to_owned());
                continue;
            };
            for (figure, was) in entry {
                match found.get(figure) {
                    Some(is) if is == was => {}
                    Some(is) => note(format!("{figure} from {was} to {is}")),
                    None => note(format!("{figure} from {was} to unknown")),
                }
            }
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(value: &str) -> Lock {
        let entry = Entry::from([
            ("kind".to_owned(), "Layout".to_owned()),
            ("value".to_owned(), value.to_owned()),
        ]);
        Lock {
            form: FORM,
            analyzer: String::new(),
            files: BTreeMap::from([(
                "a.cu".to_owned(),
                BTreeMap::from([("f::sA".to_owned(), entry)]),
            )]),
        }
    }

    #[test]
    fn a_change_says_from_what_to_what() {
        let places = Places::from([(("a.cu".to_owned(), "f::sA".to_owned()), 7)]);
        let found = changes(&lock("_8:_1"), &lock("_16:_1"), &places);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "value from _8:_1 to _16:_1");
        assert_eq!(found[0].line, Some(7));
        assert!(changes(&lock("_8:_1"), &lock("_8:_1"), &places).is_empty());
    }

    #[test]
    fn a_name_that_is_gone_is_a_change_and_a_new_one_is_none() {
        let mut empty = lock("_8:_1");
        empty.files.insert("a.cu".to_owned(), BTreeMap::new());
        assert_eq!(changes(&lock("_8:_1"), &empty, &Places::new()).len(), 1);
        assert!(changes(&empty, &lock("_8:_1"), &Places::new()).is_empty());
    }
}
