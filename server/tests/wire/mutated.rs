//! Sources that are damaged at random, byte by byte and token by token: nothing panics, and whatever is
//! left shows what it would show had it just been opened.

use cute_tests::client::Client;
use cute_tests::oracles::cutlass;
use cute_tests::protocol::{Change, Position, Range};
use cute_tests::random::{PIECES, Random, boundary, tokens};

use crate::edited::{URI, shown};
use crate::{server, text_of};

/// Number of mutations of each source, and of mutations between two comparisons.
const MUTATIONS: usize = 24;
const COMPARED: usize = 8;

/// A change of the text: the bytes that go, and what comes in their place.
fn mutation(text: &str, random: &mut Random) -> (std::ops::Range<usize>, String) {
    let tokens = tokens(text);
    let mut token = || {
        tokens
            .get(random.below(tokens.len()))
            .cloned()
            .unwrap_or(0..0)
    };
    let (one, other) = (token(), token());
    match random.below(6) {
        0 => {
            let start = boundary(text, random.below(text.len() + 1));
            let end = boundary(text, start + 1 + random.below(12)).max(start);
            (start..end, String::new())
        }
        1 => (one, String::new()),
        2 => (one.end..one.end, text[one].to_owned()),
        3 => (one, text[other].to_owned()),
        4 => {
            let start = text[..one.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[one.end..]
                .find('\n')
                .map_or(text.len(), |at| one.end + at + 1);
            (start..end, String::new())
        }
        _ => {
            let start = boundary(text, random.below(text.len() + 1));
            (start..start, PIECES[random.below(PIECES.len())].to_owned())
        }
    }
}

/// Damages a source and compares, with what a second server shows that opens the same text.
fn damaged_is_as_opened(name: &str, language: &str, text: &str, seed: u64) {
    let mut random = Random::new(seed);
    let mut text = text.to_owned();
    let mut edited = server().start();
    edited.open_as(URI, language, &text);
    let mut opened = server().start();
    for number in 1..=MUTATIONS {
        let (bytes, new) = mutation(&text, &mut random);
        let range = Range {
            start: Position::of_offset(&text, bytes.start),
            end: Position::of_offset(&text, bytes.end),
        };
        text.replace_range(bytes, &new);
        let version = number as i32 + 1;
        let range = Some(range);
        edited.change(URI, version, &[Change { range, text: new }]);
        // As an editor does: ask between the edits, so that each builds on the one before.
        if number % 3 == 0 {
            let _ = edited.hints(URI, None);
        }
        if number % COMPARED == 0 {
            compare(&mut edited, &mut opened, (name, language, &text), version);
        }
    }
}

fn compare(edited: &mut Client, opened: &mut Client, source: (&str, &str, &str), version: i32) {
    let (name, language, text) = source;
    assert_eq!(text_of(edited, URI), text, "{name}, version {version}");
    opened.open_as(URI, language, text);
    let expected = shown(opened, text);
    assert_eq!(
        shown(edited, text),
        expected,
        "{name}, version {version}\n{text}"
    );
    let findings = edited.await_diagnostics(URI, version);
    assert_eq!(
        findings,
        opened.await_diagnostics(URI, 1),
        "{name}, version {version}\n{text}"
    );
    opened.close(URI);
}

#[test]
fn damaged_sources_of_cutlass_show_what_opening_them_shows() {
    for (seed, name) in [
        "examples/cute/tutorial/sgemm_1.cu",
        "examples/cute/tutorial/tiled_copy.cu",
        "examples/cute/tutorial/hopper/wgmma_sm90.cu",
    ]
    .into_iter()
    .enumerate()
    {
        let text = std::fs::read_to_string(cutlass().join(name)).expect("a source of CUTLASS");
        damaged_is_as_opened(name, "cuda-cpp", &text, 1 + seed as u64);
    }
}

#[test]
fn damaged_sources_of_every_language_show_what_opening_them_shows() {
    for (seed, (language, text)) in [
        ("cuda-cpp", include_str!("edited.cu")),
        ("cuda-cpp", include_str!("../../../examples/wrong.cu")),
        ("rust", include_str!("../../../examples/tiled_gemm.rs")),
        (
            "python",
            include_str!("../../../examples/python/smem_tile.py"),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        damaged_is_as_opened(language, language, text, 11 + seed as u64);
    }
}
