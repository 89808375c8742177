//! A notebook and its cells.

use ropey::Rope;
use serde_json::Value;

/// The number that the protocol gives to cells of code.
const CODE: i64 = 2;

/// A notebook that is open, at one version.
#[derive(Debug, Clone)]
pub struct Notebook {
    uri: String,
    module: String,
    version: i64,
    pub(super) cells: Vec<Cell>,
}

/// A cell.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) uri: String,
    pub(super) version: i64,
    pub(super) is_code: bool,
    pub(super) text: Rope,
}

/// The text at a place of parameters.
pub(super) fn text_at<'v>(value: &'v Value, pointer: &str) -> Result<&'v str, String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.ok_or_else(|| format!("there is no text at `{pointer}`"))
}

impl Notebook {
    /// The notebook that a client opens.
    pub(super) fn opened(params: &Value) -> Result<Self, String> {
        let uri = text_at(params, "/notebookDocument/uri")?;
        let mut notebook = Self {
            module: format!("{}.py", file_of(uri)),
            uri: uri.to_owned(),
            version: number_at(params, "/notebookDocument/version"),
            cells: cells_of(params.pointer("/notebookDocument/cells"))?,
        };
        notebook.fill(params.get("cellTextDocuments"))?;
        Ok(notebook)
    }

    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// The address of the document that all cells together are.
    pub(super) fn module(&self) -> &str {
        &self.module
    }

    pub(super) fn version(&self) -> i64 {
        self.version
    }

    pub(super) fn set_version(&mut self, params: &Value) {
        // A client may leave it out; a newer one has a greater number.
        let given = number_at(params, "/notebookDocument/version");
        self.version = given.max(self.version + 1);
    }

    /// Puts texts into the cells that they are of.
    pub(super) fn fill(&mut self, documents: Option<&Value>) -> Result<(), String> {
        for document in documents.and_then(Value::as_array).into_iter().flatten() {
            let uri = text_at(document, "/uri")?;
            if let Some(cell) = self.cells.iter_mut().find(|cell| cell.uri == uri) {
                cell.text = Rope::from_str(text_at(document, "/text")?);
                cell.version = number_at(document, "/version");
                let language = document.get("languageId").and_then(Value::as_str);
                cell.is_code &= language.is_none_or(|language| language == "python");
            }
        }
        Ok(())
    }

    /// The text of the module.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for cell in self.cells.iter().filter(|cell| cell.is_code) {
            cell.add_to(&mut text);
        }
        text
    }

    /// The cells of the module, each with its first line there.
    pub(super) fn placed(&self) -> impl Iterator<Item = (&Cell, u64)> {
        let mut first = 0;
        let code = self.cells.iter().filter(|cell| cell.is_code);
        code.map(move |cell| {
            let at = first;
            first += cell.lines();
            (cell, at)
        })
    }
}

impl Cell {
    /// Number of lines of the module that are its own.
    pub(super) fn lines(&self) -> u64 {
        let breaks = self.text.chunks().map(|chunk| chunk.matches('\n').count());
        breaks.sum::<usize>() as u64 + 1
    }

    /// Adds its lines; those that are commands of `IPython`, as comments of the same length.
    fn add_to(&self, module: &mut String) {
        let text = self.text.to_string();
        let is_other = text.trim_start().starts_with("%%");
        for line in text.split('\n') {
            let code = line.trim_start();
            let is_command = code.starts_with(['%', '!']);
            if is_other || is_command {
                let indented = line.len() - code.len();
                module.push_str(&line[..indented]);
                let mut rest = code.chars();
                if rest.next().is_some() {
                    module.push('#');
                    module.push_str(rest.as_str());
                }
            } else {
                module.push_str(line);
            }
            module.push('\n');
        }
    }
}

/// The cells of a list, their texts still empty.
pub(super) fn cells_of(list: Option<&Value>) -> Result<Vec<Cell>, String> {
    let cells = list.and_then(Value::as_array).into_iter().flatten();
    cells
        .map(|cell| {
            Ok(Cell {
                uri: text_at(cell, "/document")?.to_owned(),
                version: 0,
                is_code: cell.get("kind").and_then(Value::as_i64) == Some(CODE),
                text: Rope::new(),
            })
        })
        .collect()
}

pub(super) fn number_at(value: &Value, pointer: &str) -> i64 {
    value.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

/// The address of the file of a notebook.
fn file_of(uri: &str) -> &str {
    uri.split(['#', '?']).next().unwrap_or(uri)
}
