//! Records the messages between client and server, for a check against the protocol's own model.
//!
//! With [`FOLDER_VARIABLE`] set, every client writes a file of JSON lines there: the messages of the server, and for an
//! answer also the method. `tests/conformance/check.py` reads them.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

/// The environment variable that names the folder.
pub const FOLDER_VARIABLE: &str = "CUTE_TESTS_RECORD";

/// The messages of one client's server.
#[derive(Debug, Default)]
pub struct Record {
    file: Option<File>,
    /// The methods of the client's requests, by the text of their id.
    methods: HashMap<String, String>,
}

impl Record {
    /// A record for one client, if one is wanted.
    pub fn start() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let Some(folder) = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from) else {
            return Self::default();
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{}-{number}.jsonl", std::process::id()));
        let file = File::create(&path)
            .unwrap_or_else(|error| panic!("{FOLDER_VARIABLE}: {}: {error}", path.display()));
        Self {
            file: Some(file),
            methods: HashMap::new(),
        }
    }

    /// Notes a message to the server.
    pub fn sent(&mut self, message: &Value) {
        if self.file.is_none() {
            return;
        }
        if let (Some(id), Some(Value::String(method))) = (message.get("id"), message.get("method"))
        {
            self.methods.insert(id.to_string(), method.clone());
        }
    }

    /// Writes down a message from the server.
    pub fn received(&mut self, message: &Value) {
        let Some(file) = &mut self.file else { return };
        let answers = message
            .get("id")
            .filter(|_| message.get("method").is_none())
            .and_then(|id| self.methods.get(&id.to_string()));
        let line = json!({"message": message, "answers": answers});
        writeln!(file, "{line}").expect("the record");
    }
}
