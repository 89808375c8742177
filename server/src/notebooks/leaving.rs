//! Questions about a cell, put to the module, and answers brought back.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::cells::Notebook;

/// Numbers of one token: lines from the one before, characters, length, kind, modifiers.
const TOKEN: usize = 5;

/// A question about a cell.
#[derive(Debug, Clone)]
pub struct Asked {
    notebook: Arc<Notebook>,
    /// The address of the cell.
    cell: String,
    is_about_tokens: bool,
}

/// A cell in the module.
#[derive(Debug, Clone, Copy)]
struct Part<'n> {
    cell: &'n str,
    version: i64,
    first: u64,
    lines: u64,
}

impl Part<'_> {
    fn has(&self, line: u64) -> bool {
        (self.first..self.first + self.lines).contains(&line)
    }
}

impl Asked {
    /// Makes parameters that name a cell of a notebook parameters about its module.
    pub(super) fn about(
        notebook: &Arc<Notebook>,
        method: &str,
        params: &mut Value,
    ) -> Option<Self> {
        let named = parts(notebook).find(|part| names(params, part.cell))?;
        let (cell, first) = (named.cell.to_owned(), named.first);
        enter(params, &cell, notebook.module(), first);
        Some(Self {
            notebook: Arc::clone(notebook),
            cell,
            is_about_tokens: method == "textDocument/semanticTokens/full",
        })
    }

    /// An answer about the module as one about the cell.
    pub fn answer(&self, answer: Value) -> Value {
        let Some(part) = parts(&self.notebook).find(|part| part.cell == self.cell) else {
            return Value::Null;
        };
        if self.is_about_tokens {
            return tokens(answer, part);
        }
        let way = Way {
            notebook: &self.notebook,
            part,
        };
        way.leave(answer).unwrap_or_default()
    }
}

/// A notification about the module, for each cell with its address.
pub(super) fn of_cells(notebook: &Notebook, params: &Value) -> Vec<(String, Value)> {
    parts(notebook)
        .map(|part| {
            let way = Way { notebook, part };
            let mut said = way.leave(params.clone()).unwrap_or_default();
            if let Some(version) = said.get_mut("version") {
                *version = json!(part.version);
            }
            (part.cell.to_owned(), said)
        })
        .collect()
}

fn parts(notebook: &Notebook) -> impl Iterator<Item = Part<'_>> {
    notebook.placed().map(|(cell, first)| Part {
        cell: &cell.uri,
        version: cell.version,
        first,
        lines: cell.lines(),
    })
}

/// Whether a text is anywhere in a value.
fn names(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own == text,
        Value::Array(items) => items.iter().any(|item| names(item, text)),
        Value::Object(members) => members.values().any(|member| names(member, text)),
        _ => false,
    }
}

/// Lines of a cell become those of the module.
fn enter(value: &mut Value, cell: &str, module: &str, first: u64) {
    match value {
        Value::String(text) if text == cell => module.clone_into(text),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| enter(item, cell, module, first)),
        Value::Object(members) => {
            if let Some(line) = line_of(members) {
                members.insert("line".to_owned(), json!(line + first));
                return;
            }
            members
                .values_mut()
                .for_each(|member| enter(member, cell, module, first));
        }
        _ => {}
    }
}

/// The line of a position.
fn line_of(members: &Map<String, Value>) -> Option<u64> {
    members.get("character")?.as_u64()?;
    members.get("line")?.as_u64()
}

/// The first position in a value.
fn first_line(value: &Value) -> Option<u64> {
    match value {
        Value::Array(items) => items.iter().find_map(first_line),
        Value::Object(members) => {
            line_of(members).or_else(|| members.values().find_map(first_line))
        }
        _ => None,
    }
}

/// From the module to a cell.
#[derive(Debug, Clone, Copy)]
struct Way<'n> {
    notebook: &'n Notebook,
    part: Part<'n>,
}

impl<'n> Way<'n> {
    /// A value of the cell; nothing where it is in another one.
    fn leave(self, value: Value) -> Option<Value> {
        Some(match value {
            Value::String(text) if text == self.notebook.module() => json!(self.part.cell),
            Value::Array(items) => Value::Array(
                items
                    .into_iter()
                    .filter_map(|item| self.leave(item))
                    .collect(),
            ),
            Value::Object(members) => Value::Object(self.leave_object(members)?),
            other => other,
        })
    }

    fn leave_object(self, mut members: Map<String, Value>) -> Option<Map<String, Value>> {
        if let Some(line) = line_of(&members) {
            let own = self.part.has(line).then(|| line - self.part.first)?;
            members.insert("line".to_owned(), json!(own));
            return Some(members);
        }
        if let (Some(start), Some(end)) = (members.get("start"), members.get("end"))
            && let (Some(start), Some(end)) = (first_line(start), first_line(end))
        {
            return self.leave_range(&members, start, end);
        }
        // A value that names its document by itself may be about any cell.
        let is_of_document = |key: &str| matches!(key, "uri" | "textDocument");
        let way = if members.keys().any(|key| is_of_document(key)) {
            self.way_of(members.values().find_map(first_line))
        } else {
            self
        };
        let mut left = Map::new();
        for (key, value) in members {
            match key.as_str() {
                "documentChanges" => {
                    left.insert(key, way.split_documents(&value));
                }
                "changes" => {
                    left.insert(key, way.split_changes(&value));
                }
                // The arguments of a command are told apart by their places.
                "arguments" => {
                    let arguments = value.as_array().cloned().unwrap_or_default();
                    let arguments = arguments.into_iter().map(|argument| {
                        let way = way.way_of(first_line(&argument));
                        way.leave(argument).unwrap_or_default()
                    });
                    left.insert(key, Value::Array(arguments.collect()));
                }
                _ => {
                    left.insert(key, way.leave(value)?);
                }
            }
        }
        Some(left)
    }

    /// A range that begins in the cell; it ends there, too.
    fn leave_range(
        self,
        members: &Map<String, Value>,
        start: u64,
        end: u64,
    ) -> Option<Map<String, Value>> {
        let first = self.part.has(start).then(|| start - self.part.first)?;
        let mut range = members.clone();
        range["start"]["line"] = json!(first);
        if self.part.has(end) {
            range["end"]["line"] = json!(end - self.part.first);
        } else {
            range["end"] = json!({"line": self.part.lines, "character": 0});
        }
        Some(range)
    }

    /// The way to the cell that has a line.
    fn way_of(self, line: Option<u64>) -> Self {
        let Some(line) = line else { return self };
        let part = parts(self.notebook).find(|part| part.has(line));
        Self {
            part: part.unwrap_or(self.part),
            ..self
        }
    }

    /// The edits of each cell.
    fn split(self, edits: &Value) -> Vec<(Part<'n>, Value)> {
        let edits = edits.as_array().cloned().unwrap_or_default();
        parts(self.notebook)
            .filter_map(|part| {
                let way = Self { part, ..self };
                let own = edits.iter().cloned().filter_map(|edit| way.leave(edit));
                let own: Vec<Value> = own.collect();
                (!own.is_empty()).then_some((part, Value::Array(own)))
            })
            .collect()
    }

    fn split_documents(self, changes: &Value) -> Value {
        let mut split = Vec::new();
        let is_module = |change: &Value| {
            let uri = change.pointer("/textDocument/uri").and_then(Value::as_str);
            uri == Some(self.notebook.module())
        };
        for change in changes.as_array().cloned().unwrap_or_default() {
            if !is_module(&change) {
                split.push(change);
                continue;
            }
            for (part, edits) in self.split(&change["edits"]) {
                split.push(json!({
                    "textDocument": {"uri": part.cell, "version": part.version},
                    "edits": edits,
                }));
            }
        }
        Value::Array(split)
    }

    fn split_changes(self, changes: &Value) -> Value {
        let mut split = Map::new();
        for (uri, edits) in changes.as_object().cloned().unwrap_or_default() {
            if uri != self.notebook.module() {
                split.insert(uri, edits);
                continue;
            }
            for (part, edits) in self.split(&edits) {
                split.insert(part.cell.to_owned(), edits);
            }
        }
        Value::Object(split)
    }
}

/// The tokens of a cell among those of the module.
fn tokens(mut answer: Value, part: Part<'_>) -> Value {
    let numbers = answer.get("data").and_then(Value::as_array);
    let numbers: Vec<u64> = numbers
        .into_iter()
        .flatten()
        .filter_map(Value::as_u64)
        .collect();
    let (mut line, mut character) = (0, 0);
    let (mut last_line, mut last_character) = (part.first, 0);
    let mut own = Vec::new();
    for token in numbers.chunks_exact(TOKEN) {
        let [lines, characters, length, kind, modifiers] = *token else {
            continue;
        };
        character = if lines == 0 {
            character + characters
        } else {
            characters
        };
        line += lines;
        if !part.has(line) {
            continue;
        }
        let from = if line == last_line { last_character } else { 0 };
        own.extend([line - last_line, character - from, length, kind, modifiers]);
        (last_line, last_character) = (line, character);
    }
    if let Some(data) = answer.get_mut("data") {
        *data = json!(own);
    }
    answer
}
