//! `hover FILE:LINE:COL`: the hover of an editor there.

use std::io;
use std::path::Path;

use cute_analysis::{Analysis, Reason, Value};

use super::Session;
use super::output::{Outcome, complain, in_one_line};
use super::source::Source;
use crate::presentation::detail::detail;
use crate::presentation::hover::diagnosed::Findings;
use crate::presentation::hover::hover;
use crate::presentation::lines::LineColumn;
use crate::presentation::{otherwise, recorded};

pub(super) fn run(text: &str, all: bool, session: &mut Session) -> io::Result<Outcome> {
    let said = in_one_line(text);
    let Some((file, place)) = parse(text) else {
        complain(&format!(
            "`{said}` is not a place: write FILE:LINE:COLUMN, both counted from 1"
        ));
        return Ok(Outcome::Unusable);
    };
    let analysed =
        Source::read(Path::new(file)).and_then(|source| Ok((session.analyse(&source)?, source)));
    let (analysis, source) = match analysed {
        Ok(analysed) => analysed,
        Err(error) => {
            complain(&error.to_string());
            return Ok(Outcome::Unusable);
        }
    };
    let Some(byte) = source.lines.byte(place) else {
        complain(&format!(
            "{} has no line {} with a column {}",
            in_one_line(file),
            place.line,
            place.column
        ));
        return Ok(Outcome::Unusable);
    };
    let shown = if all {
        let unit = source.unit();
        unit.map(|unit| {
            let chosen = &session.analyser.chosen;
            let found = detail(&analysis, &unit, &source.lines, byte, chosen);
            found.map(|detail| detail.plain())
        })
    } else {
        let chosen = &session.analyser.chosen;
        let found = hover(&analysis, &source.lines, byte, chosen, Findings::All);
        let recorded = session.analyser.recorded(&source);
        let found = recorded::added_to(found, &analysis, byte, &recorded);
        let what_if = session.analyser.what_if(&source);
        let lines = &source.lines;
        let found = otherwise::added_to(found, &analysis, &what_if, lines, byte, chosen);
        Ok(found.map(|hover| hover.plain))
    };
    match shown {
        Ok(Some(shown)) => {
            session.out.text(&shown)?;
            Ok(Outcome::Clean)
        }
        Ok(None) => {
            let why = unknown_at(&analysis, byte).map_or_else(
                || "no layout, shape or stride".to_owned(),
                |why| why.in_full(),
            );
            complain(&format!("{said}: {why}"));
            Ok(Outcome::Found)
        }
        Err(error) => {
            complain(&error.to_string());
            Ok(Outcome::Unusable)
        }
    }
}

/// Why the value at a byte is not known, where there is one.
fn unknown_at(analysis: &Analysis, byte: usize) -> Option<Reason> {
    let facts = analysis.facts_at(byte).into_iter().map(|fact| &*fact.value);
    let mentions = analysis.mentions_at(byte).into_iter();
    let mut values = facts.chain(mentions.map(|mention| &*mention.value));
    values.find_map(|value| match value {
        Value::Unknown(reason) => Some(reason.clone()),
        _ => None,
    })
}

/// Splits `FILE:LINE:COLUMN`; the file may contain colons itself.
fn parse(text: &str) -> Option<(&str, LineColumn)> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
    Some((
        file,
        LineColumn {
            line: number(line)?,
            column: number(column)?,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_from_the_end() {
        let place = LineColumn {
            line: 3,
            column: 14,
        };
        assert_eq!(parse("a.cu:3:14"), Some(("a.cu", place)));
        assert_eq!(parse("C:\\x\\a.cu:3:14"), Some(("C:\\x\\a.cu", place)));
        for text in [
            "a.cu",
            "a.cu:3",
            "a.cu:0:1",
            "a.cu:1:0",
            "a.cu:x:1",
            "a.cu:-1:1",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
