//! The quality and the speed of parsing the sources of CUTLASS: our grammar beside the one it extends.

use anyhow::{Context, Result, bail};

use super::criterion;
use crate::command;
use crate::measurements::Section;
use crate::place::Checkout;

/// Runs the example that counts and measures.
pub(super) fn measured(place: &Checkout) -> Result<Vec<Section>> {
    let mut example = command::example(place, "tree-sitter-cute", "parsing");
    let lines = command::output(example.arg(place.oracles().join("cutlass")))?;
    Ok(vec![errors(&lines)?, speed(&lines)?])
}

/// The cells behind `kind` in each line that begins with it.
fn rows<'l, const N: usize>(lines: &'l str, kind: &str) -> Result<Vec<[&'l str; N]>> {
    let mut found = Vec::new();
    for line in lines.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        match cells.split_first() {
            Some((first, cells)) if *first == kind => match <[&str; N]>::try_from(cells) {
                Ok(cells) => found.push(cells),
                Err(_) => bail!("not {N} cells: {line}"),
            },
            _ => {}
        }
    }
    Ok(found)
}

fn errors(lines: &str) -> Result<Section> {
    let mut table = Vec::new();
    for [reader, set, files, with_errors, errors, sites, clean] in rows(lines, "errors")? {
        let number = |text: &str| text.parse::<u64>().context("a count");
        let tenths = number(clean)? * 1_000 / number(sites)?.max(1);
        table.push(vec![
            format!("`{set}`, {files} files"),
            reader.to_owned(),
            with_errors.to_owned(),
            errors.to_owned(),
            format!("{}.{} % of {sites}", tenths / 10, tenths % 10),
        ]);
    }
    Ok(Section {
        name: "Parsing: errors",
        about: "Sources of CUTLASS 4.2, read by the CUDA grammar of tree-sitter and by ours, which extends \
                it; as they are written, and after the pre-pass that overwrites unlisted \
                macros; and by declarations, as the server does. An error is a node that could not be \
                placed or had to be invented. The last column counts places where a layout is made or \
                named (files up to 300 kB) that no error touches."
            .to_owned(),
        head: vec!["files", "read by", "with errors", "errors", "layouts untouched"],
        rows: table,
    })
}

fn speed(lines: &str) -> Result<Section> {
    let mut table = Vec::new();
    for [reader, bytes_a_second, after_edit] in rows(lines, "speed")? {
        let number = |text: &str| text.parse::<f64>().context("a time");
        table.push(vec![
            reader.to_owned(),
            format!("{:.1}", number(bytes_a_second)? / 1e6),
            criterion::nanoseconds(number(after_edit)?),
        ]);
    }
    Ok(Section {
        name: "Parsing: speed",
        about: "The examples of CUTLASS 4.2, the fastest of three readings; and `include/cute/layout.hpp` \
                again after a letter was typed in it, the median of 21 places. Times of the clock."
            .to_owned(),
        head: vec!["read by", "MB/s", "after an edit"],
        rows: table,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str =
        "errors\tours\texamples\t9\t1\t2\t1000\t997\nspeed\tours\t6300000\t570000\n";

    #[test]
    fn lines_become_tables() {
        let errors = errors(LINES).unwrap().rows;
        assert_eq!(
            errors,
            [["`examples`, 9 files", "ours", "1", "2", "99.7 % of 1000"]]
        );
        assert_eq!(speed(LINES).unwrap().rows, [["ours", "6.3", "570.00 us"]]);
    }

    #[test]
    fn a_line_of_another_shape_is_an_error() {
        assert!(errors("errors\tours\n").is_err());
    }
}
