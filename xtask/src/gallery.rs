//! The gallery of pictures under `docs/gallery`, drawn by the program.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command::{program, run};
use crate::place::Checkout;
use crate::server;

/// The list of pictures; the test `gallery` of the command line reads it, too.
const LIST: &str = "docs/gallery/gallery.json";

/// One picture.
#[derive(Deserialize)]
struct Entry {
    /// The file's name without its ending.
    file: String,
    /// The title.
    title: String,
    /// The arguments of `draw`.
    arguments: Vec<String>,
}

/// Draws every picture of the list, and writes the page that shows them.
pub(crate) fn draw(place: &Checkout) -> Result<()> {
    let binary = server::build(place)?;
    let list =
        std::fs::read_to_string(place.path(LIST)).with_context(|| format!("cannot read {LIST}"))?;
    let entries: Vec<Entry> = serde_json::from_str(&list).context(LIST)?;
    let folder = place.path("docs/gallery");
    let mut page = String::from(
        "# Gallery\n\nDrawn by `cargo xtask gallery` from [gallery.json](gallery.json). `draw` writes \
         the same as text, `TikZ` and JSON.\n",
    );
    for entry in &entries {
        let file = folder.join(&entry.file).with_extension("svg");
        run(program(place, &binary)
            .arg("draw")
            .args(&entry.arguments)
            .arg("--output")
            .arg(&file))?;
        let words: Vec<String> = entry
            .arguments
            .iter()
            .map(|argument| {
                if argument.starts_with("--") || argument.chars().all(char::is_alphanumeric) {
                    argument.clone()
                } else {
                    format!("'{argument}'")
                }
            })
            .collect();
        let _ = write!(
            page,
            "\n## {}\n\n![{}]({}.svg)\n\n```sh\ncute-analyzer draw {}\n```\n",
            entry.title,
            entry.title,
            entry.file,
            words.join(" ")
        );
    }
    let readme = folder.join("README.md");
    std::fs::write(&readme, page).with_context(|| format!("cannot write {}", readme.display()))
}
