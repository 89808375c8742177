//! Numbers of passed and failed tests, read from the output of test programs.

use std::fmt;
use std::ops::AddAssign;

/// Numbers of passed and failed tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that held.
    pub passed: u64,
    /// Tests that did not.
    pub failed: u64,
}

impl Tally {
    /// One check without its own tests, which held.
    pub const PASSED: Self = Self {
        passed: 1,
        failed: 0,
    };
    /// One check without its own tests, which did not.
    pub const FAILED: Self = Self {
        passed: 0,
        failed: 1,
    };

    /// One check that found this many problems.
    pub fn of_problems(count: usize) -> Self {
        if count == 0 {
            Self::PASSED
        } else {
            Self {
                passed: 0,
                failed: count as u64,
            }
        }
    }

    /// The tally that a line states, as it is printed: `3 passed, 0 failed`.
    ///
    /// ```
    /// use packaging::tally::Tally;
    /// let tally = Tally { passed: 3, failed: 1 };
    /// assert_eq!(Tally::of_line(&tally.to_string()), Some(tally));
    /// assert_eq!(Tally::of_line("error: 3 passed"), None);
    /// ```
    pub fn of_line(line: &str) -> Option<Self> {
        let (passed, failed) = line.split_once(" passed, ")?;
        Some(Self {
            passed: passed.parse().ok()?,
            failed: failed.strip_suffix(" failed")?.parse().ok()?,
        })
    }

    /// Nothing failed, and something was checked: a run of no test is not a success.
    pub fn is_clean(self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// The ways in which the test programs that we start report their results.
#[derive(Clone, Copy, Debug)]
pub enum Dialect {
    /// `cargo test`: `test result: ok. 3 passed; 0 failed; ...`, one line per test program.
    Libtest,
    /// One line `ok ...` or `not ok ...` per test (Test Anything Protocol); indented lines are
    /// parts of a test.
    Tap,
}

impl Dialect {
    /// The tally of one line of output.
    pub fn count(self, line: &str) -> Tally {
        match self {
            Self::Libtest => libtest(line).unwrap_or_default(),
            Self::Tap => tap(line),
        }
    }
}

fn libtest(line: &str) -> Option<Tally> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |unit: &str| {
        counts
            .split("; ")
            .find_map(|part| part.strip_suffix(unit))
            .and_then(|digits| digits.trim().parse().ok())
    };
    Some(Tally {
        passed: number("passed")?,
        failed: number("failed")?,
    })
}

fn tap(line: &str) -> Tally {
    match line.split_whitespace().next() {
        _ if line.starts_with(' ') => Tally::default(),
        Some("ok") => Tally::PASSED,
        Some("not") if line.starts_with("not ok") => Tally::FAILED,
        _ => Tally::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtest_summaries_are_read_and_nothing_else_is() {
        let count = |line| Dialect::Libtest.count(line);
        assert_eq!(
            count("test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out"),
            Tally {
                passed: 12,
                failed: 0
            }
        );
        assert_eq!(
            count("test result: FAILED. 7 passed; 2 failed; 0 ignored; 0 measured"),
            Tally {
                passed: 7,
                failed: 2
            }
        );
        assert_eq!(count("test laws::coalesce ... ok"), Tally::default());
        assert_eq!(count("test result: ok"), Tally::default());
    }

    #[test]
    fn tap_counts_top_level_lines() {
        let count = |line| Dialect::Tap.count(line);
        assert_eq!(count("ok 1 - attaches"), Tally::PASSED);
        assert_eq!(count("not ok 2 - stops"), Tally::FAILED);
        assert_eq!(count("    not ok 1 - a part"), Tally::default());
        assert_eq!(count("1..2"), Tally::default());
        assert_eq!(count("notable"), Tally::default());
    }

    #[test]
    fn a_run_of_nothing_is_not_clean() {
        assert!(!Tally::default().is_clean());
        assert!(Tally::PASSED.is_clean());
        let mut both = Tally::PASSED;
        both += Tally::FAILED;
        assert!(!both.is_clean());
        assert_eq!(both.to_string(), "1 passed, 1 failed");
    }
}
