//! `infer OFFSET...`: the layout that has a table of offsets.

use std::io;

use cute_algebra::infer::{Inference, Inferred, infer};
use serde_json::json;

use super::Session;
use super::input_lines::for_each_line;
use super::output::{Outcome, complain};

pub(super) fn run(offsets: &[String], session: &mut Session) -> io::Result<Outcome> {
    let table = match parse(&offsets.join(" ")) {
        Ok(table) => table,
        Err(message) => {
            complain(&message);
            return Ok(Outcome::Unusable);
        }
    };
    match infer(&table) {
        Ok(found) => {
            session.out.line(&format!("{found:#}"))?;
            Ok(Outcome::Clean)
        }
        Err(refusal) => {
            complain(&refusal.to_string());
            Ok(Outcome::Found)
        }
    }
}

/// One table per line in, one JSON object per line out.
pub(super) fn stream(session: &mut Session) -> io::Result<Outcome> {
    for_each_line(|line| {
        let answer = match line.map_err(str::to_owned).and_then(parse) {
            Ok(table) => match infer(&table) {
                Ok(found) => json!({ "result": format!("{found:#}"), "kind": kind(&found) }),
                Err(refusal) => json!({ "error": refusal.to_string() }),
            },
            Err(message) => json!({ "error": message }),
        };
        session.out.json(&answer)?;
        session.out.flush()
    })?;
    Ok(Outcome::Clean)
}

fn kind(found: &Inference) -> &'static str {
    match found.inferred {
        Inferred::Layout(_) => "layout",
        Inferred::Swizzled(_) => "swizzled",
        Inferred::Xor(_) => "xor",
        Inferred::Sequence(_) => "sequence",
    }
}

/// Numbers separated by blanks or commas, in brackets or not.
fn parse(text: &str) -> Result<Vec<i64>, String> {
    let text = text.trim();
    let inner = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    inner
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|number| !number.is_empty())
        .map(|number| {
            number
                .parse()
                .map_err(|_| format!("`{number}` is not an offset"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_in_the_usual_spellings() {
        for text in ["0 8 -1", "[0, 8, -1]", "0,8,-1", " 0\t8 , -1 "] {
            assert_eq!(parse(text), Ok(vec![0, 8, -1]), "{text}");
        }
        assert!(parse("0 eight").is_err());
    }
}
