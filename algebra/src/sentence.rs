//! A refusal in words: one line that a list of findings has room for, then the other facts.
//!
//! A rule gives sentences with places for numbers, the best first. The first one is taken whose numbers are all there and
//! that fits; a rule without one says its plain sentence and lists the numbers.

use crate::refusal::{Reason, RuleSet};

/// The most characters of a first line: the part that editors and terminals show beside a place and a rule's name.
pub const FIRST_LINE: usize = 90;

/// A refusal in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentenceLines {
    /// The error, with the numbers that decide it: at most [`FIRST_LINE`] characters.
    pub line: String,
    /// The other numbers, then the values near by that would work: nothing, one line or two.
    pub rest: Vec<String>,
}

impl<R: RuleSet> Reason<R> {
    /// The refusal in words. `words` are those that only the caller knows, by the names that sentences have for them:
    /// `left` and `right` (the operands as the user calls them; `A` and `B` where letters will do), `compiler`, and a
    /// witness as `coordinate`, `expected` and `got`.
    ///
    /// ```
    /// use cute_algebra::{Refusal, Rule};
    /// let refusal = Refusal::asserted(Rule::StrideDivisibility, "Stride Divisibility Condition")
    ///     .with("stride", 6_i64)
    ///     .with("shape", 4_i64)
    ///     .with("remainder", 2_i64)
    ///     .legal("3:4");
    /// let told = refusal.told(&[]);
    /// assert_eq!(told.line, "stride 6 crosses an extent of 4 unevenly: 6 % 4 = 2");
    /// assert_eq!(told.rest, ["would work: 3:4"]);
    /// ```
    pub fn told(&self, words: &[(&str, String)]) -> SentenceLines {
        let known = |name: &str| {
            if name == "mode" && !self.mode.is_empty() {
                return Some(self.path());
            }
            let number = self.number(name).map(ToString::to_string);
            number.or_else(|| {
                let mut words = words.iter();
                Some(words.find(|(word, _)| *word == name)?.1.clone())
            })
        };
        let filled = self
            .rule
            .templates()
            .iter()
            .filter_map(|template| filled(template, known))
            .map(|(line, used)| (self.placed(line, &used), used))
            .find(|(line, _)| fits(line));
        let (line, mut rest) = match filled {
            Some((line, used)) => {
                let others = self.listed(|name| !used.contains(&name));
                (line, others.into_iter().collect())
            }
            None => self.plain(),
        };
        if !self.legal.is_empty() {
            rest.push(format!("would work: {}", self.legal.join(", ")));
        }
        SentenceLines { line, rest }
    }

    /// The refusal as one line with all of its numbers, however long.
    pub fn message(&self) -> String {
        let SentenceLines { line, rest } = self.told(&[]);
        std::iter::once(line)
            .chain(rest)
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// The plain sentence; the numbers follow in the line where they fit, else in the next.
    fn plain(&self) -> (String, Vec<String>) {
        let sentence = self.rule.sentence();
        let Some(numbers) = self.listed(|_| true) else {
            return (self.placed(sentence.to_owned(), &[]), Vec::new());
        };
        let whole = self.placed(format!("{sentence}: {numbers}"), &[]);
        if fits(&whole) {
            (whole, Vec::new())
        } else {
            (self.placed(sentence.to_owned(), &[]), vec![numbers])
        }
    }

    /// The line with the mode behind it, unless it names the mode.
    fn placed(&self, line: String, used: &[&str]) -> String {
        if self.mode.is_empty() || used.contains(&"mode") {
            return line;
        }
        format!("{line} (mode {})", self.path())
    }

    fn path(&self) -> String {
        let path: Vec<String> = self.mode.iter().map(ToString::to_string).collect();
        path.join(".")
    }

    /// `stride 6, shape 4`: the numbers of the names that are wanted.
    fn listed(&self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        let numbers: Vec<String> = self
            .numbers
            .iter()
            .filter(|(name, _)| wanted(name))
            .map(|(name, value)| format!("{} {value}", name.replace('_', " ")))
            .collect();
        (!numbers.is_empty()).then(|| numbers.join(", "))
    }
}

fn fits(line: &str) -> bool {
    line.chars().count() <= FIRST_LINE
}

/// A sentence with its places filled, and their names; nothing where one is not known.
fn filled(
    template: &'static str,
    known: impl Fn(&str) -> Option<String>,
) -> Option<(String, Vec<&'static str>)> {
    let mut line = String::new();
    let mut used = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        line.push_str(before);
        line.push_str(&known(name)?);
        used.push(name);
        rest = after;
    }
    line.push_str(rest);
    Some((line, used))
}

#[cfg(test)]
mod tests {
    use crate::{Refusal, Rule};

    fn crossing(stride: i64) -> Refusal {
        Refusal::asserted(Rule::StrideDivisibility, "Stride Divisibility Condition")
            .with("stride", stride)
            .with("shape", 4_i64)
            .with("remainder", stride % 4)
            .inside(1)
    }

    #[test]
    fn operands_have_the_names_that_the_user_gave_them() {
        let names = [
            ("left", "columns".to_owned()),
            ("right", "picked".to_owned()),
        ];
        assert_eq!(
            crossing(6).told(&names).line,
            "stride 6 of picked crosses an extent of 4 in columns unevenly: 6 % 4 = 2 (mode 1)"
        );
    }

    #[test]
    fn a_sentence_that_does_not_fit_gives_way_to_a_shorter_one() {
        let long = "a_name_that_is_longer_than_the_line_has_room_for".to_owned();
        let told = crossing(6).told(&[("left", long.clone()), ("right", long)]);
        assert_eq!(
            told.line,
            "stride 6 crosses an extent of 4 unevenly: 6 % 4 = 2 (mode 1)"
        );
    }

    #[test]
    fn numbers_that_no_sentence_has_are_listed() {
        let refusal = Refusal::overflow("product").with("limit", 4_i64);
        assert_eq!(
            refusal.told(&[]).line,
            "a number leaves the range of 64-bit integers: in product, limit 4"
        );
        let long = "M*".repeat(60);
        let told = Refusal::overflow("product")
            .with("of", long.as_str())
            .told(&[]);
        assert_eq!(told.line, "a number leaves the range of 64-bit integers");
        assert_eq!(told.rest, [format!("in product, of {long}")]);
    }
}
