//! The table of experiments on a GPU, and the page `docs/gpu-results.md`.

use std::fmt::Write as _;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::command::program;
use crate::measurements;
use crate::place::Checkout;
use crate::server;

const PAGE: &str = "docs/gpu-results.md";

/// The mark of a page that has results; they are not overwritten by a machine that has none.
const MARK: &str = "<!-- results -->";

/// One line of `run --table --format json`.
#[derive(Deserialize)]
struct Line {
    case: String,
    report: Option<Report>,
    /// Why this device cannot run it.
    skipped: Option<String>,
}

/// An experiment that was run.
struct Row {
    case: String,
    report: Report,
}

#[derive(Deserialize)]
struct Report {
    why: String,
    agrees: bool,
    brief: String,
    lines: Vec<String>,
    #[serde(default)]
    gigabytes_per_second: Option<f64>,
    #[serde(default)]
    driver_copy_gigabytes_per_second: Option<f64>,
    #[serde(default)]
    plain_copy_gigabytes_per_second: Option<f64>,
}

/// Runs the table on the first CUDA device, and writes the page; without a device the page says that nothing was run, unless it
/// has results of another day.
pub(crate) fn run(place: &Checkout) -> Result<()> {
    let binary = server::build(place)?;
    let mut table = program(place, &binary);
    table.args(["run", "--table", "--device", "cuda", "--format", "json"]);
    let output = table
        .args(["--time-limit", "600"])
        .stderr(Stdio::piped())
        .output()
        .context("cannot start cute-analyzer")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = String::from_utf8(output.stdout).context("the table is not UTF-8")?;
    let lines = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<Vec<Line>, _>>()
        .context("the table is not what it was")?;
    let (rows, skipped) = sorted(lines);
    let path = place.path(PAGE);
    let write =
        |page: String| std::fs::write(&path, page).with_context(|| format!("cannot write {PAGE}"));
    if rows.is_empty() {
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if !old.contains(MARK) {
            write(without_results())?;
        }
        bail!("nothing was run: {}", said.trim());
    }
    write(page(&rows, &skipped, &said, &measurements::today(place)?))?;
    let differing = rows.iter().filter(|row| !row.report.agrees).count();
    println!(
        "{} experiments, {differing} differ; {PAGE} has them all",
        rows.len()
    );
    if differing > 0 || !said.trim().is_empty() {
        bail!("{differing} differ; {}", said.trim());
    }
    Ok(())
}

/// The experiments that were run, and those that the device cannot run, with the reason.
fn sorted(lines: Vec<Line>) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut skipped) = (Vec::new(), Vec::new());
    for Line {
        case,
        report,
        skipped: reason,
    } in lines
    {
        match report {
            Some(report) => rows.push(Row { case, report }),
            None => skipped.push(format!("{case}: {}", reason.unwrap_or_default())),
        }
    }
    (rows, skipped)
}

const OPENING: &str = "# Results on GPUs\n\nWritten by `cargo xtask gpu`, which runs `cute-analyzer run --table --device cuda`: every row is an experiment whose\nexpectation is the algebra's or a model's, compared on the device.\n\n";

fn without_results() -> String {
    format!(
        "{OPENING}Nothing has run on a GPU yet. All kernels are assembled by NVIDIA's `ptxas` and all rows agree on the CPU's executor\n(`cargo xtask test`); what a device does with them is not known.\n"
    )
}

fn page(rows: &[Row], skipped: &[String], said: &str, date: &str) -> String {
    let device = rows.first().map_or("", |row| row.report.why.as_str());
    let agreeing = rows.iter().filter(|row| row.report.agrees).count();
    let mut page = format!(
        "{OPENING}{MARK}\n{device}; {date}. {agreeing} of {} agree.\n\n",
        rows.len()
    );
    if let Some(share) = identity_share(rows) {
        let _ = writeln!(
            page,
            "Our copy in order reaches {share:.0} % of the driver's own copy of the same buffers in the same run.\n"
        );
    }
    page.push_str("| experiment | agrees | answer | figures |\n| --- | --- | --- | --- |\n");
    for row in rows {
        let agrees = if row.report.agrees { "yes" } else { "**no**" };
        let _ = writeln!(
            page,
            "| `{}` | {agrees} | {} | {} |",
            row.case.replace('|', "\\|"),
            row.report.brief,
            row.report.lines.join("; ")
        );
    }
    if !skipped.is_empty() {
        let _ = write!(
            page,
            "\nWhat this device cannot run:\n\n```text\n{}\n```\n",
            skipped.join("\n")
        );
    }
    if !said.trim().is_empty() {
        let _ = write!(page, "\nWhat failed:\n\n```text\n{}\n```\n", said.trim());
    }
    page
}

/// The best copy in order, in percent of the driver's own.
fn identity_share(rows: &[Row]) -> Option<f64> {
    let share = |report: &Report| {
        report.gigabytes_per_second?;
        let plain = report.plain_copy_gigabytes_per_second?;
        Some(100.0 * plain / report.driver_copy_gigabytes_per_second?)
    };
    let shares = rows.iter().filter_map(|row| share(&row.report));
    shares.max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let line = |case: &str, agrees: bool, copied: &str| {
            let text = format!(
                r#"{{"case":"{case}","report":{{"why":"GPU (sm_90)","agrees":{agrees},"brief":"b","lines":["l","m"]{copied}}}}}"#
            );
            serde_json::from_str::<Line>(&text).expect("a line")
        };
        let copied = r#","gigabytes_per_second":1.0,"plain_copy_gigabytes_per_second":1.8,"driver_copy_gigabytes_per_second":2.0"#;
        let lines = vec![
            line("offsets: 8:1", true, ""),
            line("copy: x", false, copied),
        ];
        sorted(lines).0
    }

    #[test]
    fn a_page_has_the_device_the_date_and_every_row() {
        let other = r#"{"case":"tcgen05: y","skipped":"needs sm_100a"}"#;
        let (_, skipped) = sorted(vec![serde_json::from_str(other).expect("a line")]);
        let page = page(&rows(), &skipped, "", "2030-01-02");
        for said in [
            "GPU (sm_90); 2030-01-02. 1 of 2 agree.",
            "reaches 90 % of the driver's own",
            "| `offsets: 8:1` | yes | b | l; m |",
            "| `copy: x` | **no** | b | l; m |",
            "tcgen05: y: needs sm_100a",
        ] {
            assert!(page.contains(said), "{page}");
        }
        assert!(
            page.contains(MARK) && !page.contains("What failed"),
            "{page}"
        );
    }

    #[test]
    fn a_page_without_results_says_so() {
        let page = without_results();
        assert!(page.contains("Nothing has run on a GPU yet"), "{page}");
        assert!(!page.contains(MARK));
        let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/gpu-results.md");
        let kept = std::fs::read_to_string(tree).expect("the page");
        assert!(kept.contains(MARK) || kept == page, "run `cargo xtask gpu`");
    }
}
