//! `cute: run ...`: the execution of a layout.

use std::fmt;

/// The way to execute a layout.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RunKind {
    /// Its offsets, compared with the algebra.
    Offsets,
    /// A copy of its elements into another layout, bound under this name.
    Copy {
        /// The name of the destination.
        destination: String,
    },
    /// Its bank conflicts.
    Banks,
    /// The TMA box that it describes.
    Tma,
    /// The fragments that `ldmatrix` makes of it.
    LoadMatrix,
    /// The fragments that `stmatrix` puts into it.
    StoreMatrix,
    /// The elements that `wgmma` reads through its matrix descriptor.
    Wgmma,
    /// The elements that `tcgen05.mma` reads.
    Tcgen05,
}

/// An order to execute a layout.
///
/// ```
/// use cute_analysis::{RunKind, RunOrder};
/// let order: RunOrder = "copy dst=smem n=64".parse()?;
/// assert_eq!(order.kind, RunKind::Copy { destination: "smem".into() });
/// assert_eq!(order.samples, Some(64));
/// assert_eq!("".parse::<RunOrder>()?.kind, RunKind::Offsets);
/// # Ok::<(), cute_analysis::RunOrderError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RunOrder {
    /// The kind of execution.
    pub kind: RunKind,
    /// The largest number of visited coordinates; all of them where it is not given.
    pub samples: Option<u64>,
}

/// The reason why a text is not an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOrderError {
    /// Byte offset of the error in the text.
    pub position: usize,
    /// The expected text.
    pub expected: &'static str,
}

impl fmt::Display for RunOrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: expected {}", self.position, self.expected)
    }
}

impl std::error::Error for RunOrderError {}

impl std::str::FromStr for RunOrder {
    type Err = RunOrderError;

    fn from_str(text: &str) -> Result<Self, RunOrderError> {
        let mut words = words(text).peekable();
        let error = |position, expected| Err(RunOrderError { position, expected });
        let kind = match words.peek().copied() {
            Some((_, "offsets")) => Some(RunKind::Offsets),
            Some((_, "banks")) => Some(RunKind::Banks),
            Some((_, "tma")) => Some(RunKind::Tma),
            Some((_, "ldmatrix")) => Some(RunKind::LoadMatrix),
            Some((_, "stmatrix")) => Some(RunKind::StoreMatrix),
            Some((_, "wgmma")) => Some(RunKind::Wgmma),
            Some((_, "tcgen05")) => Some(RunKind::Tcgen05),
            Some((at, "copy")) => {
                words.next();
                let (at, word) = words.peek().copied().unwrap_or((at + "copy".len(), ""));
                match word.strip_prefix("dst=") {
                    Some(name) if !name.is_empty() => Some(RunKind::Copy {
                        destination: name.to_owned(),
                    }),
                    _ => return error(at, "`dst=NAME`"),
                }
            }
            _ => None,
        };
        if kind.is_some() {
            words.next();
        }
        let mut samples = None;
        for (at, word) in words {
            match word.strip_prefix("n=").map(str::parse::<u64>) {
                Some(Ok(count)) if count > 0 && samples.is_none() => samples = Some(count),
                Some(_) => return error(at, "`n=` and a number of samples, once"),
                None if kind.is_none() && samples.is_none() => {
                    return error(
                        at,
                        "`offsets`, `copy dst=NAME`, `banks`, `tma`, `ldmatrix`, `stmatrix`, `wgmma`, `tcgen05` or `n=SAMPLES`",
                    );
                }
                None => return error(at, "`n=SAMPLES` or the end"),
            }
        }
        Ok(Self {
            kind: kind.unwrap_or(RunKind::Offsets),
            samples,
        })
    }
}

/// The words of a text with their byte offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(char::is_whitespace).filter_map(move |word| {
        let start = at;
        at += word.len();
        // White space of any width follows.
        at += text.get(at..)?.chars().next().map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((start, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_every_other_refused_at_its_place() {
        let order = |text: &str| {
            let order = text.parse::<RunOrder>().expect(text);
            (order.kind, order.samples)
        };
        assert_eq!(order(" offsets "), (RunKind::Offsets, None));
        assert_eq!(order("n=8"), (RunKind::Offsets, Some(8)));
        assert_eq!(order("banks\u{3000}n=8"), (RunKind::Banks, Some(8)));
        assert_eq!(order("tma"), (RunKind::Tma, None));
        assert_eq!(order("ldmatrix"), (RunKind::LoadMatrix, None));
        assert_eq!(order("stmatrix"), (RunKind::StoreMatrix, None));
        assert_eq!(order("wgmma"), (RunKind::Wgmma, None));
        assert_eq!(order("tcgen05"), (RunKind::Tcgen05, None));
        for (text, position) in [
            ("everything", 0),
            ("copy", 4),
            ("copy  smem", 6),
            ("offsets n=0", 8),
            ("offsets banks", 8),
            ("n=2 n=2", 4),
        ] {
            let error = text.parse::<RunOrder>().expect_err(text);
            assert_eq!(error.position, position, "{text}: {error}");
        }
    }
}
