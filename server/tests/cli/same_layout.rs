//! Hints and pictures are of the value: a short text says less than the value and nothing else, and a cell shows the
//! offset that the value has there.

use std::fs;

use cute_algebra::Int;
use cute_analysis::{Dialect, Integers, Options, Value, evaluate};
use cute_analyzer::presentation::abbreviation::label_within;
use cute_analyzer::presentation::picture::{self, Window};
use serde_json::Value as Json;
use tree_sitter_cute::notation;

use crate::ask::{ask, ask_with, root};

/// The layouts that golden rows have as results, as CuTe prints them, each with its offsets where the row has them.
fn golden() -> Vec<(String, Option<Vec<i64>>)> {
    let mut found = Vec::new();
    for (file, print, offsets) in [
        ("algebra-open.jsonl", "result_raw", "offsets"),
        ("swizzle_atoms-open.jsonl", "layout", "pi_offsets"),
        ("selectors-open.jsonl", "layout", "offsets"),
        ("tutorials-open.jsonl", "print", "offsets"),
    ] {
        let text = fs::read_to_string(root().join("tests/golden").join(file)).unwrap();
        for line in text.lines() {
            let row: Json = serde_json::from_str(line).unwrap();
            let Some(print) = row[print].as_str().filter(|print| print.contains(':')) else {
                continue;
            };
            // Without operands the print of a row is not what its offsets are of.
            let offsets = row[offsets].as_array();
            let numbers = offsets.and_then(|all| all.iter().map(Json::as_i64).collect());
            found.push((print.to_owned(), numbers));
        }
    }
    found
}

/// The value of a print; nothing for one that is not a layout.
fn value(print: &str) -> Option<Value> {
    let options = Options {
        integers: Integers::Cute,
        ..Options::default()
    };
    let value = evaluate(&notation::parse(print).ok()?, &options).value;
    value.as_any_layout().is_some().then_some(value)
}

/// The print of a value as a hint writes it where all of it fits.
fn in_full(value: &Value) -> String {
    label_within(value, Dialect::Cute, usize::MAX)
}

/// Whether a text is another with parts replaced by ellipses, each between two tokens.
fn is_elision(short: &str, whole: &str) -> bool {
    let pieces: Vec<&str> = short.split('…').collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = whole;
    for (index, piece) in pieces.iter().enumerate() {
        let last = index + 1 == pieces.len();
        let at = if index == 0 {
            rest.starts_with(piece).then_some(0)
        } else if last {
            rest.len()
                .checked_sub(piece.len())
                .filter(|at| rest.get(*at..) == Some(piece))
        } else {
            rest.find(piece)
        };
        let Some(at) = at else { return false };
        let (before, after) = (&rest[..at], &rest[at + piece.len()..]);
        let splits_end = !last && piece.ends_with(is_word) && after.starts_with(is_word);
        let splits_start = index > 0 && before.ends_with(is_word) && piece.starts_with(is_word);
        if splits_end || splits_start {
            return false;
        }
        rest = after;
    }
    rest.is_empty() || short.ends_with('…')
}

/// The print of CuTe without underscores, and of a pointer only the swizzle and the width of an element.
fn as_in_a_hint(print: &str) -> String {
    let (before, layout) = print.rsplit_once(" o ").unwrap_or(("", print));
    let layout = layout.replace('_', "");
    let bits = before
        .split_once('[')
        .and_then(|(_, rest)| Some(rest.split_once("b]")?.0));
    match (before.split_once('>'), bits) {
        _ if before.starts_with("Sw<0,") => layout,
        (Some((swizzle, _)), Some(bits)) => format!("{swizzle}> o {bits}b o {layout}"),
        (None, _) if before.contains("ptr[") => layout,
        _ => print.replace('_', "").replace(" o 0 o ", " o "),
    }
}

#[test]
fn a_short_text_never_names_another_layout() {
    let mut looked_at = 0;
    for (print, _) in golden() {
        let Some(value) = value(&print) else { continue };
        looked_at += 1;
        let whole = in_full(&value);
        assert_eq!(whole, as_in_a_hint(&print), "{print}");
        for width in [20, 43, 80] {
            let short = label_within(&value, Dialect::Cute, width);
            assert!(short.chars().count() <= width, "{short}");
            assert!(is_elision(&short, &whole), "{short} of {whole}");
            if width >= 43
                && let Some((swizzle, _)) = whole.split_once(" o ")
            {
                assert!(short.starts_with(swizzle), "{short} of {whole}");
            }
        }
    }
    assert!(looked_at > 1000, "only {looked_at}");
}

#[test]
fn what_an_elision_is() {
    assert!(is_elision("(8,64):…", "(8,64):(64,1)"));
    assert!(is_elision("(…,1)", "(8,64,1)"));
    assert!(!is_elision("(8,6…", "(8,64):(64,1)"));
    assert!(!is_elision("(8,64):(64,1)", "Sw<3,3,3> o (8,64):(64,1)"));
    assert!(!is_elision("(8,4):…", "((1,8),4):((0,1),8)"));
}

/// The offsets of the elements in colexicographic order, by bytes: the swizzle permutes the address as the hardware does.
fn offsets(value: &Value) -> Option<Vec<i64>> {
    let layout = value.as_any_layout()?;
    let size = layout.size().ok()?.value().filter(|size| *size <= 4096)?;
    let address = match value {
        Value::Shared(shared) => Some((shared.swizzle, shared.element_bits)),
        Value::Tensor(tensor) => tensor
            .engine
            .swizzle
            .zip(tensor.engine.bits().map(i64::from)),
        _ => None,
    };
    let at = |index: i64| {
        let offset = layout.eval(index).ok()?.as_leaf().and_then(Int::value)?;
        let Some((swizzle, bits)) = address else {
            return Some(offset);
        };
        let (byte, inside) = (offset * bits / 8, offset * bits % 8);
        Some((swizzle.apply(byte) * 8 + inside) / bits)
    };
    (0..size).map(at).collect()
}

#[test]
fn a_cell_shows_the_offset_that_the_value_has_there() {
    let window = Window {
        rows: 4096,
        columns: 4096,
        ..Window::default()
    };
    let (mut drawn, mut swizzled, mut golden_too) = (0, 0, 0);
    for (print, stated) in golden() {
        let Some(value) = value(&print) else { continue };
        let Some(expected) = offsets(&value) else {
            continue;
        };
        let Ok(sheet) = picture::of_value(&value, window) else {
            continue;
        };
        let mut cells: Vec<(i64, i64)> = sheet.panels[0]
            .cells
            .iter()
            .flatten()
            .map(|cell| (cell.index, cell.offset.parse().unwrap()))
            .collect();
        cells.sort_unstable();
        let cells: Vec<i64> = cells.into_iter().map(|(_, offset)| offset).collect();
        assert_eq!(cells, expected, "{print}");
        if let Some(stated) = stated.filter(|stated| stated.len() == cells.len()) {
            assert_eq!(cells, stated, "{print}");
            golden_too += 1;
        }
        drawn += 1;
        swizzled +=
            usize::from(matches!(&value, Value::Shared(shared) if !shared.swizzle.is_identity()));
    }
    assert!(
        drawn > 800 && swizzled > 80 && golden_too > 600,
        "{drawn} {swizzled} {golden_too}"
    );
}

const ATOM: &str = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)";

#[test]
fn a_column_of_a_swizzled_atom_has_no_bank_conflict() {
    let json = |expression: &str, more: &[&str]| {
        let mut arguments = vec!["draw", expression, "--by", "bank", "--format", "json"];
        arguments.extend(more);
        serde_json::from_str::<Json>(&ask(&arguments).ends_with(0).stdout).unwrap()
    };
    let banks = |drawn: &Json, row: usize| -> Vec<String> {
        let cells = drawn["panels"][0]["cells"][row].as_array().unwrap();
        cells
            .iter()
            .map(|cell| cell["text"].as_str().unwrap().to_owned())
            .collect()
    };
    for expression in [
        ATOM,
        "GMMA::Layout_K_SW128_Atom<half_t>{}",
        "Sw<3,4,3>_smem_ptr[16b](PTR) o (_8,_64):(_64,_1)",
    ] {
        let drawn = json(expression, &[]);
        let column: Vec<String> = (0..8).map(|row| banks(&drawn, row)[0].clone()).collect();
        assert_eq!(
            column,
            ["0", "4", "8", "12", "16", "20", "24", "28"],
            "{expression}"
        );
    }
    // Its twin without a swizzle has the conflict.
    let drawn = json("smem_ptr[16b](unset) o (_8,_64):(_64,_1)", &[]);
    assert!((0..8).all(|row| banks(&drawn, row)[0] == "0"));
    // The value says how wide an element is.
    let refused = ask(&["draw", ATOM, "--by", "bank", "--type", "float"]).ends_with(1);
    assert!(
        refused.stderr.contains("the elements have 16 bits, not 32"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_the_tool_prints_it_reads() {
    let question =
        |op: &str, args: &[&str]| serde_json::json!({ "op": op, "args": args }).to_string();
    let questions = [
        question("layout", &[ATOM]),
        question("composition", &[ATOM, "(4,8):(1,4)"]),
        question("size", &[ATOM]),
        question("logical_divide", &[ATOM, "(4,8)"]),
        question("tile_to_shape", &[ATOM, "(128,64,3)"]),
    ];
    let answer = ask_with(&["eval", "--stdin"], questions.join("\n").as_bytes()).ends_with(0);
    let results: Vec<Json> = answer
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let results: Vec<&str> = results
        .iter()
        .map(|row| row["result"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        results,
        [
            ATOM,
            "Sw<3,4,3> o smem_ptr[16b](unset) o (_4,(_2,_4)):(_64,(_256,_1))",
            "512",
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_4,_2),(_8,_8)):((_64,_256),(_1,_8))",
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1),(_1,_3)):((_64,_512),(_1,_0),(_0,_8192))",
        ]
    );
    for result in [results[1], results[3], results[4]] {
        assert_eq!(ask(&["eval", result]).ends_with(0).stdout.trim(), result);
        let nested = format!("composition({result}, 4:1)");
        ask(&["eval", &nested]).ends_with(0);
        ask(&["explain", &nested]).ends_with(0);
    }
    // A swizzle of offsets is the algebra's, as before.
    let answer = ask_with(
        &["eval", "--stdin"],
        question("layout", &["Sw<3,3,3> o 0 o (8,64):(64,1)"]).as_bytes(),
    );
    assert!(
        answer
            .ends_with(0)
            .stdout
            .contains("\"Sw<3,3,3> o 0 o (8,64):(64,1)\"")
    );
}

#[test]
fn code_for_an_address_swizzles_it() {
    let swizzled = ask(&["ptx", ATOM]).ends_with(0).stdout;
    assert!(swizzled.contains("xor"), "{swizzled}");
    let plain = ask(&["ptx", "(_8,_64):(_64,_1)"]).ends_with(0).stdout;
    assert!(!plain.contains("xor"), "{plain}");
}

#[test]
fn the_layout_of_an_operand_is_not_drawn_for_a_swizzled_one() {
    let expression = format!("composition({ATOM}, (4,8):(1,4))");
    let drawn = ask(&["draw", &expression, "--operands", "--format", "json"])
        .ends_with(0)
        .stdout;
    let drawn: Json = serde_json::from_str(&drawn).unwrap();
    let last = drawn["panels"].as_array().unwrap().last().unwrap();
    let offset = |row: usize| last["cells"][row][0]["offset"].as_str().unwrap().to_owned();
    assert_eq!(
        [offset(0), offset(1), offset(2), offset(3)],
        ["0", "72", "144", "216"]
    );
}
