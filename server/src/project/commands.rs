//! The compile commands of a project: `compile_commands.json` and `.clangd`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use yaml_rust2::{Yaml, YamlLoader};

use super::files::read_text;
use super::flags::Flags;
use super::tree::normal;

/// An entry of `compile_commands.json`.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    command: String,
    #[serde(default)]
    arguments: Vec<String>,
}

/// The compile commands of the files of a project.
#[derive(Debug, Default)]
pub(super) struct Commands {
    of_file: HashMap<PathBuf, Flags>,
    /// For files that are not compiled by themselves: the flags of the first that is.
    first: Flags,
    /// Flags that `.clangd` adds to all.
    added: Flags,
}

impl Commands {
    /// Reads the compile commands in the root of a project; unreadable files say nothing.
    pub(super) fn of(root: &Path) -> Self {
        let mut commands = Self {
            added: clangd(&root.join(".clangd"), root),
            ..Self::default()
        };
        let places = ["compile_commands.json", "build/compile_commands.json"];
        let text = places
            .iter()
            .find_map(|place| read_text(&root.join(place)).ok());
        let entries: Vec<Entry> = text
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        for (index, entry) in entries.into_iter().enumerate() {
            let folder = root.join(&entry.directory);
            let arguments = if entry.arguments.is_empty() {
                shlex::Shlex::new(&entry.command).collect()
            } else {
                entry.arguments
            };
            let flags = Flags::of_arguments(&arguments, &folder);
            if index == 0 {
                commands.first = flags.clone();
            }
            commands
                .of_file
                .insert(normal(&folder.join(&entry.file)), flags);
        }
        commands
    }

    /// The flags of a file.
    pub(super) fn flags_of(&self, file: &Path) -> Flags {
        let own = self.of_file.get(file).unwrap_or(&self.first);
        own.clone().and(&self.added)
    }

    /// Whether they say which macros are defined: of a file, or of all.
    pub(super) fn say_macros(&self) -> bool {
        !self.of_file.is_empty() || !self.added.defines.is_empty()
    }

    /// The flags of all files together, for headers that have to be found whoever includes them.
    pub(super) fn all_flags(&self) -> Flags {
        let mut all = self.added.clone();
        for flags in self.of_file.values() {
            for folder in &flags.include {
                if !all.include.contains(folder) {
                    all.include.push(folder.clone());
                }
            }
        }
        all.include.sort();
        all
    }
}

/// `CompileFlags: Add: [...]` of a `.clangd`; fragments that hold for some files only are left out.
fn clangd(path: &Path, root: &Path) -> Flags {
    let Ok(text) = read_text(path) else {
        return Flags::default();
    };
    let documents = YamlLoader::load_from_str(&text).unwrap_or_default();
    let mut arguments = Vec::new();
    for document in documents
        .iter()
        .filter(|document| document["If"].is_badvalue())
    {
        match &document["CompileFlags"]["Add"] {
            Yaml::String(one) => arguments.push(one.clone()),
            Yaml::Array(all) => {
                arguments.extend(all.iter().filter_map(Yaml::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    Flags::of_arguments(&arguments, root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_flags_of_its_entry_and_a_header_those_of_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let entries = r#"[
            {"directory": ".", "file": "a.cu", "command": "nvcc -DA=1 -c a.cu"},
            {"directory": ".", "file": "b.cu", "arguments": ["nvcc", "-DB", "-c", "b.cu"]}
        ]"#;
        std::fs::write(root.join("compile_commands.json"), entries).expect("written");
        std::fs::write(
            root.join(".clangd"),
            "CompileFlags:\n  Add: [-DALL, -Iinc]\n",
        )
        .expect("written");
        let commands = Commands::of(root);
        let names = |file: &str| -> Vec<String> {
            let flags = commands.flags_of(&normal(&root.join(file)));
            flags.defines.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names("a.cu"), ["A", "ALL"]);
        assert_eq!(names("b.cu"), ["B", "ALL"]);
        assert_eq!(names("c.h"), ["A", "ALL"]);
    }

    #[test]
    fn malformed_files_say_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("compile_commands.json"), "[{").expect("written");
        std::fs::write(folder.path().join(".clangd"), ": [").expect("written");
        let commands = Commands::of(folder.path());
        assert_eq!(commands.flags_of(Path::new("/a.cu")), Flags::default());
    }
}
