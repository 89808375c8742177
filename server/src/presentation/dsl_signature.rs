//! The parameters shown while the arguments of a function of the CuTe DSL are typed, whether its parentheses are closed
//! or not: `cute.make_layout((8, 4), |`.

use cute_analysis::parameters_of_dsl;
use tree_sitter_cute::script::Script;

use super::reference;

/// A call of a function of the DSL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DslSignature {
    /// The last part of its name.
    pub name: String,
    /// Its parameters, in order; `name=...` where one may be left out.
    pub parameters: Vec<String>,
    /// The parameter that is typed, where there is one.
    pub active: Option<usize>,
    /// A sentence on the result of the function, where it is known.
    pub sentence: Option<String>,
}

/// The innermost call of a function of the DSL whose parentheses begin before a byte and do not end there.
pub fn signature(text: &str, byte: usize) -> Option<DslSignature> {
    let before = text.get(..byte)?;
    let open = open_brackets(before);
    let first = open.first()?.at;
    let line = before.get(..first)?.rfind('\n').map_or(0, |at| at + 1);
    // The text before the call is not disturbed by its missing end.
    let script = Script::read(text.get(..line)?);
    open.iter().rev().find_map(|bracket| {
        let name = called(before.get(..bracket.at)?)?;
        let path: Vec<&str> = name.split('.').collect();
        let parameters = parameters_of_dsl(&script, &path)?;
        let last = path.last()?;
        let argument = before.get(bracket.argument..)?;
        let active = match keyword(argument) {
            Some(keyword) => parameters
                .iter()
                .position(|it| it.trim_end_matches("=...") == keyword),
            None => Some(bracket.commas).filter(|at| *at < parameters.len()),
        };
        let of_cpp = || reference::of(last).next().map(|entry| entry.sentence());
        let sentence = reference::sentence_in_python(last).or_else(of_cpp);
        Some(DslSignature {
            name: (*last).to_owned(),
            active,
            parameters,
            sentence: sentence.map(str::to_owned),
        })
    })
}

/// The dotted name before a parenthesis.
fn called(before: &str) -> Option<&str> {
    if !before.ends_with(|it: char| it == '_' || it.is_alphanumeric()) {
        return None;
    }
    let is_of_name = |it: char| it == '_' || it == '.' || it.is_alphanumeric();
    let start = before.rfind(|it| !is_of_name(it)).map_or(0, |at| {
        at + before[at..].chars().next().map_or(1, char::len_utf8)
    });
    before.get(start..)
}

/// The name of an argument that is given by name.
fn keyword(argument: &str) -> Option<&str> {
    let (name, value) = argument.trim_start().split_once('=')?;
    let name = name.trim_end();
    let is_name = !name.is_empty() && name.chars().all(|it| it == '_' || it.is_alphanumeric());
    (is_name && !value.starts_with('=')).then_some(name)
}

/// A bracket that is open.
struct Bracket {
    at: usize,
    /// Commas behind it that are in no inner bracket.
    commas: usize,
    /// The start of the argument that is typed.
    argument: usize,
}

/// The brackets that are open at the end of a text, the outermost first; those in strings and comments are none.
fn open_brackets(text: &str) -> Vec<Bracket> {
    let mut open: Vec<Bracket> = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let at = text.len() - rest.len();
        let mut length = letter.len_utf8();
        match letter {
            '#' => length = rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => length = string(rest, letter),
            '(' | '[' | '{' => open.push(Bracket {
                at,
                commas: 0,
                argument: at + 1,
            }),
            ')' | ']' | '}' => {
                open.pop();
            }
            ',' => {
                if let Some(bracket) = open.last_mut() {
                    bracket.commas += 1;
                    bracket.argument = at + 1;
                }
            }
            _ => {}
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    open
}

/// The bytes of the string that a text begins with; a quote without an end ends with its line.
fn string(text: &str, quote: char) -> usize {
    let three: String = [quote; 3].iter().collect();
    let is_long = text.starts_with(&three);
    let mut at = if is_long { 3 } else { 1 };
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let letter = rest.chars().next().unwrap_or(quote);
        match letter {
            '\\' => at += 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            '\n' if !is_long => return at,
            _ if is_long && rest.starts_with(&three) => return at + 3,
            _ if !is_long && letter == quote => return at + 1,
            _ => at += letter.len_utf8(),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMPORTS: &str =
        "import cutlass.cute as cute\n# it's (open\ns = \"a(\" \"\"\"(\n(\"\"\"\ndef f(x):\n";

    /// The name, the parameter that is typed, or nothing.
    fn at(line: &str) -> Option<(String, Option<String>)> {
        let text = format!("{IMPORTS}{line}");
        let cursor = text.find('|').expect("a cursor");
        let text = text.replacen('|', "", 1);
        let found = signature(&text, cursor)?;
        let active = found.active.map(|at| found.parameters[at].clone());
        Some((found.name, active))
    }

    fn is(line: &str, name: &str, active: &str) {
        let wanted = Some((name.to_owned(), Some(active.to_owned())));
        assert_eq!(at(line), wanted, "{line}");
    }

    #[test]
    fn an_unclosed_call_has_the_parameters_of_its_function() {
        is("    y = cute.make_layout(|", "make_layout", "shape");
        is(
            "    y = cute.make_layout((8, 4), |\n    z = 1\n",
            "make_layout",
            "stride",
        );
        is("    y = cute.make_layout((8, |", "make_layout", "shape");
        is(
            "    y = cute.make_layout(stride=(1, |",
            "make_layout",
            "stride",
        );
        is(
            "    y = cute.zipped_divide(cute.make_layout(8), |",
            "zipped_divide",
            "tiler",
        );
        is(
            "    y = cute.zipped_divide(x[f(1, 2), 3], |)",
            "zipped_divide",
            "tiler",
        );
        is(
            "    y = cute.zipped_divide(\n        x,  # of (\n        |",
            "zipped_divide",
            "tiler",
        );
    }

    #[test]
    fn what_is_no_call_of_the_dsl_has_none() {
        assert_eq!(at("    y = cute.make_layout((8, 4))|"), None);
        assert_eq!(at("    y = other(|"), None);
        assert_eq!(at("    y = (1, |"), None);
        assert_eq!(at("    y = 'cute.make_layout(|"), None);
        // More arguments than it takes: none of its parameters is typed.
        let (name, active) = at("    y = cute.make_layout(8, 1, 2, |").expect("a call");
        assert_eq!((name.as_str(), active), ("make_layout", None));
    }
}
