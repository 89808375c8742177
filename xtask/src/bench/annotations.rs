//! The share of recognised layouts and shapes in comments that are right: beside a sample of places that were labelled
//! by hand.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::command;
use crate::measurements::Section;
use crate::place::Checkout;

/// Package, file, line, kind, verdict: the labelled sample.
const LABELS: &str = "tests/data/annotation_labels.tsv";

/// A labelled place: package, file in it, line, `layout` or `shape`.
type PlaceInSource = (String, String, String, String);

/// Reads the CUTLASS sources and those of the packages of crates.io that the sample names, and
/// counts how many of the labelled places that are still taken are right.
pub(super) fn measured(place: &Checkout) -> Result<Section> {
    let path = place.path(LABELS);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let labels = labels(&text)?;
    let mut taken = annotations(place, "cutlass", &place.oracles().join("cutlass"))?;
    let all: usize = taken.len();
    let packages: BTreeSet<&str> = labels.keys().map(|label| label.0.as_str()).collect();
    let registry = registry()?;
    for package in packages.into_iter().filter(|package| *package != "cutlass") {
        taken.extend(annotations(place, package, &registry.join(package))?);
    }
    Ok(section(&labels, &taken, all))
}

fn labels(text: &str) -> Result<HashMap<PlaceInSource, bool>> {
    text.lines()
        .skip(1)
        .map(
            |line| match line.split('\t').collect::<Vec<_>>().as_slice() {
                [package, file, at, kind, verdict] => {
                    let place = [*package, *file, *at, *kind].map(str::to_owned);
                    Ok((place.into(), *verdict == "right"))
                }
                _ => bail!("{LABELS}: {line}"),
            },
        )
        .collect()
}

/// The folder into which cargo unpacks the sources of packages.
fn registry() -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let sources = home.context("no home folder")?.join("registry/src");
    let mut indices = std::fs::read_dir(&sources)
        .with_context(|| format!("cannot list {}", sources.display()))?;
    let index = indices.next().context("cargo has unpacked no package")??;
    Ok(index.path())
}

fn annotations(
    place: &Checkout,
    package: &str,
    folder: &std::path::Path,
) -> Result<BTreeSet<PlaceInSource>> {
    let mut example = command::example(place, "tree-sitter-cute", "annotations");
    let text = command::output(example.arg(folder)).with_context(|| package.to_owned())?;
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.split('\t').map(str::to_owned);
        Some((
            package.to_owned(),
            cells.next()?,
            cells.next()?,
            cells.next()?,
        ))
    });
    Ok(rows.collect())
}

fn section(
    labels: &HashMap<PlaceInSource, bool>,
    taken: &BTreeSet<PlaceInSource>,
    all: usize,
) -> Section {
    let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for (place, is_right) in labels {
        if taken.contains(place) {
            let tree = if place.0 == "cutlass" {
                "CUTLASS"
            } else {
                "Rust packages"
            };
            let count = counts.entry((tree, &place.3)).or_default();
            count.0 += usize::from(*is_right);
            count.1 += 1;
        }
    }
    let total = counts
        .values()
        .fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    let row = |name: String, (right, taken): (usize, usize)| {
        let tenths = right * 1_000 / taken.max(1);
        vec![
            name,
            taken.to_string(),
            right.to_string(),
            format!("{}.{} %", tenths / 10, tenths % 10),
        ]
    };
    let mut rows: Vec<Vec<String>> = counts
        .iter()
        .map(|((tree, kind), count)| row(format!("{tree}, {kind}"), *count))
        .collect();
    rows.push(row("together".to_owned(), total));
    Section {
        name: "Layouts in comments",
        about: format!(
            "What is taken for a layout or a shape in comments, in a sample of {} places labelled by \
             hand (`{LABELS}`): every third layout and an even sample of the shapes among the {all} lines of \
             CUTLASS 4.2, and the first 16 places of packages of crates.io, none of them about GPUs (no layout, tuples only). \
             What is taken for a shape is shown nowhere; it is compared only where it describes a variable with \
             a layout.",
            labels.len()
        ),
        head: vec!["tree, kind", "taken", "right", "precision"],
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_are_no_longer_taken_do_not_count() {
        let labels = labels(
            "package\tfile\tline\tkind\tverdict\ncutlass\ta.h\t1\tlayout\tright\n\
             cutlass\tb.h\t2\tlayout\twrong\np-1\tc.rs\t3\tshape\twrong\n",
        )
        .unwrap();
        let taken = labels
            .keys()
            .filter(|place| place.0 == "cutlass")
            .cloned()
            .collect();
        let rows = section(&labels, &taken, 2).rows;
        assert_eq!(rows[0], ["CUTLASS, layout", "2", "1", "50.0 %"]);
        assert_eq!(rows.len(), 2);
    }
}
