//! The page `docs/measurements.md`: sections that `cargo xtask bench` writes, between marks, and prose
//! around them that it leaves alone.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use crate::command;
use crate::place::Checkout;

const PAGE: &str = "docs/measurements.md";
const OPENING: &str = "# Measurements\n\nWritten by `cargo xtask bench`; the prose between the sections is ours. Times of different machines do not compare, and a load\naverage above the number of cores means that others were waiting too.\n";

/// A table with a title.
pub(crate) struct Section {
    /// Names the section in the page; a run replaces the section of the same name.
    pub(crate) name: &'static str,
    /// The subject and the method of the measurement, in a sentence or two.
    pub(crate) about: String,
    /// The head of the table.
    pub(crate) head: Vec<&'static str>,
    /// Its rows, as wide as the head.
    pub(crate) rows: Vec<Vec<String>>,
}

/// Prints the sections, and writes them into the page under today's date and this machine's class.
pub(crate) fn publish(place: &Checkout, sections: &[Section]) -> Result<()> {
    let path = place.path(PAGE);
    let mut page = std::fs::read_to_string(&path).unwrap_or_else(|_| OPENING.to_owned());
    let when_and_where = format!("{}; {}", today(place)?, machine_class());
    for section in sections {
        let text = render(section, &when_and_where);
        println!("\n{text}");
        page = replace(&page, section.name, &text);
    }
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))
}

fn render(section: &Section, when_and_where: &str) -> String {
    let mut text = format!("{}\n\n{when_and_where}.\n\n", section.about);
    let row = |cells: &mut dyn Iterator<Item = &str>| {
        cells.fold(String::from("|"), |mut line, cell| {
            // Writing to a string cannot fail.
            let _ = write!(line, " {cell} |");
            line
        })
    };
    text += &row(&mut section.head.iter().copied());
    text.push('\n');
    text += &row(&mut section.head.iter().map(|_| "---"));
    text.push('\n');
    for cells in &section.rows {
        text += &row(&mut cells.iter().map(String::as_str));
        text.push('\n');
    }
    text
}

/// The page with the section's text in the place of the old one, or at its end.
fn replace(page: &str, name: &str, text: &str) -> String {
    let begin = format!("<!-- measured: {name} -->\n");
    let end = format!("<!-- end: {name} -->\n");
    let marked = format!("{begin}{text}{end}");
    let old = page.find(&begin).and_then(|start| {
        let tail = page.get(start..)?;
        Some((start, start + tail.find(&end)? + end.len()))
    });
    match old.and_then(|(start, stop)| Some((page.get(..start)?, page.get(stop..)?))) {
        Some((before, after)) => format!("{before}{marked}{after}"),
        None => format!("{page}\n## {name}\n\n{marked}"),
    }
}

/// The date, as `2026-01-31`.
pub(crate) fn today(place: &Checkout) -> Result<String> {
    let date = command::output(command::program(place, "date").args(["-u", "+%Y-%m-%d"]))?;
    Ok(date.trim().to_owned())
}

/// Processor, number of cores, system, and how busy it was; nothing that names a single machine.
fn machine_class() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let processor = processor(Path::new("/proc/cpuinfo"))
        .unwrap_or_else(|| format!("unknown {} processor", std::env::consts::ARCH));
    let load = load(Path::new("/proc/loadavg"))
        .map_or_else(String::new, |load| format!(", load average {load}"));
    format!("{processor}, {cores} cores, {}{load}", std::env::consts::OS)
}

/// Number of programs that wanted a core at once, on average over the last five minutes.
fn load(loadavg: &Path) -> Option<String> {
    let text = std::fs::read_to_string(loadavg).ok()?;
    text.split_whitespace().nth(1).map(str::to_owned)
}

fn processor(cpuinfo: &Path) -> Option<String> {
    let text = std::fs::read_to_string(cpuinfo).ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_added_once_and_then_replaced_in_its_place() {
        let first = replace("# Page\n", "wire", "old\n");
        let with_prose = format!("{first}\nOur prose.\n");
        let second = replace(&with_prose, "wire", "new\n");
        assert!(
            second.contains("new\n") && !second.contains("old\n"),
            "{second}"
        );
        assert!(second.ends_with("\nOur prose.\n"), "{second}");
        assert_eq!(second.matches("## wire").count(), 1);
    }

    #[test]
    fn a_table_has_its_head_and_a_row_per_measurement() {
        let section = Section {
            name: "wire",
            about: "What.".to_owned(),
            head: vec!["a", "b"],
            rows: vec![vec!["1".to_owned(), "2".to_owned()]],
        };
        assert_eq!(
            render(&section, "a day; a machine"),
            "What.\n\na day; a machine.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
        );
    }
}
