//! `hints FILE`: the hints behind the statements, unabbreviated.

use std::io;
use std::path::Path;

use super::output::{Outcome, complain};
use super::source::Source;
use super::{Session, stopped};
use crate::presentation::hints::hints;
use crate::presentation::hints::label::Class;
use crate::presentation::recorded;

pub(super) fn run(file: &Path, session: &mut Session) -> io::Result<Outcome> {
    let analysed = Source::read(file).and_then(|source| Ok((session.analyse(&source)?, source)));
    let (analysis, source) = match analysed {
        Ok(analysed) => analysed,
        Err(error) => {
            complain(&error.to_string());
            return Ok(Outcome::Unusable);
        }
    };
    stopped::say(&source, &analysis);
    let chosen = session.analyser.chosen.clone();
    let mut found = hints(&analysis, &source.text, &chosen);
    let recorded = session.analyser.recorded(&source);
    let whole = 0..source.text.len();
    recorded::add_hints(&mut found, &analysis, &source.text, &whole, &recorded);
    // `layouts --accesses` lists plain loads and stores.
    let found = found
        .into_iter()
        .filter_map(|hint| hint.of_classes(|class| class != Class::Access));
    for hint in found {
        let place = source.lines.place(hint.byte_offset);
        session.out.line(&format!(
            "{}:{}: {}",
            place.line,
            place.column,
            hint.label(0)
        ))?;
    }
    Ok(Outcome::Clean)
}
