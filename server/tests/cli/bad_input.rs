//! Whatever the input is: a clear message or a partial answer, an exit code as documented, no panic
//! and no hang.

use std::fmt::Write as _;
use std::fs;
use std::process::Stdio;

use tempfile::TempDir;

use crate::ask::{ask, ask_with, command, root, wait};

const GOOD_LINE: &str = "auto sA = make_layout(make_shape(Int<128>{}, Int<8>{}));\n";
const GOOD_LAYOUT: &str = "(_128,_8):(_1,_128)";

fn folder_with(name: &str, content: &[u8]) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// Bytes without a pattern, the same in every run.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn a_file_that_is_not_utf8_is_answered_in_part_and_said_so() {
    let mut content = b"// caf\xe9\n".to_vec();
    content.extend_from_slice(GOOD_LINE.as_bytes());
    let (_folder, path) = folder_with("latin1.cu", &content);
    let answer = ask(&["layouts", &path]).ends_with(0);
    assert!(answer.stdout.contains(GOOD_LAYOUT), "{}", answer.stdout);
    assert!(answer.stderr.contains("not UTF-8"), "{}", answer.stderr);
}

#[test]
fn random_bytes_are_refused_or_answered_with_nothing() {
    let (_folder, path) = folder_with("noise.cu", &noise(200_000));
    let answer = ask(&["check", &path]).ends_with(2);
    assert!(answer.stderr.contains("not text"), "{}", answer.stderr);

    let printable: Vec<u8> = noise(200_000).iter().map(|byte| 32 + byte % 95).collect();
    let (_folder, path) = folder_with("noise.cu", &printable);
    for arguments in [
        vec!["check", &path],
        vec!["layouts", &path],
        vec!["hints", &path],
    ] {
        ask(&arguments).ends_with(0);
    }
}

#[test]
fn a_generated_file_of_5_megabytes_is_answered() {
    let mut content = String::from("using namespace cute;\n");
    let mut number = 0;
    while content.len() < 5_000_000 {
        let extent = number % 512 + 1;
        let _ = writeln!(
            content,
            "auto layout_{number} = make_layout(make_shape(Int<{extent}>{{}}, Int<8>{{}}));"
        );
        number += 1;
    }
    let (_folder, path) = folder_with("generated.cu", content.as_bytes());
    let answer = ask(&["check", &path]);
    assert!(
        matches!(answer.code, Some(0 | 2)),
        "{:?} {}",
        answer.code,
        answer.stderr
    );
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
}

#[test]
fn a_file_beyond_the_limit_is_refused_with_the_limit() {
    let (_folder, path) = folder_with("huge.cu", &vec![b' '; 10_000_001]);
    let answer = ask(&["check", &path]).ends_with(2);
    assert!(answer.stderr.contains("10 MB"), "{}", answer.stderr);
    let (_folder, path) = folder_with("large.cu", &vec![b' '; 10_000_000]);
    ask(&["check", &path]).ends_with(0);
}

#[test]
fn a_half_typed_expression_leaves_the_rest_answered() {
    for half in [
        "auto x = make_layout(make_shape(Int<4",
        "auto x = composition(sA,",
        "auto x = (((",
    ] {
        let content = format!("void f() {{\n{GOOD_LINE}{half}\n}}\n");
        let (_folder, path) = folder_with("half.cu", content.as_bytes());
        ask(&["check", &path]).ends_with(0);
        let answer = ask(&["layouts", &path]).ends_with(0);
        assert!(
            answer.stdout.contains(GOOD_LAYOUT),
            "after `{half}`:\n{}",
            answer.stdout
        );
    }
}

#[test]
fn a_source_that_ends_anywhere_is_no_panic() {
    let whole = fs::read_to_string(root().join("examples/tiled_gemm.cu")).unwrap();
    let characters: Vec<char> = whole.chars().collect();
    for end in (0..characters.len()).step_by(characters.len() / 25) {
        let half: String = characters[..end].iter().collect();
        let (_folder, path) = folder_with("cut.cu", half.as_bytes());
        let answer = ask(&["layouts", &path]);
        assert!(
            matches!(answer.code, Some(0)),
            "cut at {end}: {}",
            answer.stderr
        );
    }
}

#[test]
fn a_missing_path_is_named() {
    for arguments in [
        ["check", "no/such/place"],
        ["layouts", "no/such/place.cu"],
        ["hints", "no/such/place.cu"],
        ["hover", "no/such/place.cu:1:1"],
    ] {
        let answer = ask(&arguments).ends_with(2);
        assert!(
            answer.stderr.contains("no/such/place"),
            "{arguments:?}: {}",
            answer.stderr
        );
    }
}

#[test]
fn a_missing_path_does_not_hide_the_findings_of_the_others() {
    let answer = ask(&["check", "no/such/place", "examples/wrong.cu"]).ends_with(2);
    assert!(
        answer.stdout.contains("error[not-a-composition]"),
        "{}",
        answer.stdout
    );
}

#[test]
fn a_folder_of_a_thousand_files_is_searched() {
    let folder = TempDir::new().unwrap();
    for number in 0..1_000 {
        let below = folder.path().join(format!("part{}", number % 10));
        fs::create_dir_all(&below).unwrap();
        let source = if number == 500 {
            fs::read_to_string(root().join("examples/wrong.cu")).unwrap()
        } else {
            format!("void f{number}() {{ {GOOD_LINE} }}\n")
        };
        fs::write(below.join(format!("file{number}.cu")), source).unwrap();
    }
    fs::write(folder.path().join("notes.txt"), "not a source").unwrap();
    let answer = ask(&["check", folder.path().to_str().unwrap()]).ends_with(1);
    assert!(answer.stdout.contains("in 1000 files"), "{}", answer.stdout);
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("long.cu");
    let body = GOOD_LINE.repeat(3_000);
    fs::write(&path, format!("void f() {{\n{body}}}\n")).unwrap();
    let mut child = command(&["layouts", path.to_str().unwrap()])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = child.stderr.take().unwrap();
    let code = wait(&mut child);
    let mut said = String::new();
    std::io::Read::read_to_string(&mut stderr, &mut said).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(said, "");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_with_what_it_is() {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let pipe = place("pipe.cu");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let socket = place("socket.cu");
    let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let device = place("device.cu");
    std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
    let inner = place("folder.cu");
    fs::create_dir(&inner).unwrap();
    for (path, kind) in [
        (&pipe, "is a pipe"),
        (&socket, "is a socket"),
        (&device, "is a device"),
        (&inner, "is a folder"),
    ] {
        for command in ["check", "layouts", "hints", "summary", "budget"] {
            if command == "check" && path == &inner {
                continue;
            }
            let answer = ask(&[command, path]).ends_with(2);
            assert!(answer.stderr.contains(kind), "{command}: {}", answer.stderr);
        }
        let answer = ask(&["hover", &format!("{path}:1:1")]).ends_with(2);
        assert!(answer.stderr.contains(kind), "{}", answer.stderr);
    }
    // An include of one is not waited for either.
    let source = place("includes.cu");
    fs::write(&source, format!("#include \"pipe.cu\"\n{GOOD_LINE}")).unwrap();
    let answer = ask(&["layouts", &source]).ends_with(0);
    assert!(answer.stdout.contains(GOOD_LAYOUT), "{}", answer.stdout);
}

#[cfg(unix)]
#[test]
fn control_characters_of_names_and_arguments_are_escaped() {
    let wrong = fs::read(root().join("examples/wrong.cu")).unwrap();
    let (_folder, path) = folder_with("a\nb\u{1b}[2Jc\u{7}.cu", &wrong);
    let escaped = "a\\nb\\u{1b}[2Jc\\u{7}.cu";
    let is_clean = |text: &str| !text.contains(['\u{1b}', '\u{7}', '\r']);
    for arguments in [
        vec!["check", &path],
        vec!["layouts", &path],
        vec!["budget", &path],
        vec!["summary", &path],
        vec!["preconditions", &path],
        vec!["layouts", "--unknown", &path],
    ] {
        let answer = ask(&arguments);
        let said = format!("{}{}", answer.stdout, answer.stderr);
        assert!(is_clean(&said), "{arguments:?}: {said}");
        let is_named = said.contains(escaped) || !said.contains("/a");
        assert!(is_named, "{arguments:?}: {said}");
    }
    let answer = ask(&["check", "--color", "always", &path]).ends_with(1);
    assert!(answer.stdout.contains(escaped), "{}", answer.stdout);
    assert!(!answer.stdout.contains("\u{1b}[2J"), "{}", answer.stdout);
    let missing = "no\nsuch\u{1b}[2J.cu";
    for arguments in [
        vec!["check", missing],
        vec!["hints", missing],
        vec!["check", ".", "--assume", "M\u{1b}[2J=5"],
        vec!["hover", missing],
    ] {
        let answer = ask(&arguments).ends_with(2);
        assert!(is_clean(&answer.stderr), "{:?}", answer.stderr);
        assert_eq!(answer.stderr.lines().count(), 1, "{:?}", answer.stderr);
    }
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_possible() {
    for arguments in [
        vec!["frobnicate"],
        vec!["check"],
        vec!["check", "examples", "--format", "xml"],
        vec!["eval"],
        vec!["hover", "examples/wrong.cu"],
        vec!["hover", "examples/wrong.cu:0:1"],
        vec!["hover", "examples/wrong.cu:one:1"],
        vec!["hover", "examples/wrong.cu:100000:1"],
        vec!["check", "examples", "--assume", "M is large"],
        vec!["draw", "4:1", "-o", "picture.bmp"],
    ] {
        let answer = ask(&arguments).ends_with(2);
        assert!(!answer.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn expressions_that_are_none_are_refused_with_the_place() {
    let deep = format!("{}4{}:1", "(".repeat(50_000), ")".repeat(50_000));
    let long = format!("({}1):1", "2,".repeat(60_000));
    let numbers = "(99999999999999999999,2):(1,2)";
    for expression in [
        "",
        "(",
        "(4,8",
        "4:1:2",
        ":",
        "composition(",
        "§",
        "4 4",
        &deep,
        &long,
        numbers,
    ] {
        let shown: String = expression.chars().take(20).collect();
        let answer = ask_with(&["eval", "--", expression], b"");
        assert!(
            matches!(answer.code, Some(1 | 2)),
            "`{shown}`: {:?} {}",
            answer.code,
            answer.stdout
        );
        assert!(
            !answer.stderr.contains("panicked"),
            "`{shown}`: {}",
            answer.stderr
        );
        assert!(!answer.stderr.is_empty(), "`{shown}`");
    }
}

#[test]
fn numbers_that_overflow_are_refused() {
    let answer = ask(&["eval", "(4294967296,4294967296):(4294967296,4294967296)"]);
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
    let answer = ask(&["eval", "size((4294967296,4294967296):(1,1))"]).ends_with(1);
    assert!(answer.stderr.contains("64-bit"), "{}", answer.stderr);
}

#[test]
fn limits_that_are_reached_are_said() {
    let folder = TempDir::new().unwrap();
    let include = "#include <cute/tensor.hpp>\nusing namespace cute;\n";
    let long = folder.path().join("long.cu");
    let mut statements = String::new();
    for n in 0..20_000 {
        let size = n % 64 + 1;
        let _ = writeln!(statements, "auto a{n} = make_layout(Int<{size}>{{}});");
    }
    fs::write(&long, format!("{include}void f() {{\n{statements}}}\n")).unwrap();
    let said = ask(&["hints", long.to_str().unwrap()]).stderr;
    assert!(
        said.contains("values are not evaluated: evaluation limit reached: 50000 steps"),
        "{said}"
    );
    let header = folder.path().join("tile.cuh");
    let users = |count: usize| {
        let tile = "template <int N> void tile() { auto a = make_layout(Int<N>{}); }\n";
        fs::write(&header, format!("{include}{tile}")).unwrap();
        for n in 0..count {
            let user = format!("#include \"tile.cuh\"\ntemplate void tile<{}>();\n", n + 1);
            fs::write(folder.path().join(format!("u{n}.cu")), user).unwrap();
        }
        ask(&["layouts", header.to_str().unwrap()]).stderr
    };
    assert_eq!(users(401), "");
    assert!(
        users(1026)
            .contains("1026 translation units include it; the instances of the nearest 1024"),
    );
}
