//! The output of a C++ compiler, taken apart: errors with the instantiations that led to them.
//!
//! Understood are the forms of GCC, Clang and nvcc:
//!
//! | compiler | error | the way to it |
//! |---|---|---|
//! | GCC | `FILE:LINE:COL: error: TEXT` | `FILE:LINE:COL:   required from ...`, once before all errors of a function |
//! | Clang | `FILE:LINE:COL: error: TEXT` | `FILE:LINE:COL: note: in instantiation of ...`, after it |
//! | nvcc | `FILE(LINE): error: TEXT` | `instantiation of ... at line LINE of FILE`, after it |

/// A place that a compiler names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogPlace {
    /// As printed.
    pub(super) file: String,
    /// From 1.
    pub(super) line: usize,
    /// From 1, where the compiler says it.
    pub(super) column: Option<usize>,
}

/// An error of a compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CompileError {
    /// The error.
    pub(super) message: String,
    /// The place of the error, then of its instantiation, and so on outwards.
    pub(super) places: Vec<LogPlace>,
}

/// The errors in a log, in order.
pub(super) fn errors(log: &str) -> Vec<CompileError> {
    let mut errors: Vec<CompileError> = Vec::new();
    // GCC's way to the errors of a function.
    let mut ahead: Vec<LogPlace> = Vec::new();
    // Whether the last place is the error's, or that of a macro in which it is.
    let mut is_in_macro = false;
    for line in log.lines() {
        let Some((place, rest)) = headed(line) else {
            if is_of_next_function(line) {
                ahead.clear();
            } else if let Some(error) = errors.last_mut() {
                let place = instantiation(line, error);
                error.places.extend(place);
            }
            continue;
        };
        if let Some(message) = error_message(rest) {
            let mut places = vec![place];
            places.extend_from_slice(&ahead);
            errors.push(CompileError {
                message: message.to_owned(),
                places,
            });
            is_in_macro = true;
            continue;
        }
        let is_expansion = rest.starts_with("note: in expansion of macro");
        if rest.starts_with("required from") || rest.starts_with("required by") {
            ahead.push(place);
        } else if let Some(error) = errors.last_mut() {
            if is_expansion && is_in_macro {
                // GCC names the place in the macro's definition first.
                error.places.splice(..1, [place]);
            } else if rest.starts_with("note: in instantiation of") {
                error.places.push(place);
            }
        }
        is_in_macro &= is_expansion;
    }
    errors
}

/// Whether GCC begins another function: `FILE: In instantiation of 'f':`, `FILE: At global scope:`.
fn is_of_next_function(line: &str) -> bool {
    line.ends_with(':') && [": In ", ": At "].iter().any(|words| line.contains(words))
}

/// The place at the head of a line, and the message about it.
fn headed(line: &str) -> Option<(LogPlace, &str)> {
    for (at, _) in line.match_indices([':', '(']) {
        let (file, rest) = line.split_at(at);
        if file.is_empty() {
            continue;
        }
        let found = if rest.starts_with('(') {
            in_parentheses(rest)
        } else {
            behind_colons(rest)
        };
        if let Some((number, column, rest)) = found {
            let place = LogPlace {
                file: file.to_owned(),
                line: number,
                column,
            };
            return Some((place, rest.trim_start()));
        }
    }
    None
}

/// `:12:34: text`, `:12: text`.
fn behind_colons(rest: &str) -> Option<(usize, Option<usize>, &str)> {
    let (line, rest) = number(rest.strip_prefix(':')?)?;
    let rest = rest.strip_prefix(':')?;
    match number(rest) {
        Some((column, more)) if more.starts_with(':') => Some((line, Some(column), more.get(1..)?)),
        _ => Some((line, None, rest)),
    }
}

/// `(12): text`, `(12,34): text`.
fn in_parentheses(rest: &str) -> Option<(usize, Option<usize>, &str)> {
    let (line, rest) = number(rest.strip_prefix('(')?)?;
    let (column, rest) = match rest.strip_prefix(',').and_then(number) {
        Some((column, rest)) => (Some(column), rest),
        None => (None, rest),
    };
    Some((
        line,
        column,
        rest.strip_prefix(')')?.trim_start().strip_prefix(':')?,
    ))
}

fn number(text: &str) -> Option<(usize, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

/// The text of an error: behind `error:`, `fatal error:`, `error #1234-D:`.
fn error_message(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix("fatal ").unwrap_or(rest);
    let (number, message) = rest.strip_prefix("error")?.split_once(':')?;
    let is_number = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '#' | '-');
    number.chars().all(is_number).then_some(message.trim())
}

/// `instantiation of "..." at line 12 of x.cu`, as nvcc prints below an error; without a file it is
/// that of the place before.
fn instantiation(line: &str, error: &CompileError) -> Option<LogPlace> {
    let (before, after) = line.rsplit_once(" at line ")?;
    if !before.contains("instantiation of") {
        return None;
    }
    let (number, rest) = number(after)?;
    let file = match rest.trim().strip_prefix("of ") {
        Some(file) => file.trim_matches('"').to_owned(),
        None => error.places.last()?.file.clone(),
    };
    Some(LogPlace {
        file,
        line: number,
        column: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: usize, column: Option<usize>) -> LogPlace {
        LogPlace {
            file: file.to_owned(),
            line,
            column,
        }
    }

    #[test]
    fn gcc_prints_the_way_before_the_error() {
        let log = "\
include/cute/layout.hpp: In instantiation of 'f<C<3> >(const C<3>&)':
include/cute/layout.hpp:1140:34:   required from 'constexpr auto cute::composition(..)'
tiles.cpp:8:21:   required from 'auto pick(Tile)'
tiles.cpp:13:21:   required from here
include/cute/config.hpp:126:64: error: static assertion failed: Stride Divisibility Condition
include/cute/layout.hpp:1077:22: note: in expansion of macro 'CUTE_STATIC_ASSERT_V'
";
        let found = errors(log);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].message,
            "static assertion failed: Stride Divisibility Condition"
        );
        assert_eq!(
            found[0].places[1..],
            [
                place("include/cute/layout.hpp", 1140, Some(34)),
                place("tiles.cpp", 8, Some(21)),
                place("tiles.cpp", 13, Some(21)),
            ]
        );
    }

    #[test]
    fn gcc_prints_the_way_once_and_the_macro_before_its_use() {
        let log = "\
cute/copy.hpp: In instantiation of 'void cute::copy(A, B) [with A = X]':
e.cu:9:7:   required from 'void kern(Tiled)'
e.cu:13:16:   required from here
cute/config.hpp:126:64: error: static assertion failed
  126 | #define CUTE_STATIC_ASSERT_V(x, ...) static_assert(decltype(x)::value, ##__VA_ARGS__)
cute/copy.hpp:203:7: note: in expansion of macro 'CUTE_STATIC_ASSERT_V'
cute/config.hpp:126:64: note: 'cute::C<false>::value' evaluates to false
cute/copy.hpp:300:7: note: in expansion of macro 'CUTE_STATIC_ASSERT_V'
cute/config.hpp:126:64: error: static assertion failed
cute/copy.hpp:211:7: note: in expansion of macro 'CUTE_STATIC_ASSERT_V'
e.cu: In function 'int main()':
e.cu:20:3: error: static assertion failed
";
        let way = [place("e.cu", 9, Some(7)), place("e.cu", 13, Some(16))];
        let found = errors(log);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].places[0], place("cute/copy.hpp", 203, Some(7)));
        assert_eq!(found[0].places[1..], way);
        assert_eq!(found[1].places[0], place("cute/copy.hpp", 211, Some(7)));
        assert_eq!(found[1].places[1..], way);
        assert_eq!(found[2].places, [place("e.cu", 20, Some(3))]);
    }

    #[test]
    fn clang_and_nvcc_print_it_behind() {
        let log = "\
C:\\x\\layout.hpp:9:3: error: static assertion failed due to requirement 'v': Shape Divisibility Condition
a.cu:4:8: note: in instantiation of function template specialization 'g<int>' requested here
layout.hpp(77): error: static assertion failed with \"Stride Divisibility Condition\"
          detected during:
            instantiation of \"auto cute::f(x)\" at line 80
            instantiation of \"auto pick(Tile)\" at line 13 of b.cu
";
        let found = errors(log);
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0].places,
            [
                place("C:\\x\\layout.hpp", 9, Some(3)),
                place("a.cu", 4, Some(8))
            ]
        );
        assert_eq!(
            found[1].places,
            [
                place("layout.hpp", 77, None),
                place("layout.hpp", 80, None),
                place("b.cu", 13, None),
            ]
        );
    }

    #[test]
    fn other_lines_are_no_errors() {
        assert!(errors("make: *** [a] Error 1\nwarning: x\n\n  12 |  f();\n").is_empty());
    }
}
