//! The lines of a text, as the Language Server Protocol counts them: a line ends with `\n`, `\r\n` or `\r`.

/// The places behind the ends of the lines of a text.
///
/// ```
/// # use tree_sitter_cute::lines::Lines;
/// let lines = Lines::of("a\r\nb\rc\n");
/// assert_eq!((lines.line(0), lines.line(3), lines.line(5), lines.line(7)), (1, 2, 3, 4));
/// assert_eq!(lines.start(3), Some(5));
/// assert_eq!(lines.start(5), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// Finds the lines of a text.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let is_end = |at: usize| match bytes.get(at) {
            Some(b'\n') => true,
            Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let ends = (0..bytes.len()).filter(|at| is_end(*at));
        Self(ends.map(|end| end + 1).collect())
    }

    /// The line, from 1, of a byte.
    pub fn line(&self, byte: usize) -> usize {
        self.0.partition_point(|start| *start <= byte) + 1
    }

    /// The first byte of a line, from 1; `None` where the text has no such line.
    pub fn start(&self, line: usize) -> Option<usize> {
        match line.checked_sub(2) {
            Some(index) => self.0.get(index).copied(),
            None => (line == 1).then_some(0),
        }
    }

    /// Number of lines; the text behind the last end is one, too.
    pub fn count(&self) -> usize {
        self.0.len() + 1
    }
}
