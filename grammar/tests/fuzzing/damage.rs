//! Texts with something wrong in them: pieces moved, doubled, left out, put in.

use super::Random;

/// The inserted pieces: tokens, halves of tokens, look-alikes, and characters that belong to no text.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ",",
    ";",
    ":",
    "::",
    "@",
    "@0",
    "/",
    "/0@0",
    "*",
    "%",
    "+",
    "-",
    "?",
    "?{div=",
    "?{div=0}",
    "_",
    "_8",
    "_-",
    "__",
    "=",
    "o",
    " o ",
    "e1",
    "1e",
    "f5",
    "f",
    "Sw<",
    "Sw<3,4,3>",
    "E<",
    "E<0,1>",
    "smem_ptr[16b](",
    "b](",
    "0x",
    "99999999999999999999",
    "A::",
    "::e1",
    "cute: ",
    "\u{2218}",
    "\u{2298}",
    "\u{2297}",
    "(/)",
    "(*)",
    "\u{2236}",
    "\u{ff08}",
    "\u{ff09}",
    "\u{ff0c}",
    "\u{ff1a}",
    "\u{ff20}",
    "\u{25e6}",
    "\u{2212}",
    "\u{41c}",
    "\u{200b}",
    "\u{feff}",
    "\u{a0}",
    "\u{3000}",
    "\u{1f600}",
    "\u{0}",
    "\n",
    "\t",
    "$",
    "#",
    "'",
    "\"",
    "\\",
    ".",
];

/// Longer texts than this are cut.
const LONGEST: usize = 2_000;

/// A text of the pool, damaged at some places.
pub(super) fn damaged(random: &mut Random, pool: &[String]) -> String {
    let mut text = random.one(pool).clone();
    for _ in 0..=random.below(4) {
        let (from, to) = range(random, &text);
        match random.below(9) {
            0 => text.replace_range(from..to, ""),
            1 => {
                let copy = text[from..to].to_owned();
                text.insert_str(from, &copy);
            }
            2 => text.truncate(from),
            3 => text.replace_range(..from, ""),
            4 => {
                let other = random.one(pool);
                let (start, end) = range(random, other);
                text.replace_range(from..to, &other[start..end]);
            }
            5 => {
                let piece = piece(random).repeat(1 + random.below(20));
                text.insert_str(from, &piece);
            }
            6 => text.replace_range(from..to, piece(random)),
            _ => text.insert_str(from, piece(random)),
        }
        if text.len() > LONGEST {
            text.truncate(border(&text, LONGEST));
        }
    }
    text
}

fn piece(random: &mut Random) -> &'static str {
    PIECES[random.below(PIECES.len())]
}

/// A range of whole characters, often a short one.
fn range(random: &mut Random, text: &str) -> (usize, usize) {
    let from = border(text, random.below(text.len() + 1));
    let length = match random.below(3) {
        0 => random.below(text.len() + 1),
        _ => random.below(6),
    };
    (from, border(text, (from + length).min(text.len())))
}

/// The last border of characters that is not behind `at`.
fn border(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}
