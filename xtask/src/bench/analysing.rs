//! Analyses in process: the additional time of the rules of costs, and a keystroke.

use anyhow::{Context, Result, bail};
use cute_tests::load::large_source;

use crate::command;
use crate::measurements::Section;
use crate::place::Checkout;

/// Sources of CUTLASS that are analysed.
const SOURCES: [&str; 4] = [
    "examples/cute/tutorial/sgemm_sm80.cu",
    "examples/cute/tutorial/hopper/wgmma_tma_sm90.cu",
    "examples/cute/tutorial/blackwell/04_mma_tma_2sm_sm100.cu",
    "examples/48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu",
];
/// Lines of the generated files.
const LINES: [usize; 2] = [2_000, 5_000];

/// Runs the example that measures.
pub(super) fn measured(place: &Checkout) -> Result<Section> {
    let folder = place.path("target/bench-analysing");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let mut example = command::example(place, "cute-analysis", "analysing");
    for source in SOURCES {
        example.arg(place.oracles().join("cutlass").join(source));
    }
    for lines in LINES {
        let path = folder.join(format!("{lines}_lines.cu"));
        std::fs::write(&path, large_source(lines))
            .with_context(|| format!("cannot write {}", path.display()))?;
        example.arg(path);
    }
    let lines = command::output(&mut example)?;
    Ok(Section {
        name: "Analyses in process",
        about: "Sources of CUTLASS 4.2, read alone, and generated ones. The first three columns are medians of \
                an analysis without parsing: the values of names, the same with what functions cost and need \
                (budgets, barriers, preconditions), and the difference of the two run one behind the \
                other, which is to stay under 20 ms. The others are a keystroke in the middle of the \
                file to all that is known again, parsing included."
            .to_owned(),
        head: vec![
            "file",
            "lines",
            "values",
            "with costs",
            "costs",
            "keystroke, 50th",
            "95th",
            "99th percentile",
        ],
        rows: lines.lines().map(row).collect::<Result<_>>()?,
    })
}

/// A line of the example as a row of the table.
fn row(line: &str) -> Result<Vec<String>> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [path, lines, without, with, costs, typed @ ..] = cells.as_slice() else {
        bail!("too few cells: {line}");
    };
    let microseconds = |text: &str| text.parse::<f64>().context("a time");
    let shown = |time: f64| format!("{:.1} ms", time / 1e3);
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let mut row = vec![
        format!("`{name}`"),
        (*lines).to_owned(),
        shown(microseconds(without)?),
        shown(microseconds(with)?),
        shown(microseconds(costs)?),
    ];
    for time in typed {
        row.push(shown(microseconds(time)?));
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_a_row_of_milliseconds() {
        let found = row("/a/b.cu\t20\t1500\t2600\t1200\t300\t400\t500").unwrap();
        let expected = [
            "`b.cu`", "20", "1.5 ms", "2.6 ms", "1.2 ms", "0.3 ms", "0.4 ms", "0.5 ms",
        ];
        assert_eq!(found, expected);
        assert!(row("b.cu\t20").is_err());
    }
}
