//! The laws of the notation: what is written is read back as the same tree, and any text is
//! answered, in time that grows with its length.

#![allow(clippy::panic)] // A broken law ends the test.

mod fuzzing;

use std::time::{Duration, Instant};

use fuzzing::{Random, value};
use tree_sitter_cute::notation::{parse, parse_partial, print};

#[test]
fn a_hundred_thousand_values_are_read_back() {
    let mut random = Random::new(20);
    for _ in 0..100_000 {
        let value = value(&mut random);
        let written = print(&value);
        match parse(&written) {
            Ok(read) => {
                assert_eq!(read.to_string(), value.to_string(), "{written}");
                assert_eq!(print(&read), written);
                assert_eq!(read.span.text(&written), written);
            }
            Err(error) => panic!("{written}: {error}"),
        }
    }
}

/// `cargo xtask fuzz` runs the same over millions of cases.
#[test]
fn any_text_is_answered() {
    let report = fuzzing::run(4, 100_000);
    let share = report.values * 100 / report.cases;
    assert!((20..80).contains(&share), "{report:?}");
    assert!(report.bytes > 0 && report.slowest.1 > 0);
}

/// A megabyte on one line, of one kind of piece.
#[test]
fn time_grows_with_the_length() {
    let texts: [(&str, &str, &str); 12] = [
        ("(", "", ""),
        ("", "(", ""),
        ("(", "4,", "4)"),
        ("", "(]", ""),
        ("", "f<", ""),
        ("", "-", "1"),
        ("", "A::", "B"),
        ("", "a[1b](", ""),
        ("1", "@0", ""),
        ("1", " o 1", ""),
        ("", "\u{ff08}", ""),
        ("(", "(1/0@0,)]", ")"),
    ];
    for (open, piece, close) in texts {
        let time = |bytes: usize| {
            let text = [open, &piece.repeat(bytes / piece.len().max(1)), close].concat();
            let start = Instant::now();
            let _ = parse(&text);
            let (_, errors) = parse_partial(&text);
            assert!(errors.iter().all(|error| error.span.end <= text.len()));
            start.elapsed()
        };
        if piece.is_empty() {
            time(1);
            continue;
        }
        let (one, ten) = (time(100_000), time(1_000_000));
        assert!(
            ten < one * 30 + Duration::from_millis(500),
            "`{piece}`: 0.1 MB {one:?}, 1 MB {ten:?}"
        );
    }
}
