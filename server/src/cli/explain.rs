//! `explain EXPR`: how a result comes about, step by step.

use std::io;

use cute_analysis::explain;

use super::Session;
use super::eval::parsed;
use super::output::{Outcome, complain, complain_at_length};
use crate::presentation::findings;

pub(super) fn run(text: &str, session: &mut Session) -> io::Result<Outcome> {
    let expression = match parsed(text) {
        Ok(expression) => expression,
        Err(error) => {
            complain_at_length(&findings::unreadable(text, &error));
            return Ok(Outcome::Unusable);
        }
    };
    match explain(&expression, &session.analyser.options) {
        Ok(derivation) => {
            session.out.text(&derivation.to_string())?;
            Ok(Outcome::Clean)
        }
        Err(reason) => {
            complain(&reason.to_string());
            Ok(Outcome::Found)
        }
    }
}
