//! A user's assumption about a run-time value: `m=5120`, `ldA % 8 == 0`, `K >= 64`.

use std::fmt;

/// One fact about a run-time value, by the name that the source gives it.
///
/// ```
/// use cute_analysis::Assumption;
/// let fact: Assumption = "ldA % 8 == 0".parse()?;
/// assert_eq!(fact, Assumption::Divisible { name: "ldA".into(), by: 8 });
/// assert_eq!(fact.to_string(), "ldA % 8 == 0");
/// # Ok::<(), cute_analysis::AssumptionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Assumption {
    /// `m=5120` or `m == 5120`: the value is this number.
    Equal {
        /// The run-time value.
        name: String,
        /// The value.
        value: i64,
    },
    /// `ldA % 8 == 0`: the value is a multiple of a positive number.
    Divisible {
        /// The run-time value.
        name: String,
        /// The divisor, at least 1.
        by: i64,
    },
    /// `K >= 64`: the value is at least this.
    AtLeast {
        /// The run-time value.
        name: String,
        /// The bound.
        least: i64,
    },
}

impl Assumption {
    /// The name of the run-time value that it speaks of.
    pub fn name(&self) -> &str {
        match self {
            Self::Equal { name, .. }
            | Self::Divisible { name, .. }
            | Self::AtLeast { name, .. } => name,
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal { name, value } => write!(f, "{name} = {value}"),
            Self::Divisible { name, by } => write!(f, "{name} % {by} == 0"),
            Self::AtLeast { name, least } => write!(f, "{name} >= {least}"),
        }
    }
}

/// Why a text is not an assumption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssumptionError {
    /// Byte offset in the text at which it stops being one.
    pub position: usize,
    /// The expected text.
    pub expected: &'static str,
}

impl fmt::Display for AssumptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "at {}: expected {} (forms: m=5120, ldA % 8 == 0, K >= 64)",
            self.position, self.expected
        )
    }
}

impl std::error::Error for AssumptionError {}

impl std::str::FromStr for Assumption {
    type Err = AssumptionError;

    fn from_str(text: &str) -> Result<Self, AssumptionError> {
        let mut reader = Reader { text, position: 0 };
        let name = reader.name()?;
        let fact = if reader.eat(">=") {
            let least = reader.integer()?;
            Self::AtLeast { name, least }
        } else if reader.eat("%") {
            let at = reader.position;
            let by = reader.integer()?;
            if by < 1 {
                return Err(AssumptionError {
                    position: at,
                    expected: "a divisor of at least 1",
                });
            }
            reader.require("==", "`== 0`")?;
            let at = reader.position;
            if reader.integer()? != 0 {
                return Err(AssumptionError {
                    position: at,
                    expected: "`0`",
                });
            }
            Self::Divisible { name, by }
        } else if reader.eat("==") || reader.eat("=") {
            let value = reader.integer()?;
            Self::Equal { name, value }
        } else {
            return Err(reader.expected("`=`, `%` or `>=`"));
        };
        reader.end()?;
        Ok(fact)
    }
}

/// A position in the text of an assumption.
struct Reader<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.position += rest.len() - rest.trim_start().len();
    }

    fn expected(&self, expected: &'static str) -> AssumptionError {
        AssumptionError {
            position: self.position,
            expected,
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.position += token.len();
        }
        found
    }

    fn require(&mut self, token: &str, expected: &'static str) -> Result<(), AssumptionError> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.expected(expected))
        }
    }

    /// A name as C++ and CUDA write run-time values: `m`, `threadIdx.x`.
    fn name(&mut self) -> Result<String, AssumptionError> {
        self.skip_space();
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(rest.len());
        let name = rest.get(..length).unwrap_or_default();
        if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            self.position += length;
            Ok(name.to_owned())
        } else {
            Err(self.expected("a name"))
        }
    }

    fn integer(&mut self) -> Result<i64, AssumptionError> {
        self.skip_space();
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest
            .get(sign..)
            .unwrap_or_default()
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len() - sign);
        let value = rest
            .get(..sign + digits)
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| self.expected("an integer"))?;
        self.position += sign + digits;
        Ok(value)
    }

    fn end(&mut self) -> Result<(), AssumptionError> {
        self.skip_space();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.expected("the end"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_are_read_with_any_spacing() {
        for (text, shown) in [
            ("m=5120", "m = 5120"),
            (" m == -4 ", "m = -4"),
            ("ldA%8==0", "ldA % 8 == 0"),
            ("K  >=64", "K >= 64"),
            ("threadIdx.x=0", "threadIdx.x = 0"),
        ] {
            let fact: Assumption = text.parse().expect(text);
            assert_eq!(fact.to_string(), shown);
        }
    }

    #[test]
    fn anything_else_is_refused_with_its_position() {
        for (text, position) in [
            ("", 0),
            ("5=m", 0),
            ("m", 1),
            ("m=", 2),
            ("m=5x", 3),
            ("m % 0 == 0", 3),
            ("m % 8 == 1", 8),
            ("m % 8", 5),
            ("m=99999999999999999999", 2),
            ("m ≥ 8", 2),
        ] {
            let error = text.parse::<Assumption>().expect_err(text);
            assert_eq!(error.position, position, "{text}: {error}");
        }
    }
}
