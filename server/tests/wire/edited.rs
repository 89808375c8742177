//! After any edits the editor shows what it would show had the file just been opened.

use cute_tests::client::Client;
use cute_tests::oracles::cutlass;
use cute_tests::protocol::{Change, Hover, InlayHint, Position, Range};

use crate::{server, text_of};

pub(crate) const URI: &str = "file:///edited.cu";

/// Text that is inserted: every kind of character and line break that positions can trip over, and
/// pieces of CuTe.
const INSERTED: [&str; 12] = [
    "// é\n",
    "/* 𝛼 😀 */",
    "// a carriage return\r\n",
    "/* \u{2028} */",
    "\u{c}",
    "auto edit_%n = make_layout(make_shape(Int<4>{}, Int<%n>{}));\n",
    "/* half\r */",
    "// trailing é𝛼😀\n",
    "auto edit_%n = make_shape(Int<%n>{}, ",
    "using edit_%n = Layout<Shape<_%n,_2>>;\n",
    "  ",
    "\n",
];

/// Makes 50 edits of `text`, each at another line; every seventh takes back the one before.
/// Returns the text.
fn edit(client: &mut Client, mut text: String) -> String {
    let mut last = 0..0;
    for number in 0..50_usize {
        let takes_back = number % 7 == 6;
        let (bytes, new) = if takes_back {
            (last.clone(), String::new())
        } else {
            let lines = line_starts(&text);
            let start = lines[(number * 37) % lines.len()];
            let new = INSERTED[number % INSERTED.len()].replace("%n", &(number + 1).to_string());
            (start..start, new)
        };
        let range = Range {
            start: Position::of_offset(&text, bytes.start),
            end: Position::of_offset(&text, bytes.end),
        };
        let change = Change {
            range: Some(range),
            text: new.clone(),
        };
        client.change(URI, number as i32 + 2, &[change]);
        last = bytes.start..bytes.start + new.len();
        text.replace_range(bytes, &new);
        // As an editor does: ask between the edits, so that each builds on the parse before.
        if number % 3 == 0 {
            let _ = client.hints(URI, None);
        }
    }
    text
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0)
        .chain(ends.map(|(at, _)| at + 1))
        .filter(|at| *at < text.len())
        .collect()
}

/// All hints, and the hovers at the beginning of every word on lines with a hint.
pub(crate) fn shown(client: &mut Client, text: &str) -> (Vec<InlayHint>, Vec<(Position, Hover)>) {
    let mut hints = client.hints(URI, None);
    for hint in &mut hints {
        // The version is part of it, and differs.
        hint.rest.remove("data");
    }
    let mut hovers = Vec::new();
    let starts: Vec<usize> = line_starts(text);
    for start in starts {
        let line = text[start..].lines().next().unwrap_or_default();
        for what in ["auto ", "Layout", "make_"] {
            let Some(at) = line.find(what) else { continue };
            let position = Position::of_offset(text, start + at + what.len());
            if let Some(hover) = client.hover(URI, position) {
                hovers.push((position, hover));
            }
        }
    }
    (hints, hovers)
}

fn edits_show_what_opening_shows(text: &str, at_least: (usize, usize)) {
    let mut edited = server().start();
    edited.open(URI, text);
    let result = edit(&mut edited, text.to_owned());
    assert_eq!(text_of(&mut edited, URI), result);
    let mut opened = server().start();
    opened.open(URI, &result);
    let expected = shown(&mut opened, &result);
    assert!(expected.0.len() >= at_least.0, "{} hints", expected.0.len());
    assert!(
        expected.1.len() >= at_least.1,
        "{} hovers",
        expected.1.len()
    );
    // At once, and again once the pause has had the findings published.
    assert_eq!(shown(&mut edited, &result), expected);
    let findings = edited.await_diagnostics(URI, 51);
    assert_eq!(findings, opened.await_diagnostics(URI, 1));
    assert_eq!(shown(&mut edited, &result), expected);
}

#[test]
fn fifty_edits_of_a_fixture_show_what_opening_the_result_shows() {
    let text = include_str!("edited.cu");
    edits_show_what_opening_shows(text, (8, 8));
}

#[test]
fn fifty_edits_of_sgemm_1_show_what_opening_the_result_shows() {
    let path = cutlass().join("examples/cute/tutorial/sgemm_1.cu");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    edits_show_what_opening_shows(&text, (10, 10));
}

#[test]
#[ignore = "reads all CuTe examples of CUTLASS"]
fn fifty_edits_of_every_cute_example_show_what_opening_the_result_shows() {
    let mut folders = vec![cutlass().join("examples/cute")];
    let mut checked = 0;
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).expect("a folder");
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "cu") {
                let text = std::fs::read_to_string(&path).expect("a source");
                println!("{}", path.display());
                edits_show_what_opening_shows(&text, (0, 0));
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "{checked} examples");
}
