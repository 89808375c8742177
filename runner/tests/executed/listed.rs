//! The table of `docs/reliability.md`: what of each kernel the machine lacks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use cute_hardware::address::Program;
use cute_hardware::address::ptx::function;
use cute_hardware::kernel::examples;

use crate::lent::lent;
use crate::machine::lacking;
use cute_runner::job::Launch;

const PAGE: &str = "reliability.md";
const PART: &str = "what ptoxide lacks";

/// Compares the table with what is so; `UPDATE_DOCS=1` writes it.
pub(crate) fn compare() {
    let table = table();
    cute_tests::page::print(PAGE, PART, &table);
    let page = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(PAGE);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains(table.trim_end()),
        "the table is generated: run this test with UPDATE_DOCS=1"
    );
}

/// A row for each kind of text.
fn table() -> String {
    let mut kinds: BTreeMap<(bool, String), BTreeSet<String>> = BTreeMap::new();
    let mut add = |name: &str, text: &str| {
        let missing = lacking(text);
        let is_executed = missing.is_empty() || lent(text, Launch::one(1, 16), &missing).is_some();
        kinds
            .entry((!is_executed, name.to_owned()))
            .or_default()
            .extend(missing);
    };
    for text in [
        "(_8,_64):(_64,_1)",
        "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
        "(_6,_10):(_40,_4)",
        "(M,N):(ld,_1)",
    ] {
        let layout = text.parse().unwrap();
        add(
            "`ptx`: function of the index",
            &function(&Program::of_index(&layout).unwrap(), "offset"),
        );
        let plain = !text.starts_with("Sw");
        let program = Program::of_coordinates(&layout).unwrap();
        let name = if plain {
            "function of coordinates"
        } else {
            "function of coordinates, swizzled"
        };
        add(name, &function(&program, "offset"));
    }
    for kernel in examples().unwrap() {
        add(&format!("`{}`", kernel.name), &kernel.text);
    }
    let mut text = String::from("| text | `ptoxide` lacks | so it is |\n| --- | --- | --- |\n");
    for ((is_left_out, name), missing) in kinds {
        let forms: BTreeSet<&str> = missing
            .iter()
            .map(|form| if is_left_out { family(form) } else { form })
            .collect();
        let list: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
        let verdict = match (is_left_out, list.is_empty()) {
            (true, _) => "not executed",
            (false, true) => "executed as printed",
            (false, false) => "executed, these lent",
        };
        let list = if list.is_empty() {
            "nothing".to_owned()
        } else {
            list.join(", ")
        };
        let _ = writeln!(text, "| {name} | {list} | {verdict} |");
    }
    text
}

/// A long instruction without its shapes, types and state spaces: `cp.async.bulk.tensor`.
fn family(form: &str) -> &str {
    const SHORT: usize = 24;
    if form.len() <= SHORT || form.contains(" of ") {
        return form;
    }
    let is_particular = |part: &str| {
        part.contains("::")
            || part.contains(char::is_numeric)
            || matches!(part, "global" | "shared")
    };
    let mut parts = form.split('.');
    let mut end = parts.next().unwrap_or_default().len();
    for part in parts.take_while(|part| !is_particular(part)) {
        end += 1 + part.len();
    }
    form.get(..end).unwrap_or(form)
}
