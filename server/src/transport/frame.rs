//! Reads frames (`Content-Length: N`, blank line, N bytes) and survives every malformed one.
//!
//! The reader never trusts a length: memory grows with the bytes that arrive, not with the number
//! that was announced. After a malformed header it looks for the next `Content-Length: N` that
//! ends a line. That text cannot occur in a JSON body (a line break inside a string is escaped,
//! and outside of strings the word is not a token), so the search cannot stop inside one.

use std::io::{ErrorKind, Read};
use std::ops::Range;

use crate::limits::{FRAME_BYTES, HEADER_BYTES, HEADER_LINE_BYTES};

/// The result of the reader.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A complete body.
    Body(&'a [u8]),
    /// Bytes that are not frame. They are skipped; the next call continues behind them.
    Malformed(Malformed),
    /// The input ended (also: in the middle of a frame).
    End,
}

/// Why bytes are not a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// A line that is not `Name: value`.
    HeaderLine,
    /// A line beyond [`HEADER_LINE_BYTES`] or a header beyond [`HEADER_BYTES`].
    HeaderTooLong,
    /// A `Content-Length` that is not a decimal number, or two that differ.
    Length,
    /// A `Content-Length` beyond [`FRAME_BYTES`].
    TooLarge,
    /// A header without `Content-Length`.
    NoLength,
    /// A `Content-Type` with a character set other than UTF-8.
    Charset,
}

impl Malformed {
    /// The reason as a sentence for the error answer.
    pub fn reason(self) -> String {
        match self {
            Self::HeaderLine => "a header line is not of the form `Name: value`".to_owned(),
            Self::HeaderTooLong => format!("a header exceeds {HEADER_BYTES} bytes"),
            Self::Length => "Content-Length is not one decimal number".to_owned(),
            Self::TooLarge => format!("the message exceeds {FRAME_BYTES} bytes"),
            Self::NoLength => "the header has no Content-Length".to_owned(),
            Self::Charset => "the only supported charset is utf-8".to_owned(),
        }
    }
}

const LENGTH_NAME: &[u8] = b"content-length:";
const TYPE_NAME: &[u8] = b"content-type:";
/// Longest suffix of a line in which a `Content-Length: N` is looked for.
const LENGTH_LINE_BYTES: usize = 64;
const READ_BYTES: usize = 64 << 10;

/// Splits a byte stream into frames.
///
/// # Example
/// ```
/// use cute_analyzer::transport::frame::{Frame, FrameReader, Malformed};
///
/// let input = "Content-Length: x\r\n\r\ncontent-length: 2\r\n\r\n{}";
/// let mut frames = FrameReader::new(input.as_bytes());
/// assert_eq!(frames.next_frame(), Frame::Malformed(Malformed::Length));
/// assert_eq!(frames.next_frame(), Frame::Body(b"{}"));
/// assert_eq!(frames.next_frame(), Frame::End);
/// ```
#[derive(Debug)]
pub struct FrameReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// The start of the unread part of `buffer`.
    start: usize,
    /// The last body in `buffer`, valid until the next call of `next_frame`.
    body: Range<usize>,
    /// A malformed header was reported and no frame has begun since.
    lost: bool,
}

/// One header line without its line break, as a range of the buffer.
struct Line {
    text: Range<usize>,
    /// The line was longer than the limit; `text` is only its end.
    cut: bool,
}

/// The fields of a header so far.
#[derive(Default)]
struct Header {
    length: Option<usize>,
    bytes: usize,
    foreign_charset: bool,
}

impl<R: Read> FrameReader<R> {
    /// A reader at the beginning of `input`.
    pub fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            start: 0,
            body: 0..0,
            lost: false,
        }
    }

    /// The next frame, or the error in the bytes in its place. Blocks until either is known.
    pub fn next_frame(&mut self) -> Frame<'_> {
        self.body = 0..0;
        if self.start >= READ_BYTES {
            self.compact();
        }
        let header = match self.header() {
            Ok(Some(header)) => header,
            Ok(None) => return Frame::End,
            Err(malformed) => return Frame::Malformed(malformed),
        };
        let Some(length) = header.length else {
            self.lost = true;
            return Frame::Malformed(Malformed::NoLength);
        };
        while self.buffer.len() - self.start < length {
            if !self.fill() {
                return Frame::End;
            }
        }
        self.body = self.start..self.start + length;
        self.start = self.body.end;
        if header.foreign_charset {
            return Frame::Malformed(Malformed::Charset);
        }
        Frame::Body(self.buffer.get(self.body.clone()).unwrap_or_default())
    }

    /// Tells the reader that the last body is not JSON. When a header is inside of it, or begins there and goes on
    /// behind it (its own length was too large and swallowed the following frame or a piece of its header), reading
    /// continues there.
    pub fn body_was_no_json(&mut self) {
        let body = self.buffer.get(self.body.clone()).unwrap_or_default();
        let mut from = 0;
        while let Some(end) = line_end(body.get(from..).unwrap_or_default()) {
            let line = trim_carriage_return(body.get(from..from + end).unwrap_or_default());
            if let Some(at) = length_at_end(line) {
                self.start = self.body.start + from + at;
                return;
            }
            from += end + 1;
        }
        // Whether a header was cut is known only with the rest of its line.
        if let Some(at) = header_begun(body.get(from..).unwrap_or_default()) {
            self.start = self.body.start + from + at;
            self.lost = true;
        }
    }

    /// Header lines up to the blank one; `None` at the end of input.
    fn header(&mut self) -> Result<Option<Header>, Malformed> {
        let mut header = Header::default();
        let mut begun = false;
        loop {
            let Some(line) = self.line() else {
                return Ok(None);
            };
            let text = self.buffer.get(line.text.clone()).unwrap_or_default();
            if self.lost {
                if let Some(at) = length_at_end(text) {
                    self.start = line.text.start + at;
                    self.lost = false;
                }
                continue;
            }
            if text.is_empty() {
                if begun {
                    return Ok(Some(header));
                }
                continue;
            }
            begun = true;
            header.bytes += text.len();
            let taken = if line.cut || header.bytes > HEADER_BYTES {
                Err(Malformed::HeaderTooLong)
            } else {
                header.take(text)
            };
            if let Err(malformed) = taken {
                // Garbage may end in the header of the next frame; but the line that is refused
                // for its own length must not be read again.
                match length_at_end(text) {
                    Some(at) if at > 0 || malformed == Malformed::HeaderTooLong => {
                        self.start = line.text.start + at;
                    }
                    _ => self.lost = true,
                }
                return Err(malformed);
            }
        }
    }

    /// The next line, or the end of it if it is too long; `None` at the end of input.
    fn line(&mut self) -> Option<Line> {
        let mut searched = 0;
        let mut cut = false;
        loop {
            let unread = self.buffer.get(self.start..).unwrap_or_default();
            if let Some(end) = line_end(unread.get(searched..).unwrap_or_default()) {
                let mut text = self.start..self.start + searched + end;
                self.start = text.end + 1;
                if self
                    .buffer
                    .get(text.clone())
                    .is_some_and(|line| line.ends_with(b"\r"))
                {
                    text.end -= 1;
                }
                if text.len() > HEADER_LINE_BYTES {
                    cut = true;
                }
                if cut {
                    text.start = text.start.max(text.end.saturating_sub(LENGTH_LINE_BYTES));
                }
                return Some(Line { text, cut });
            }
            searched = unread.len();
            if searched > HEADER_LINE_BYTES {
                cut = true;
                self.start = self.buffer.len() - LENGTH_LINE_BYTES;
                searched = LENGTH_LINE_BYTES;
                self.compact();
            }
            if !self.fill() {
                return None;
            }
        }
    }

    /// Reads more bytes; `false` at the end of input. An error of the input counts as its end:
    /// nothing can be read after it.
    fn fill(&mut self) -> bool {
        let filled = self.buffer.len();
        self.buffer.resize(filled + READ_BYTES, 0);
        let read = loop {
            let Some(space) = self.buffer.get_mut(filled..) else {
                break 0;
            };
            match self.input.read(space) {
                Ok(read) => break read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break 0,
            }
        };
        self.buffer.truncate(filled + read);
        read > 0
    }

    /// Forgets the bytes read.
    fn compact(&mut self) {
        self.buffer.drain(..self.start);
        self.start = 0;
        if self.buffer.len() < READ_BYTES {
            self.buffer.shrink_to(4 * READ_BYTES);
        }
    }
}

impl Header {
    /// Takes one `Name: value`. Names other than `Content-Length` and `Content-Type` are allowed
    /// and mean nothing to us.
    fn take(&mut self, line: &[u8]) -> Result<(), Malformed> {
        let colon = line
            .iter()
            .position(|byte| *byte == b':')
            .ok_or(Malformed::HeaderLine)?;
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if name.is_empty() || !name.iter().copied().all(is_name_byte) {
            return Err(Malformed::HeaderLine);
        }
        if name.eq_ignore_ascii_case(b"content-length") {
            let length = decimal(value).ok_or(Malformed::Length)?;
            if self.length.is_some_and(|earlier| earlier != length) {
                return Err(Malformed::Length);
            }
            if length > FRAME_BYTES {
                return Err(Malformed::TooLarge);
            }
            self.length = Some(length);
        } else if name.eq_ignore_ascii_case(b"content-type") {
            self.foreign_charset = !is_utf8_or_unstated(value);
        }
        Ok(())
    }
}

/// The bytes that HTTP allows in a header name.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn decimal(value: &[u8]) -> Option<usize> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // More digits than fit are a number too: one that is too large.
    Some(
        std::str::from_utf8(value)
            .ok()?
            .parse()
            .unwrap_or(usize::MAX),
    )
}

fn is_utf8_or_unstated(content_type: &[u8]) -> bool {
    let lower = content_type.to_ascii_lowercase();
    lower.split(|byte| *byte == b';').skip(1).all(|parameter| {
        match parameter.trim_ascii().strip_prefix(b"charset=") {
            Some(charset) => [&b"utf-8"[..], b"utf8", b"\"utf-8\"", b"\"utf8\""].contains(&charset),
            None => true,
        }
    })
}

fn line_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}

fn trim_carriage_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The start of a `Content-Length: N` that the line ends with.
fn length_at_end(line: &[u8]) -> Option<usize> {
    let from = line.len().saturating_sub(LENGTH_LINE_BYTES);
    let tail = line.get(from..)?;
    let at = tail
        .windows(LENGTH_NAME.len())
        .rposition(|window| window.eq_ignore_ascii_case(LENGTH_NAME))?;
    let length = decimal(tail.get(at + LENGTH_NAME.len()..)?.trim_ascii())?;
    (length <= FRAME_BYTES).then_some(from + at)
}

/// The start of a header line that the end of `body` may cut.
fn header_begun(body: &[u8]) -> Option<usize> {
    let from = body.len().saturating_sub(LENGTH_LINE_BYTES);
    (from..body.len()).find(|at| {
        let rest = body.get(*at..).unwrap_or_default();
        let begins = |name: &[u8]| {
            let both = name.len().min(rest.len());
            rest.iter()
                .zip(name)
                .take(both)
                .all(|(byte, of_name)| byte.eq_ignore_ascii_case(of_name))
        };
        let value = rest.get(LENGTH_NAME.len()..).unwrap_or_default();
        begins(LENGTH_NAME) && value.trim_ascii().iter().all(u8::is_ascii_digit)
            || begins(TYPE_NAME)
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Frames of `input` as text: a body represents itself, a malformed place as `!Reason`.
    fn frames(input: &[u8]) -> Vec<String> {
        let mut reader = FrameReader::new(input);
        let mut found = Vec::new();
        loop {
            match reader.next_frame() {
                Frame::Body(body) => found.push(String::from_utf8_lossy(body).into_owned()),
                Frame::Malformed(malformed) => found.push(format!("!{malformed:?}")),
                Frame::End => return found,
            }
        }
    }

    const GOOD: &str = "Content-Length: 2\r\n\r\n{}";

    #[test]
    fn header_names_ignore_case_and_unknown_headers_are_allowed() {
        let input = "X-Trace: 1\r\ncONTENT-length:2\r\nContent-Type: x/y; Charset=UTF-8\r\n\r\n{}";
        assert_eq!(frames(input.as_bytes()), ["{}"]);
        assert_eq!(
            frames(b"Content-Type: x/y\r\nContent-Length: 2\n\n{}"),
            ["{}"]
        );
        assert_eq!(
            frames(b"\r\n\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
            ["{}"]
        );
    }

    #[test]
    fn each_malformed_header_is_reported_once_and_the_next_frame_is_read() {
        for (bad, reason) in [
            ("Content-Length: x\r\n\r\n{}", "!Length"),
            ("Content-Length: -2\r\n\r\n{}", "!Length"),
            ("Content-Length: +2\r\n\r\n{}", "!Length"),
            ("Content-Length:\r\n\r\n{}", "!Length"),
            (
                "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
                "!Length",
            ),
            (
                "Content-Length: 99999999999999999999999\r\n\r\n{}",
                "!TooLarge",
            ),
            ("Content-Length: 67108865\r\n\r\n{}", "!TooLarge"),
            ("Foo: bar\r\n\r\n{}", "!NoLength"),
            ("garbage\r\nmore\r\n\r\nlines\r\n", "!HeaderLine"),
            (": no name\r\n", "!HeaderLine"),
            ("\0\u{1}\u{2}\r\n", "!HeaderLine"),
            ("{\"jsonrpc\":\"2.0\"}", "!HeaderLine"),
            (
                "Content-Length: 2\r\nContent-Type: x; charset=utf-16\r\n\r\n{}",
                "!Charset",
            ),
        ] {
            assert_eq!(
                frames(format!("{bad}{GOOD}").as_bytes()),
                [reason, "{}"],
                "{bad:?}"
            );
        }
    }

    #[test]
    fn header_limits_hold_at_the_limit_and_one_beyond() {
        let line = |bytes: usize| format!("X: {}\r\n", "y".repeat(bytes - 3));
        assert_eq!(
            frames(format!("{}{GOOD}", line(HEADER_LINE_BYTES)).as_bytes()),
            ["{}"]
        );
        assert_eq!(
            frames(format!("{}{GOOD}", line(HEADER_LINE_BYTES + 1)).as_bytes()),
            ["!HeaderTooLong", "{}"]
        );
        let full = line(1 << 10).repeat(HEADER_BYTES / (1 << 10) - 1);
        let rest = line((1 << 10) - "Content-Length: 2".len());
        assert_eq!(frames(format!("{full}{rest}{GOOD}").as_bytes()), ["{}"]);
        let one_more = line((1 << 10) + 1 - "Content-Length: 2".len());
        assert_eq!(
            frames(format!("{full}{one_more}{GOOD}").as_bytes()),
            ["!HeaderTooLong", "{}"]
        );
    }

    #[test]
    fn an_endless_line_costs_no_memory() {
        let line = std::io::repeat(b'a').take(8 << 20);
        let mut reader = FrameReader::new(line.chain(&b"Content-Length: 2\r\n\r\n{}"[..]));
        assert_eq!(
            reader.next_frame(),
            Frame::Malformed(Malformed::HeaderTooLong)
        );
        assert!(reader.buffer.capacity() < 1 << 20);
        assert_eq!(reader.next_frame(), Frame::Body(b"{}"));
    }

    #[test]
    fn an_announced_length_allocates_nothing() {
        let mut reader = FrameReader::new(&b"Content-Length: 67108864\r\n\r\n{}"[..]);
        assert_eq!(reader.next_frame(), Frame::End);
        assert!(reader.buffer.capacity() < 1 << 20);
    }

    #[test]
    fn a_length_that_is_too_short_or_too_long_loses_no_other_frame() {
        assert_eq!(
            frames(format!("Content-Length: 1\r\n\r\n{{}}{GOOD}").as_bytes()),
            ["{", "!HeaderLine", "{}"]
        );

        let input = format!("Content-Length: 25\r\n\r\n[]Content-Length: 3\r\n\r\n{{ }}{GOOD}");
        let mut reader = FrameReader::new(input.as_bytes());
        assert!(matches!(reader.next_frame(), Frame::Body(_)));
        reader.body_was_no_json();
        assert_eq!(reader.next_frame(), Frame::Body(b"{ }"));
        assert_eq!(reader.next_frame(), Frame::Body(b"{}"));
    }

    #[test]
    fn a_length_that_cuts_the_next_header_anywhere_loses_no_other_frame() {
        let next = "Content-Length: 3\r\n\r\n{ }";
        let typed = format!("Content-Type: a/b; charset=utf-8\r\n{next}");
        for next in [next, typed.as_str()] {
            for too_long in 1..next.len() {
                let length = "[]".len() + too_long;
                let input = format!("Content-Length: {length}\r\n\r\n[]{next}{GOOD}");
                let mut reader = FrameReader::new(Trickle(input.as_bytes(), 7));
                assert!(matches!(reader.next_frame(), Frame::Body(_)));
                reader.body_was_no_json();
                assert_eq!(reader.next_frame(), Frame::Body(b"{ }"), "{too_long}");
                assert_eq!(reader.next_frame(), Frame::Body(b"{}"), "{too_long}");
            }
        }
    }

    #[test]
    fn a_body_that_is_no_json_and_ends_like_a_header_loses_no_other_frame() {
        for body in [
            "c",
            "Content-",
            "{Content-Length: 3",
            "Content-Type: x",
            "{\"C",
        ] {
            let input = format!("Content-Length: {}\r\n\r\n{body}{GOOD}", body.len());
            let mut reader = FrameReader::new(input.as_bytes());
            assert!(matches!(reader.next_frame(), Frame::Body(_)));
            reader.body_was_no_json();
            assert_eq!(reader.next_frame(), Frame::Body(b"{}"), "{body}");
        }
    }

    /// An input that hands out few bytes at a time.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
            let most = self.1.min(space.len());
            self.0.read(space.get_mut(..most).unwrap_or_default())
        }
    }

    proptest! {
        #[test]
        fn whatever_stands_between_frames_each_frame_is_found(
            garbage in vec("[a-z:{}\\[\\]\"0-9 \r\n]{0,60}", 1..5),
            step in 1_usize..40,
        ) {
            // its own line before each header, so that no garbage becomes part of it.
            let frame = |(number, garbage): (usize, &String)| {
                let body = format!("[{number}]");
                format!("{garbage}\n!\nContent-Length: {}\r\n\r\n{body}", body.len())
            };
            let input: String = garbage.iter().enumerate().map(frame).collect();
            let mut reader = FrameReader::new(Trickle(input.as_bytes(), step));
            let mut found = 0;
            loop {
                match reader.next_frame() {
                    Frame::Body(body) => {
                        prop_assert_eq!(body.to_vec(), format!("[{found}]").into_bytes());
                        found += 1;
                    }
                    Frame::Malformed(_) => {}
                    Frame::End => break,
                }
            }
            prop_assert_eq!(found, garbage.len());
        }

        #[test]
        fn any_bytes_come_to_an_end(bytes in vec(any::<u8>(), 0..2_000)) {
            let mut reader = FrameReader::new(bytes.as_slice());
            let mut places = 0;
            while reader.next_frame() != Frame::End {
                places += 1;
                prop_assert!(places <= bytes.len());
            }
        }
    }

    #[test]
    fn the_end_of_input_in_a_header_or_a_body_is_the_end() {
        assert_eq!(frames(b"Content-Len"), [""; 0]);
        assert_eq!(frames(b"Content-Length: 10\r\n\r\n{}"), [""; 0]);
    }
}
