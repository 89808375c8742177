//! Standard input as lines of questions.

use std::io::{self, BufRead as _, Read as _};

/// The longest line that is read, in bytes; the rest of the same line is skipped.
pub(super) const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Answers every line of standard input in turn until it ends.
///
/// A line that is not UTF-8, or longer than [`LONGEST_LINE`], is handed on as the reason why it cannot be read.
pub(super) fn for_each_line(
    mut answer: impl FnMut(Result<&str, &'static str>) -> io::Result<()>,
) -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if (&mut input)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)?
            == 0
        {
            return Ok(());
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        } else if bytes.len() as u64 == LONGEST_LINE {
            input.skip_until(b'\n')?;
            answer(Err("the line is longer than 64 MB"))?;
            continue;
        }
        answer(std::str::from_utf8(&bytes).map_err(|_| "the line is not UTF-8"))?;
    }
}
