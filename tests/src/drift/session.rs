//! A project in a folder, and a server that sees all operations on it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::language_of;
use super::made::Project;
use super::operation::{self, Operation};
use super::shown::{Shown, differences};
use crate::client::{Builder, Client};
use crate::protocol::{Change, Position, Range};
use crate::random::{Random, boundary};

/// The time that everything has to be still before a difference counts, and the number of attempts.
const STILL: Duration = Duration::from_millis(700);
const TRIES: usize = 4;

/// Documents that are opened first.
const OPENED_FIRST: usize = 3;

/// An open document.
#[derive(Debug, Clone, Default)]
pub(super) struct Opened {
    pub(super) text: String,
    version: i32,
    /// Texts before the last edits, the newest last.
    before: Vec<String>,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) hints: usize,
    pub(super) difference: Option<String>,
}

/// A project that is worked in.
#[derive(Debug)]
pub(super) struct Session {
    binary: PathBuf,
    folder: tempfile::TempDir,
    original: BTreeMap<String, String>,
    disk: BTreeMap<String, String>,
    open: BTreeMap<String, Opened>,
    client: Client,
    made: usize,
}

/// A server in a folder.
fn start(binary: &Path, folder: &Path) -> Client {
    let uri = format!("file://{}", folder.display());
    let mut client = Builder::new(binary)
        .argument("lsp")
        .capability("/textDocument/diagnostic", json!({}))
        .capability("/workspace/codeLens", json!({"refreshSupport": true}))
        .capability("/workspace/diagnostics", json!({"refreshSupport": true}))
        .root(&uri)
        .start();
    client.forgive_unread();
    client
}

impl Session {
    pub(super) fn start(binary: &Path, project: &Project) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // The folder is its own project.
        fs::write(folder.path().join(".clangd"), "").expect("written");
        let files: BTreeMap<String, String> = project.files.iter().cloned().collect();
        for (name, text) in &files {
            write(&folder.path().join(name), text);
        }
        let mut session = Self {
            client: start(binary, folder.path()),
            binary: binary.to_owned(),
            original: files.clone(),
            disk: files,
            open: BTreeMap::new(),
            folder,
            made: 0,
        };
        let first = project
            .files
            .iter()
            .filter(|(name, _)| language_of(name).is_some());
        for (name, _) in first.take(OPENED_FIRST) {
            session.perform(&Operation::Open(name.clone()));
        }
        session
    }

    pub(super) fn random_operation(&mut self, random: &mut Random) -> Operation {
        self.made += 1;
        operation::random(random, &self.disk, &self.open, self.made)
    }

    /// Performs an operation; nothing where it has no valid place.
    pub(super) fn perform(&mut self, operation: &Operation) {
        match operation {
            Operation::Open(file) => self.open(file),
            Operation::Close(file) => {
                if self.open.remove(file).is_some() {
                    let uri = self.uri(file);
                    self.client.close(&uri);
                }
            }
            Operation::Edit {
                file,
                at,
                removed,
                inserted,
            } => self.edit(file, *at, *removed, inserted),
            Operation::Undo(file) => {
                let before = self.open.get_mut(file).and_then(|it| it.before.pop());
                if let Some(before) = before {
                    self.put(file, before);
                }
            }
            Operation::Restore(file) => {
                if let (Some(text), true) = (
                    self.original.get(file).cloned(),
                    self.open.contains_key(file),
                ) {
                    self.note(file);
                    self.put(file, text);
                }
            }
            Operation::Save(file) => self.save(file),
            Operation::Disk { file, text } => {
                if self.disk.contains_key(file) {
                    self.on_disk(file, text);
                    self.changed(&[(file, 2)]);
                }
            }
            Operation::Create { file, text } => {
                let kind = if self.disk.contains_key(file) { 2 } else { 1 };
                self.on_disk(file, text);
                self.changed(&[(file, kind)]);
            }
            Operation::Delete(file) => {
                if self.remove(file).is_some() {
                    self.changed(&[(file, 3)]);
                }
            }
            Operation::Rename { from, to } => {
                // An editor closes the old name, opens the new one, and moves the file.
                let opened = self.open.contains_key(from);
                if let Some(text) = self.remove(from) {
                    self.on_disk(to, &text);
                    if opened {
                        self.perform(&Operation::Close(from.clone()));
                        self.open(to);
                    }
                    self.changed(&[(from, 3), (to, 1)]);
                }
            }
            Operation::Ask { file, at } => self.ask(file, *at),
        }
    }

    fn open(&mut self, file: &str) {
        let (Some(text), Some(language)) = (self.disk.get(file).cloned(), language_of(file)) else {
            return;
        };
        if self.open.contains_key(file) {
            return;
        }
        let uri = self.uri(file);
        self.client.open_as(&uri, language, &text);
        let opened = Opened {
            text,
            version: 1,
            before: Vec::new(),
        };
        self.open.insert(file.to_owned(), opened);
    }

    fn edit(&mut self, file: &str, at: usize, removed: usize, inserted: &str) {
        let Some(opened) = self.open.get_mut(file) else {
            return;
        };
        let start = boundary(&opened.text, at);
        let end = boundary(&opened.text, start + removed).max(start);
        let range = Range {
            start: Position::of_offset(&opened.text, start),
            end: Position::of_offset(&opened.text, end),
        };
        opened.before.push(opened.text.clone());
        opened.text.replace_range(start..end, inserted);
        opened.version += 1;
        let (version, uri) = (opened.version, self.uri(file));
        let change = Change {
            range: Some(range),
            text: inserted.to_owned(),
        };
        self.client.change(&uri, version, &[change]);
    }

    fn note(&mut self, file: &str) {
        if let Some(opened) = self.open.get_mut(file) {
            opened.before.push(opened.text.clone());
        }
    }

    /// Puts a whole text in the place of another one.
    fn put(&mut self, file: &str, text: String) {
        let uri = self.uri(file);
        if let Some(opened) = self.open.get_mut(file) {
            opened.version += 1;
            opened.text.clone_from(&text);
            let version = opened.version;
            self.client
                .change(&uri, version, &[Change { range: None, text }]);
        }
    }

    fn save(&mut self, file: &str) {
        let Some(text) = self.open.get(file).map(|it| it.text.clone()) else {
            return;
        };
        let kind = if self.disk.contains_key(file) { 2 } else { 1 };
        self.on_disk(file, &text);
        let uri = self.uri(file);
        self.client.notify(
            "textDocument/didSave",
            json!({"textDocument": {"uri": uri}}),
        );
        self.changed(&[(file, kind)]);
    }

    fn on_disk(&mut self, file: &str, text: &str) {
        write(&self.folder.path().join(file), text);
        self.disk.insert(file.to_owned(), text.to_owned());
    }

    fn remove(&mut self, file: &str) -> Option<String> {
        let text = self.disk.remove(file)?;
        fs::remove_file(self.folder.path().join(file)).expect("removed");
        Some(text)
    }

    fn changed(&mut self, files: &[(&str, u8)]) {
        let changes: Vec<_> = files
            .iter()
            .map(|(file, kind)| json!({"uri": self.uri(file), "type": kind}))
            .collect();
        self.client.notify(
            "workspace/didChangeWatchedFiles",
            json!({"changes": changes}),
        );
    }

    fn ask(&mut self, file: &str, at: usize) {
        let Some(opened) = self.open.get(file) else {
            return;
        };
        let place = Position::of_offset(&opened.text, boundary(&opened.text, at));
        let uri = self.uri(file);
        let range = Range {
            start: Position::new(place.line.saturating_sub(30), 0),
            end: Position::new(place.line + 30, 0),
        };
        let hints = json!({"textDocument": {"uri": uri}, "range": range});
        let hover = json!({"textDocument": {"uri": uri}, "position": place});
        for (method, params) in [
            ("textDocument/inlayHint", hints),
            ("textDocument/hover", hover),
        ] {
            let id = self.client.request(method, params);
            // An edit of another file may have come between.
            let _ = self.client.await_answer(id);
        }
    }

    /// Compares the output of the server with that of a new one on the present files.
    pub(super) fn compare(&mut self, seed: u64) -> Compared {
        let mut random = Random::new(seed);
        let texts: Vec<(String, String, String)> = self
            .open
            .iter()
            .map(|(file, opened)| (file.clone(), self.uri(file), opened.text.clone()))
            .collect();
        let places: Vec<Vec<Position>> = texts
            .iter()
            .map(|(_, _, text)| super::shown::places(text, &mut random))
            .collect();
        let mut fresh = start(&self.binary, self.folder.path());
        for (file, uri, text) in &texts {
            fresh.open_as(uri, language_of(file).unwrap_or_default(), text);
        }
        let mut compared = Compared::default();
        for attempt in 0..TRIES {
            compared = Compared::default();
            let mut found = Vec::new();
            for ((file, uri, _), places) in texts.iter().zip(&places) {
                let expected = Shown::of(&mut fresh, uri, places);
                let edited = Shown::of(&mut self.client, uri, places);
                compared.hints += expected.hints.len();
                found.extend(differences(file, &edited, &expected));
            }
            if found.is_empty() {
                return compared;
            }
            found.extend(self.texts());
            compared.difference = Some(found.join("\n"));
            if attempt + 1 < TRIES {
                std::thread::sleep(STILL);
            }
        }
        compared
    }

    /// The texts that are open and those on disk, to repeat a difference by hand.
    fn texts(&self) -> Vec<String> {
        let open = self
            .open
            .iter()
            .map(|(file, opened)| format!("open {file}: {:?}", opened.text));
        let disk = self
            .disk
            .iter()
            .filter(|(file, text)| self.open.get(*file).is_none_or(|it| it.text != **text))
            .map(|(file, text)| format!("on disk {file}: {text:?}"));
        open.chain(disk).collect()
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}/{file}", self.folder.path().display())
    }
}

fn write(path: &Path, text: &str) {
    let folder = path.parent().expect("a folder");
    fs::create_dir_all(folder).expect("a folder");
    fs::write(path, text).expect("written");
}
