//! Whether a text of the DSL agrees with the evaluated value.

use cute_analysis::Value;

/// Whether they agree: the same numbers at the same places. A number that is `?` in one and a name in the other, or not
/// known until run time, agrees with all; so does a kind of value that prints differently in both.
pub fn agrees(text: &str, value: &Value) -> bool {
    let ours = match value {
        Value::Tensor(tensor) => tensor.layout_value().to_string(),
        Value::Int(_)
        | Value::Tuple(_)
        | Value::Bool(_)
        | Value::Layout(_)
        | Value::Composed(_)
        | Value::Swizzle(_) => value.to_string(),
        _ => return true,
    };
    let is_tensor = matches!(value, Value::Tensor(_));
    let (theirs, ours) = if is_tensor {
        (tokens(affine(text)), tokens(affine(&ours)))
    } else {
        (tokens(text), tokens(&ours))
    };
    let is_mark = |token: &&Token| matches!(token, Token::Mark(_));
    if !theirs
        .iter()
        .filter(is_mark)
        .eq(ours.iter().filter(is_mark))
    {
        // A size that is a formula has its own parentheses.
        return ours.contains(&Token::Dynamic);
    }
    theirs.len() == ours.len() && theirs.iter().zip(&ours).all(|(a, b)| a.agrees(b))
}

/// The shape and strides of a tensor or a layout: the part behind its last ` o `.
fn affine(text: &str) -> &str {
    let rest = text.rsplit(" o ").next().unwrap_or(text);
    rest.strip_suffix('>').unwrap_or(rest)
}

/// A part of a print.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// A number, also with a basis element: `1@0`.
    Number(String),
    /// A parenthesis, a comma, a colon.
    Mark(char),
    /// A word that represents itself: `S`, `true`.
    Word(String),
    /// A value known at run time.
    Dynamic,
}

impl Token {
    fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mark(a), Self::Mark(b)) => a == b,
            (Self::Number(a), Self::Number(b)) | (Self::Word(a), Self::Word(b)) => a == b,
            (Self::Dynamic, other) | (other, Self::Dynamic) => !matches!(other, Self::Mark(_)),
            _ => false,
        }
    }
}

/// The parts of a print of ours or of the DSL.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    for (index, function) in text.split(" o ").enumerate() {
        if index > 0 {
            found.push(Token::Mark('o'));
        }
        add_tokens(function, &mut found);
    }
    found
}

fn add_tokens(text: &str, found: &mut Vec<Token>) {
    let mut word = String::new();
    // `?{i64 div=8}`: the text in braces belongs to the leaf.
    let mut braces = 0_usize;
    for character in text.chars() {
        match character {
            '{' => braces += 1,
            '}' => braces = braces.saturating_sub(1),
            _ if braces > 0 => {}
            '(' | ')' | ',' | ':' | '<' | '>' => {
                found.extend(leaf(&word));
                word.clear();
                // A tuple of one ends in a comma in Python.
                if character == ')' && found.last() == Some(&Token::Mark(',')) {
                    found.pop();
                }
                found.push(Token::Mark(character));
            }
            other => word.push(other),
        }
    }
    found.extend(leaf(&word));
}

/// The token between two marks.
fn leaf(word: &str) -> Option<Token> {
    let word = word.trim();
    let bare = word.strip_prefix('_').unwrap_or(word);
    let is_number = bare.starts_with(|first: char| first.is_ascii_digit() || first == '-')
        && !bare.contains(['+', '*', '/', '%']);
    Some(match bare {
        "" if word.is_empty() => return None,
        "" | "None" => Token::Word("None".to_owned()),
        "S" | "Sw" => Token::Word("S".to_owned()),
        "true" | "True" => Token::Word("true".to_owned()),
        "false" | "False" => Token::Word("false".to_owned()),
        number if is_number => Token::Number(number.to_owned()),
        _ => Token::Dynamic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Value {
        Value::from(text.parse::<cute_algebra::Layout>().expect("a layout"))
    }

    #[test]
    fn the_dsl_writes_static_numbers_bare_and_run_time_ones_as_a_mark() {
        assert!(agrees("(128,8):(1,128)", &layout("(_128,_8):(_1,_128)")));
        assert!(agrees(
            "(?{div=8},8):(1,?{i64 div=64})",
            &layout("(M,_8):(_1,M)")
        ));
        assert!(agrees("(128,8):(1,128)", &layout("(M,_8):(_1,M)")));
        assert!(!agrees("(128,8):(1,64)", &layout("(_128,_8):(_1,_128)")));
        assert!(!agrees(
            "((64,2),8):((1,64),128)",
            &layout("(_128,_8):(_1,_128)")
        ));
        assert!(!agrees("?", &layout("(_128,_8):(_1,_128)")));
    }

    #[test]
    fn a_swizzle_is_compared_by_its_numbers() {
        let composed = "Sw<3,4,3> o _0 o (_8,_64):(_64,_1)";
        let value = Value::from(
            composed
                .parse::<cute_algebra::ComposedLayout>()
                .expect("a composed layout"),
        );
        assert!(agrees("S<3,4,3> o 0 o (8,64):(64,1)", &value));
        assert!(!agrees("S<2,4,3> o 0 o (8,64):(64,1)", &value));
    }

    #[test]
    fn tuples_are_compared_as_python_writes_them() {
        let int = |number| Value::Int(cute_algebra::Int::fixed(number));
        assert!(agrees("(4,)", &Value::Tuple(vec![int(4)])));
        assert!(agrees(
            "(4,None)",
            &Value::Tuple(vec![int(4), Value::Underscore])
        ));
        assert!(!agrees("(4,8)", &Value::Tuple(vec![int(4), int(2)])));
        assert!(!agrees("5", &int(4)));
    }
}
