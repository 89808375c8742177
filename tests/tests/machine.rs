//! The capacities of machines are rows of one table, `hardware/src/multiprocessor.rs`: no other source of the product has such a
//! number, and what is shown of a machine comes from its row.

#![allow(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cute_hardware::multiprocessor::Multiprocessor;
use cute_tests::files::files_below;
use syn::visit::{self, Visit};

const CRATES: [&str; 6] = [
    "algebra", "hardware", "grammar", "analysis", "runner", "server",
];

const TABLE: &str = "hardware/src/multiprocessor.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Bytes of shared memory of all rows. Powers of two have other meanings, too.
fn capacities() -> BTreeSet<u64> {
    let of_row = |row: &Multiprocessor| [row.shared_of_a_cta, row.oversized_of_a_cta, row.shared];
    let all = Multiprocessor::all().iter().flat_map(of_row);
    all.filter_map(|bytes| u64::try_from(bytes).ok())
        .filter(|bytes| !bytes.is_power_of_two())
        .collect()
}

/// The capacities that an expression outside of tests has: `232_448`, `227 * 1_024`, `227 << 10`.
#[derive(Default)]
struct Found {
    all: Vec<u64>,
}

/// The value of a product or shift of literals.
fn value_of(expr: &syn::Expr) -> Option<u64> {
    match expr {
        syn::Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        syn::Expr::Paren(inner) => value_of(&inner.expr),
        syn::Expr::Cast(cast) => value_of(&cast.expr),
        syn::Expr::Binary(binary) => {
            let (left, right) = (value_of(&binary.left)?, value_of(&binary.right)?);
            match binary.op {
                syn::BinOp::Mul(_) => left.checked_mul(right),
                syn::BinOp::Shl(_) => left.checked_shl(u32::try_from(right).ok()?),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg_test = || {
            let condition = attribute.parse_args::<syn::Ident>();
            condition.is_ok_and(|condition| condition == "test")
        };
        attribute.path().is_ident("test") || attribute.path().is_ident("cfg") && is_cfg_test()
    })
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        match value_of(expr) {
            Some(value) => self.all.push(value),
            None => visit::visit_expr(self, expr),
        }
    }
}

fn numbers_of(text: &str) -> Vec<u64> {
    let mut found = Found::default();
    found.visit_file(&syn::parse_file(text).unwrap());
    found.all
}

#[test]
fn no_capacity_is_written_outside_of_the_table() {
    let capacities = capacities();
    assert!(capacities.contains(&232_448) && capacities.len() > 6);
    for folder in CRATES {
        for path in files_below(&root().join(folder).join("src"), "rs") {
            if path.ends_with(TABLE) || path.ends_with("tests.rs") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for number in numbers_of(&text) {
                assert!(
                    !capacities.contains(&number),
                    "{} has {number}, a capacity of {TABLE}",
                    path.display()
                );
            }
        }
    }
}

/// Editors show what the server says, and our versions of Python's modules ask the table.
#[test]
fn no_capacity_is_written_in_another_language() {
    let capacities = capacities();
    for (folder, ending) in [
        ("analysis/src", "py"),
        ("server/src", "js"),
        ("editors/vscode/src", "ts"),
        ("editors/nvim", "lua"),
    ] {
        let files = files_below(&root().join(folder), ending);
        assert!(!files.is_empty(), "{folder} has no .{ending}");
        for path in files {
            let text = fs::read_to_string(&path).unwrap().replace('_', "");
            let words = text.split(|letter: char| !letter.is_alphanumeric());
            let mut numbers = words.filter_map(|word| word.parse::<u64>().ok());
            let found = numbers.find(|number| capacities.contains(number));
            assert_eq!(found, None, "{}", path.display());
        }
    }
}

#[test]
fn a_capacity_is_found_however_it_is_written() {
    for text in [
        "const A: usize = 227 << 10;",
        "fn f() -> i64 { 227 * 1_024 }",
        "fn f() -> i64 { g(232_448) + 1 }",
        "const A: i64 = (99 * 1_024) as i64;",
    ] {
        let capacities = capacities();
        let mut numbers = numbers_of(text).into_iter();
        assert!(numbers.any(|it| capacities.contains(&it)), "{text}");
    }
    for text in [
        "#[cfg(test)] mod tests { const A: usize = 227 << 10; }",
        "#[test] fn f() { g(232_448); }",
        "/// 232_448\nfn f() -> i64 { 232_449 }",
    ] {
        let capacities = capacities();
        let mut numbers = numbers_of(text).into_iter();
        assert!(!numbers.any(|it| capacities.contains(&it)), "{text}");
    }
}
