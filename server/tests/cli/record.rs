//! `record`: a program runs with the hook, and what it recorded is shown.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::ask::root;

/// A folder with the stand-in for the DSL, and a program that uses it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = root().join("server/tests/cli/fixtures/recorded");
    fs::create_dir_all(folder.path().join("cutlass/cute")).unwrap();
    for file in [
        "script.py",
        "cutlass/__init__.py",
        "cutlass/cute/__init__.py",
    ] {
        fs::copy(fixtures.join(file), folder.path().join(file)).unwrap();
    }
    folder
}

fn ask_in(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cute-analyzer"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn recordings(folder: &Path) -> Vec<Value> {
    let files = fs::read_dir(folder.join(".cute-analyzer/recorded")).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
        .collect()
}

fn recorded() -> tempfile::TempDir {
    let folder = folder();
    let answer = ask_in(folder.path(), &["record", "--", "python3", "script.py"]);
    let said = text(&answer.stderr);
    assert_eq!(answer.status.code(), Some(0), "{said}");
    assert!(
        said.contains("script.py:31: never_called was not traced"),
        "{said}"
    );
    assert!(said.contains("CUTE_DSL_NO_CACHE=1"), "{said}");
    folder
}

#[test]
fn the_hook_writes_each_binding_of_the_source_and_no_string() {
    let folder = recorded();
    let ignored = folder.path().join(".cute-analyzer/recorded/.gitignore");
    assert_eq!(fs::read_to_string(ignored).unwrap(), "*\n");
    let found = recordings(folder.path());
    assert_eq!(found.len(), 1);
    let all = &found[0];
    assert_eq!(all["command"], serde_json::json!(["python3", "script.py"]));
    assert_eq!(
        all["files"].as_array().unwrap().len(),
        1,
        "the DSL is not recorded"
    );
    assert!(!all.to_string().contains("no string is written"));
    let rows = all["rows"].as_array().unwrap().iter().map(|row| {
        let word = |key: &str| row[key].as_str().unwrap().to_owned();
        format!(
            "{}:{} {} {} {}: {} {} x{}\n",
            row["line"],
            row["column"],
            word("function"),
            word("role"),
            word("name"),
            word("kind"),
            word("text"),
            row["count"]
        )
    });
    let mut rows: Vec<String> = rows.filter(|row| !row.contains(" hidden ")).collect();
    rows.sort();
    insta::assert_snapshot!(rows.concat());
}

#[test]
fn what_was_recorded_is_shown_where_nothing_else_is_known() {
    let folder = recorded();
    let said = |arguments: &[&str]| text(&ask_in(folder.path(), arguments).stdout);
    let hints = said(&["hints", "script.py"]);
    assert!(hints.contains("14:30: 4:1 1/2 (recorded)\n"), "{hints}");
    let attribute = said(&["hover", "script.py:15:14"]);
    assert!(attribute.contains("16:1\nrecorded 20"), "{attribute}");
    assert!(
        attribute.contains("from `python3 script.py`, DSL 0.0-stub"),
        "{attribute}"
    );
    let rows = said(&["layouts", "script.py"]);
    let row = "script.py:19:9: recorded tensor: Tensor tensor<ptr<f32, smem> o 16:1>\n";
    assert!(rows.contains(row), "{rows}");
    let count = text(&ask_in(folder.path(), &["layouts", "script.py"]).stderr);
    assert!(count.contains(" recorded names, "), "{count}");
}

#[test]
fn a_line_that_was_edited_loses_its_value_and_others_are_marked() {
    let folder = recorded();
    let path = folder.path().join("script.py");
    let source = fs::read_to_string(&path).unwrap();
    let edited = format!(
        "\n{}",
        source.replace("layout = hidden(4, x)", "layout = hidden(5, x)")
    );
    fs::write(&path, edited).unwrap();
    let hints = text(&ask_in(folder.path(), &["hints", "script.py"]).stdout);
    assert!(!hints.contains("4:1"), "{hints}");
    assert!(!hints.contains(" (recorded)\n"), "{hints}");
    let moved = "16:28: 16:1 (recorded before an edit)\n";
    assert!(hints.contains(moved), "{hints}");
}

#[test]
fn an_other_value_than_the_evaluated_one_is_said_to_be_our_bug() {
    let folder = folder();
    let program = "import cutlass.cute as cute\n\
        def f():\n    ours = cute.make_layout((4, 8), stride=(1, 4))\n    same = cute.make_layout((4, 8), stride=(1, 4))\nf()\n";
    // A DSL whose first layout is another one than ours.
    let dsl = folder.path().join("cutlass/cute/__init__.py");
    let lies = "\ntexts = ['(4,8):(1,4)', '(4,8):(8,1)']\n\
        def make_layout(shape, stride):\n    return Layout(texts.pop())\n";
    fs::write(&dsl, fs::read_to_string(&dsl).unwrap() + lies).unwrap();
    fs::write(folder.path().join("other.py"), program).unwrap();
    let answer = ask_in(folder.path(), &["record", "--", "python3", "other.py"]);
    assert_eq!(answer.status.code(), Some(0), "{}", text(&answer.stderr));
    let hover = |place: &str| text(&ask_in(folder.path(), &["hover", place]).stdout);
    let differs = hover("other.py:3:6");
    assert!(differs.contains("(4,8):(8,1)\nrecorded"), "{differs}");
    assert!(differs.contains("this is our bug"), "{differs}");
    let agrees = hover("other.py:4:6");
    assert!(
        agrees.contains("(_4,_8):(_1,_4)") || agrees.contains("(4,8):(1,4)"),
        "{agrees}"
    );
    assert!(!agrees.contains("recorded"), "{agrees}");
}

#[test]
fn the_environments_own_sitecustomize_still_runs() {
    let folder = folder();
    let own = folder.path().join("own");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("sitecustomize.py"), "print('own')\n").unwrap();
    let answer = Command::new(env!("CARGO_BIN_EXE_cute-analyzer"))
        .args(["record", "--", "python3", "script.py"])
        .current_dir(folder.path())
        .env("PYTHONPATH", &own)
        .output()
        .unwrap();
    assert_eq!(answer.status.code(), Some(0), "{}", text(&answer.stderr));
    assert_eq!(text(&answer.stdout), "own\n");
}

#[test]
fn a_program_that_cannot_be_started_or_records_nothing_is_said() {
    let folder = folder();
    let answer = ask_in(folder.path(), &["record", "--", "no-such-program"]);
    assert_eq!(answer.status.code(), Some(2));
    let answer = ask_in(
        folder.path(),
        &["record", "--", "python3", "-c", "print(1)"],
    );
    assert_eq!(answer.status.code(), Some(1));
    assert_eq!(text(&answer.stdout), "1\n");
    assert!(text(&answer.stderr).contains("nothing was recorded"));
    // An invalid file is reported, and ignored.
    let broken = folder.path().join(".cute-analyzer/recorded/1.json");
    fs::write(broken, "{\"version\": 1, \"rows\": [").unwrap();
    let answer = ask_in(folder.path(), &["hints", "script.py"]);
    assert_eq!(answer.status.code(), Some(0));
    assert!(text(&answer.stderr).contains("1.json is not read"));
}
