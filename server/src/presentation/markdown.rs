//! Sentences as Markdown that editors render alike.
//!
//! Neovim 0.10 shows the backslash of an escape, so nothing is escaped: a word with marks of Markdown is code.

/// A sentence as Markdown: words that have marks of Markdown become code, and so does a text between back quotes.
pub fn in_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, quoted, after)) = next_quoted(rest) {
        out.push_str(&words(before, out.is_empty()));
        out.extend(["`", quoted, "`"]);
        rest = after;
    }
    out.push_str(&words(rest, out.is_empty()));
    out
}

/// A text as code in a line of Markdown.
pub fn code(text: &str) -> String {
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

/// The first part of a text between back quotes, with the texts before and behind it.
fn next_quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (quoted, after) = rest.split_once('`')?;
    (!quoted.is_empty()).then_some((before, quoted, after))
}

/// Words without quotes: those with marks become code, neighbours together, and template arguments with their template.
fn words(text: &str, is_at_start: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marked: Vec<&str> = Vec::new();
    for (index, word) in text.split(' ').enumerate() {
        let starts = is_at_start && index == 0;
        let is_marked = has_marks(word, starts) || (!starts && has_open_list(&marked, text));
        if !starts && index > 0 && (marked.is_empty() || !is_marked) {
            flush(&mut out, &mut marked);
            out.push(' ');
        }
        if is_marked {
            marked.push(word);
        } else {
            out.push_str(word);
        }
    }
    flush(&mut out, &mut marked);
    out
}

/// Whether the words that were collected of a text end inside of a list of template arguments that is closed later:
/// `f<A,` of `f<A, b, C>`.
fn has_open_list(marked: &[&str], text: &str) -> bool {
    let opens = |word: &&str| {
        word.split_once('<')
            .is_some_and(|(name, _)| !name.is_empty())
    };
    if !marked.first().is_some_and(opens) {
        return false;
    }
    let count = |texts: &[&str], mark: char| -> usize {
        let counts = texts.iter().map(|text| text.matches(mark).count());
        counts.sum()
    };
    count(&[text], '<') == count(&[text], '>') && count(marked, '<') > count(marked, '>')
}

/// Writes the words that were collected as one piece of code; the punctuation behind them is not part of it.
fn flush(out: &mut String, marked: &mut Vec<&str>) {
    if marked.is_empty() {
        return;
    }
    let text = marked.join(" ");
    let inside = text.trim_end_matches([':', ',', ';', '.']);
    out.push_str(&code(inside));
    out.push_str(text.get(inside.len()..).unwrap_or_default());
    marked.clear();
}

/// Whether Markdown would read marks in a word. An operator between two blanks is not one, except at the start of a line; nor
/// is an underscore between letters.
fn has_marks(word: &str, starts_line: bool) -> bool {
    if matches!(
        word,
        "<" | ">" | "*" | "&" | "|" | "<=" | ">=" | "&&" | "||"
    ) {
        return starts_line;
    }
    let is_letter = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    let mut before = None;
    let mut rest = word.chars().peekable();
    while let Some(character) = rest.next() {
        let is_mark = match character {
            '_' => {
                !(is_letter(before)
                    && (is_letter(rest.peek().copied()) || rest.peek() == Some(&'_')))
            }
            '\\' | '`' | '*' | '<' | '>' | '[' | ']' | '#' | '|' | '&' | '~' => true,
            _ => false,
        };
        if is_mark {
            return true;
        }
        before = Some(character);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_what_has_marks_is_code() {
        for (text, markdown) in [
            ("sQ_layout: Layout, known", "sQ_layout: Layout, known"),
            ("(MMA,MMA_K) = (4,16)", "(MMA,MMA_K) = (4,16)"),
            ("size 16*M, cosize 8", "size `16*M`, cosize 8"),
            ("needs: M < 8 or M % 8 == 0", "needs: M < 8 or M % 8 == 0"),
            ("shape (_4,_8): wrong", "shape `(_4,_8)`: wrong"),
            ("error[tma-box]: too large", "`error[tma-box]`: too large"),
            ("f<A, B> (p): Tensor", "`f<A, B>` (p): Tensor"),
            ("atom f<A, b, C<2>> (p)", "atom `f<A, b, C<2>>` (p)"),
            ("x<4 and y", "`x<4` and y"),
            ("a *p &q b", "a `*p &q` b"),
            ("because of `b_[1]`, twice", "because of `b_[1]`, twice"),
            ("one ` alone", "one `` ` `` alone"),
            ("_x and x_", "`_x` and `x_`"),
            ("# not a heading", "`#` not a heading"),
            ("", ""),
        ] {
            assert_eq!(in_markdown(text), markdown, "{text}");
        }
    }

    #[test]
    fn no_text_has_an_escape() {
        let text = r"a_b _c d* [e](f) <g> `h` i\j |k| ~l~ #m &n;";
        assert!(!in_markdown(text).replace(r"i\j", "").contains('\\'));
    }
}
