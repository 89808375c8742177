//! Names of run-time sizes as a person reads them.
//!
//! Two sizes of one function may have one name in the source: a variable before and after a call that changes it, the
//! same member of two objects. The evaluation numbers the later ones, `n#2`. A reported symbol has the name of the
//! source, `n`; only where both are in one value or one finding, the second one has a number.

use std::sync::Arc;

use crate::fact::Analysis;
use crate::finding::{Finding, Number};
use crate::hash::HashMap;
use crate::value::Value;

/// Between a name and its number.
const MARK: char = '#';

/// A name that is taken, with a number.
pub(crate) fn numbered(name: &str, count: usize) -> String {
    format!("{name}{MARK}{count}")
}

/// A text without the numbers of names.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let is_behind_name =
            plain.ends_with(|last: char| last.is_alphanumeric() || "_])".contains(last));
        let is_number = rest.peek().is_some_and(char::is_ascii_digit);
        if character == MARK && is_behind_name && is_number {
            while rest.next_if(char::is_ascii_digit).is_some() {}
        } else {
            plain.push(character);
        }
    }
    plain
}

/// Whether a character is part of a name that may have a number: `params#2.b`, `tiles[0]`.
fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || "_.#[]".contains(character)
}

/// The names in a text, and the text between them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_name = is_of_name(first);
        let end = rest
            .find(|character| is_of_name(character) != is_name)
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}

/// The names of some texts as they are written: the first of those that are alike without its number, the others counted.
struct Plain(HashMap<String, String>);

impl Plain {
    /// `None` where nothing has a number.
    fn of<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        if !texts.clone().any(|text| text.contains(MARK)) {
            return None;
        }
        let mut alike: HashMap<String, Vec<&str>> = HashMap::default();
        for word in texts.flat_map(words) {
            let known = alike.entry(without_numbers(word)).or_default();
            if !known.contains(&word) {
                known.push(word);
            }
        }
        let mut written = HashMap::default();
        for (plain, mut names) in alike {
            names.sort_by_key(|name| (number_in(name), *name));
            for (index, name) in names.into_iter().enumerate() {
                if name.contains(MARK) {
                    let shown = match index {
                        0 => plain.clone(),
                        _ => with_number(name, index + 1),
                    };
                    written.insert(name.to_owned(), shown);
                }
            }
        }
        Some(Self(written))
    }

    fn text(&self, text: &str) -> String {
        let written = |word| self.0.get(word).map_or(word, String::as_str);
        words(text).map(written).collect()
    }
}

/// The last number in a name; 1 where it has none.
fn number_in(name: &str) -> usize {
    let behind = name.rsplit_once(MARK).map_or("", |(_, behind)| behind);
    let digits = behind.find(|character: char| !character.is_ascii_digit());
    let digits = behind.get(..digits.unwrap_or(behind.len()));
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(1)
}

/// A name with another number in the place of all that it has.
fn with_number(name: &str, number: usize) -> String {
    let Some((before, behind)) = name.rsplit_once(MARK) else {
        return name.to_owned();
    };
    let rest = behind.trim_start_matches(|character: char| character.is_ascii_digit());
    format!("{}{MARK}{number}{rest}", without_numbers(before))
}

/// A value with the names of the source.
pub(crate) fn in_value(value: &Arc<Value>) -> Arc<Value> {
    let symbols = value.symbols();
    let Some(plain) = Plain::of(symbols.iter().map(|symbol| &**symbol)) else {
        return value.clone();
    };
    let name_of = |name: &str| name.contains(MARK).then(|| plain.text(name));
    Arc::new(value.with_names(&name_of))
}

/// The facts and findings of an analysis with the names of the source.
pub(crate) fn in_analysis(analysis: &mut Analysis) {
    for fact in &mut analysis.facts {
        fact.value = in_value(&fact.value);
    }
    // An assumption about it has the name of the source.
    for nominal in &mut analysis.nominals {
        nominal.symbol = without_numbers(&nominal.symbol);
    }
    let findings = analysis.findings.iter_mut();
    findings
        .chain(&mut analysis.preconditions)
        .for_each(in_finding);
}

fn in_finding(finding: &mut Finding) {
    let numbers = finding
        .numbers
        .iter()
        .filter_map(|(_, number)| match number {
            Number::Text(text) => Some(text.as_str()),
            Number::Integer(_) => None,
        });
    let related = finding
        .related
        .iter()
        .map(|related| related.message.as_str());
    let legal = finding.legal.iter().map(String::as_str);
    let message = std::iter::once(finding.message.as_str());
    let Some(plain) = Plain::of(message.chain(numbers).chain(related).chain(legal)) else {
        return;
    };
    for (_, number) in &mut finding.numbers {
        if let Number::Text(text) = number {
            *text = plain.text(text);
        }
    }
    for related in &mut finding.related {
        related.message = plain.text(&related.message);
    }
    for legal in &mut finding.legal {
        *legal = plain.text(legal);
    }
    finding.message = plain.text(&finding.message);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(texts: &[&str]) -> Vec<String> {
        let plain = Plain::of(texts.iter().copied()).unwrap();
        texts.iter().map(|text| plain.text(text)).collect()
    }

    #[test]
    fn a_number_stays_only_beside_the_name_without_it() {
        assert_eq!(plain(&["n#2"]), ["n"]);
        assert_eq!(plain(&["n#2", "n"]), ["n#2", "n"]);
        assert_eq!(
            plain(&["(varlen ? 1 : p#2.b)", "p#2.h"]),
            ["(varlen ? 1 : p.b)", "p.h"]
        );
        assert_eq!(
            plain(&["(varlen ? 1 : p#2.b)", "p.b"]),
            ["(varlen ? 1 : p#2.b)", "p.b"]
        );
        assert_eq!(plain(&["tiles[i]#3.rows"]), ["tiles[i].rows"]);
        assert_eq!(plain(&["n#4", "n#2", "n#4+1"]), ["n#2", "n", "n#2+1"]);
    }

    #[test]
    fn what_is_no_number_of_a_name_stays() {
        assert_eq!(
            plain(&["#ttg.blocked, issue #12, n#2"]),
            ["#ttg.blocked, issue #12, n"]
        );
    }
}
