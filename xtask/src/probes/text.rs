//! The places for a probe in a source of C++, and the parts of a source that only the compiler of the device reads.

use std::ops::Range;

/// The signs of a source that open, close and end something, outside of comments, strings and directives.
pub(super) struct Signs {
    /// Byte offsets, in order.
    signs: Vec<(usize, u8)>,
    /// The text between the chevrons of a launch, with them.
    launches: Vec<Range<usize>>,
}

impl Signs {
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut signs, mut launches) = (Vec::new(), Vec::new());
        let mut at = 0;
        let mut begins_line = true;
        while let Some(byte) = bytes.get(at) {
            let rest = text.get(at..).unwrap_or_default();
            let behind = match byte {
                b'/' if rest.starts_with("//") => end_of_line(text, at),
                b'/' if rest.starts_with("/*") => behind(text, at + 2, "*/"),
                b'#' if begins_line => end_of_line(text, at),
                b'"' if is_raw(text, at) => end_of_raw(text, at),
                b'"' => end_of_quoted(bytes, at),
                b'\'' if !is_separator(bytes, at) => end_of_quoted(bytes, at),
                b'<' if rest.starts_with("<<<") => {
                    let end = behind(text, at + 3, ">>>");
                    launches.push(at..end);
                    end
                }
                b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' => {
                    signs.push((at, *byte));
                    at + 1
                }
                _ => at + 1,
            };
            begins_line = match byte {
                b'\n' => true,
                b' ' | b'\t' | b'\r' => begins_line,
                _ => false,
            };
            at = behind;
        }
        Self { signs, launches }
    }

    /// Behind the declaration of the name at this offset: the place where another declaration may be. `None` for a
    /// name of a template, of a parameter, and of the head of a loop.
    pub(super) fn behind_declaration(&self, text: &str, name: usize) -> Option<usize> {
        let split = self.signs.partition_point(|(at, _)| *at < name);
        let (before, after) = self.signs.split_at(split);
        let mut open = Vec::new();
        let mut start = 0;
        for (at, sign) in before {
            match sign {
                b'(' | b'[' | b'{' => open.push(*sign),
                b')' | b']' | b'}' => drop(open.pop()),
                _ => {}
            }
            if matches!(sign, b';' | b'{' | b'}') {
                start = at + 1;
            }
        }
        // `auto [a, b] = ..`
        if open.last() == Some(&b'[') {
            open.pop();
        }
        let head = text.get(start..name)?;
        let is_template = head
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| matches!(word, "template" | "friend"));
        if is_template || !matches!(open.last(), None | Some(b'{')) {
            return None;
        }
        let mut depth = 0_usize;
        for (at, sign) in after {
            match sign {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b'}' if depth == 0 => return None,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ if depth == 0 => return Some(at + 1),
                _ => {}
            }
        }
        None
    }

    /// The text with the chevrons of launches blank: a launch is a call.
    pub(super) fn without_launches(&self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        let mut at = 0;
        for launch in &self.launches {
            plain.push_str(text.get(at..launch.start).unwrap_or_default());
            let hidden = text.get(launch.clone()).unwrap_or_default();
            plain.extend(hidden.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
            at = launch.end;
        }
        plain.push_str(text.get(at..).unwrap_or_default());
        plain
    }
}

/// The offset of a place that is given by its line and column, both from 1, the column in characters.
pub(super) fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let rest = text.get(start..)?;
    let (within, _) = rest.char_indices().nth(column.checked_sub(1)?)?;
    Some(start + within)
}

/// The name that begins at an offset.
pub(super) fn word(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let length = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
    rest.get(..length).filter(|name| !name.is_empty())
}

fn behind(text: &str, from: usize, word: &str) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.find(word)
        .map_or(text.len(), |found| from + found + word.len())
}

/// The end of a line, of all lines that `\` joins to it.
fn end_of_line(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(length) = rest.find('\n') else {
            return text.len();
        };
        let line = rest.get(..length).unwrap_or_default();
        at += length;
        if !line.trim_end_matches('\r').ends_with('\\') {
            return at;
        }
        at += 1;
    }
}

fn end_of_quoted(bytes: &[u8], from: usize) -> usize {
    let quote = bytes.get(from);
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if Some(byte) == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn is_raw(text: &str, quote: usize) -> bool {
    text.get(..quote)
        .is_some_and(|before| before.ends_with('R'))
}

fn end_of_raw(text: &str, quote: usize) -> usize {
    let rest = text.get(quote + 1..).unwrap_or_default();
    let delimiter = rest.split('(').next().unwrap_or_default();
    behind(text, quote + 1, &format!("){delimiter}\""))
}

/// `1'000`.
fn is_separator(bytes: &[u8], at: usize) -> bool {
    let is_digit = |index: Option<usize>| {
        index
            .and_then(|index| bytes.get(index))
            .is_some_and(u8::is_ascii_hexdigit)
    };
    is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probed(text: &str, name: &str) -> Option<String> {
        let at = text.find(name)?;
        let end = Signs::of(text).behind_declaration(text, at)?;
        text.get(..end).map(str::to_owned)
    }

    #[test]
    fn a_probe_stands_behind_the_declaration() {
        let text = "void f() { // {\n auto x = g({1, 2}, '{', \"}\"); int y; }";
        assert!(probed(text, "x").is_some_and(|found| found.ends_with("\"}\");")));
        let bound = "void f() { auto [a, b] = g(); }";
        assert!(probed(bound, "b]").is_some_and(|found| found.ends_with("g();")));
        let member = "struct S {\n#define OPEN {\n using L = Layout<_1>; };";
        assert!(probed(member, "L =").is_some_and(|found| found.ends_with("<_1>;")));
    }

    #[test]
    fn there_is_no_probe_where_no_declaration_may_stand() {
        assert_eq!(probed("void f(int x) { }", "x"), None);
        assert_eq!(
            probed("void f() { for (int x = 0; x < 1; ++x) {} }", "x ="),
            None
        );
        assert_eq!(
            probed("template <class T> using L = Layout<T>;", "L ="),
            None
        );
    }

    #[test]
    fn a_launch_is_a_call() {
        let text = "void f() { k<int><<<1, g(2)>>>(x); }";
        assert_eq!(
            Signs::of(text).without_launches(text),
            "void f() { k<int>             (x); }"
        );
    }

    #[test]
    fn a_place_has_its_offset() {
        assert_eq!(offset("ab\nc\u{e4}d\n", 2, 3), Some(6));
        assert_eq!(offset("ab\n", 3, 1), None);
    }
}
