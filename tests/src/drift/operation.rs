//! The operations on a project, and the parts of them that are chosen at random.

use std::collections::BTreeMap;

use super::session::Opened;
use crate::random::{PIECES, Random, boundary, lines, tokens};

/// Something that is done to a project. Without a valid place, as others before it were left out, it does nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A document is opened with its text on disk.
    Open(String),
    /// A document is closed without saving it.
    Close(String),
    /// A piece of an open document is replaced.
    Edit {
        /// The file.
        file: String,
        /// The start of the piece.
        at: usize,
        /// Its bytes.
        removed: usize,
        /// The text in its place.
        inserted: String,
    },
    /// The last edit of an open document is taken back.
    Undo(String),
    /// An open document has the text of the project again.
    Restore(String),
    /// An open document is saved.
    Save(String),
    /// A file on disk has another text.
    Disk {
        /// The file.
        file: String,
        /// Its text.
        text: String,
    },
    /// A file comes.
    Create {
        /// The file.
        file: String,
        /// Its text.
        text: String,
    },
    /// A file goes.
    Delete(String),
    /// A file has another name.
    Rename {
        /// Its name.
        from: String,
        /// Its name afterwards.
        to: String,
    },
    /// Hints and a hover are requested, as an editor does meanwhile.
    Ask {
        /// The file.
        file: String,
        /// The place.
        at: usize,
    },
}

/// The inserted texts besides pieces: lines and their beginnings.
const LINES: [&str; 10] = [
    "\r\n",
    "#pragma once\n",
    "struct A {\n",
    "auto edit = make_layout(Int<6>{});\n",
    "using Edit = Layout<Shape<_4, _2>>;\n",
    "#include \"sizes.h\"\n",
    "static constexpr int kEdit = 4;\n",
    "return ",
    "# a comment\n",
    "// a comment\n",
];

/// The replacements of a number.
const NUMBERS: [&str; 8] = ["2", "3", "4", "8", "16", "32", "64", "96"];

/// Chooses the next operation: on the files on disk and those that are open.
pub(super) fn random(
    random: &mut Random,
    disk: &BTreeMap<String, String>,
    open: &BTreeMap<String, Opened>,
    made: usize,
) -> Operation {
    let names: Vec<&String> = disk.keys().collect();
    let sources: Vec<&String> = names
        .iter()
        .copied()
        .filter(|name| super::language_of(name).is_some())
        .collect();
    let opened: Vec<&String> = open.keys().collect();
    let file = |name: Option<&&String>| name.map_or_else(String::new, |name| (*name).clone());
    let what = random.below(100);
    if opened.is_empty() || what < 4 {
        return Operation::Open(file(random.one_of(&sources)));
    }
    let name = file(random.one_of(&opened));
    match what {
        4..7 if opened.len() > 1 => Operation::Close(name),
        7..16 => Operation::Undo(name),
        16..20 => Operation::Restore(name),
        20..24 => Operation::Save(name),
        24..29 => {
            let file = file(random.one_of(&sources));
            let mut text = disk.get(&file).cloned().unwrap_or_default();
            let (at, removed, inserted) = edit(&text, random);
            text.replace_range(at..at + removed, &inserted);
            Operation::Disk { file, text }
        }
        29..31 => {
            let model = file(random.one_of(&sources));
            Operation::Create {
                text: disk.get(&model).cloned().unwrap_or_default(),
                file: renamed(&model, made),
            }
        }
        31..33 => Operation::Delete(file(random.one_of(&sources))),
        33..35 => {
            let from = file(random.one_of(&sources));
            let to = renamed(&from, made);
            Operation::Rename { from, to }
        }
        35..45 => Operation::Ask {
            at: random.below(open.get(&name).map_or(0, |it| it.text.len())),
            file: name,
        },
        _ => {
            let text = open.get(&name).map_or("", |it| it.text.as_str());
            let (at, removed, inserted) = edit(text, random);
            Operation::Edit {
                file: name,
                at,
                removed,
                inserted,
            }
        }
    }
}

/// Another name in the same folder, with the same ending.
fn renamed(name: &str, made: usize) -> String {
    match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}_{made}.{ending}"),
        None => format!("{name}_{made}"),
    }
}

/// An edit of a text: the place, the number of removed bytes, and the new text.
fn edit(text: &str, random: &mut Random) -> (usize, usize, String) {
    let tokens = tokens(text);
    let lines = lines(text);
    let token = |random: &mut Random| random.one_of(&tokens).cloned().unwrap_or(0..0);
    let line = |random: &mut Random| random.one_of(&lines).cloned().unwrap_or(0..0);
    match random.below(12) {
        // A number becomes another one: the code stays whole.
        0..3 => {
            let numbers: Vec<_> = tokens
                .iter()
                .filter(|it| {
                    text[(*it).clone()]
                        .bytes()
                        .all(|byte| byte.is_ascii_digit())
                })
                .collect();
            let number = random.one_of(&numbers).map_or(0..0, |it| (*it).clone());
            let new = random.one_of(&NUMBERS).copied().unwrap_or("1");
            (number.start, number.len(), new.to_owned())
        }
        3 => {
            let one = token(random);
            (one.start, one.len(), String::new())
        }
        4 => {
            let (one, other) = (token(random), token(random));
            (one.start, one.len(), text[other].to_owned())
        }
        5 => {
            let one = token(random);
            (one.end, 0, format!(" {}", &text[one]))
        }
        6 => {
            let one = line(random);
            (one.start, one.len(), String::new())
        }
        // A line is there twice, or only the first half of it: someone is typing.
        7 => {
            let (at, of) = (line(random).start, line(random));
            (at, 0, text[of].to_owned())
        }
        8 => {
            let (at, of) = (line(random).start, line(random));
            let half = boundary(text, of.start + random.below(of.len().max(1)));
            (at, 0, text[of.start..half.max(of.start)].to_owned() + "\n")
        }
        9 => {
            let start = boundary(text, random.below(text.len() + 1));
            let end = boundary(text, start + 1 + random.below(12)).max(start);
            (start, end - start, String::new())
        }
        10 => {
            let at = line(random).start;
            let new = inserted(random);
            (at, 0, new.to_owned())
        }
        _ => {
            let at = boundary(text, random.below(text.len() + 1));
            let new = inserted(random);
            (at, 0, new.to_owned())
        }
    }
}

/// A piece, or a line.
fn inserted(random: &mut Random) -> &'static str {
    let from: &[&str] = if random.below(2) == 0 {
        &PIECES
    } else {
        &LINES
    };
    random.one_of(from).copied().unwrap_or_default()
}
