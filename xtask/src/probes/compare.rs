//! Whether two texts of nested numbers can be one value: `(_8,n):(_1,_8)` of the tool, `(_8,?):(_1,_8)` of the compiler.

/// Signs that only an expression has, beside `-`.
const OPERATORS: [char; 8] = ['+', '*', '/', '%', '?', '<', '>', '='];

#[derive(Debug, PartialEq, Eq)]
enum Token<'t> {
    Open,
    Close,
    /// A number of the type, a name, or the text between two parts.
    Fixed(&'t str),
    /// A number that is known only when the program runs, or that was not told.
    Free,
}

/// Whether the tool agrees with the compiler: every number that the tool fixes is the compiler's.
pub(super) fn agree(tool: &str, compiler: &str) -> bool {
    let (said, truth) = (tokens(tool), tokens(compiler));
    let mut at = 0;
    for token in &said {
        match (token, truth.get(at)) {
            (Token::Free, Some(_)) => at = behind_part(&truth, at),
            (token, Some(found)) if token == found => at += 1,
            _ => return false,
        }
    }
    at == truth.len()
}

/// Behind the number or the group that begins here.
fn behind_part(tokens: &[Token<'_>], from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        match first {
            '(' if is_group(text, at) => {
                found.push(Token::Open);
                at += 1;
            }
            ')' => {
                found.push(Token::Close);
                at += 1;
            }
            ',' | ':' => {
                found.push(Token::Fixed(text.get(at..=at).unwrap_or_default()));
                at += 1;
            }
            ' ' => at += 1,
            _ => {
                let end = end_of_leaf(text, at);
                let leaf = text.get(at..end).unwrap_or_default();
                let is_fixed = leaf.starts_with('_') || leaf.starts_with("Sw<") || leaf == "o";
                found.push(if is_fixed {
                    Token::Fixed(leaf)
                } else {
                    Token::Free
                });
                at = end.max(at + first.len_utf8());
            }
        }
    }
    found
}

/// Whether a parenthesis opens a group of parts, not an expression.
fn is_group(text: &str, open: usize) -> bool {
    let mut depth = 0_usize;
    let mut has_operator = false;
    let mut previous = ' ';
    for (at, c) in text.get(open..).unwrap_or_default().char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let next = text
                        .get(open + at + 1..)
                        .and_then(|rest| rest.chars().next());
                    let ends = matches!(next, None | Some(',' | ')' | ':' | ' '));
                    return ends && !has_operator;
                }
            }
            ',' if depth == 1 => return true,
            '-' if depth == 1 => has_operator |= previous != '_',
            // A number that was not told, alone: `(?)`.
            '?' if previous == '(' => {}
            c if depth == 1 => has_operator |= OPERATORS.contains(&c),
            _ => {}
        }
        previous = c;
    }
    false
}

/// The end of a number, a name or an expression.
fn end_of_leaf(text: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.get(from..).unwrap_or_default().char_indices() {
        match c {
            '(' | '<' => depth += 1,
            ')' | ',' | ':' | ' ' if depth == 0 => return from + at,
            ')' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::agree;

    #[test]
    fn numbers_of_types_have_to_be_the_same() {
        assert!(agree("(_8,n):(_1,_8)", "(_8,?):(_1,_8)"));
        assert!(!agree("(_8,_4):(_1,_8)", "(_8,?):(_1,_8)"));
        assert!(!agree("(_8,_4):(_1,_8)", "(_8,_4):(_1,_4)"));
        assert!(agree("(_1@0,_-1@1)", "(_1@0,_-1@1)"));
        assert!(!agree("_1@0", "_1@1"));
        assert!(!agree("(_8,_4)", "(_8,_4):(_1,_8)"));
        assert!(!agree("Sw<3,4,3> o _0 o _8:_1", "Sw<2,4,3> o _0 o _8:_1"));
    }

    #[test]
    fn what_is_not_fixed_stands_for_any_part() {
        assert!(agree("((m+31)/32,_4):(k*(n-1),_1)", "(?,_4):(?,_1)"));
        assert!(agree("(N,_4):(_1,N)", "(_16,_4):(_1,_16)"));
        assert!(agree("(T,_4):(_1,_2)", "((_2,_8),_4):(_1,_2)"));
        assert!(agree("(?)", "(?)"));
        assert!(agree("((varlen ? a : b)):((swapped ? c : 1))", "(?):(?)"));
        assert!(!agree("(n,_1)", "(?)"));
        assert!(agree("((varlen?1:b),_2):(_1,_8)", "(?,_2):(_1,_8)"));
        assert!(!agree("(n)", "(?,?)"));
    }
}
