//! JSON text with lone surrogates, which editors whose strings are UTF-16 can send.
//!
//! `"\ud83d"` alone is not Unicode text, so a strict parser refuses the whole message. Refusing a didChange would leave
//! the document behind the editor for good; replacing the lone half by U+FFFD keeps every UTF-16 position right,
//! because both are one code unit.

use std::borrow::Cow;

/// `json` with each escape of a lone surrogate replaced by `\ufffd`.
pub(super) fn replace_lone_surrogates(json: &str) -> Cow<'_, str> {
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + found;
        let Some(unit) = code_unit(json, escape) else {
            // Another escape: skip the escaped character, which may itself be a backslash.
            let escaped = json.get(escape + 1..).and_then(|rest| rest.chars().next());
            at = escape + 1 + escaped.map_or(0, char::len_utf8);
            continue;
        };
        at = escape + 6;
        let lone = match unit {
            0xD800..=0xDBFF => match code_unit(json, at) {
                Some(0xDC00..=0xDFFF) => {
                    at += 6;
                    false
                }
                _ => true,
            },
            0xDC00..=0xDFFF => true,
            _ => false,
        };
        if lone {
            repaired.push_str(json.get(copied..escape).unwrap_or_default());
            repaired.push_str("\\ufffd");
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    repaired.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(repaired)
}

/// The UTF-16 code unit of the escape `\uXXXX` at `at`.
fn code_unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::replace_lone_surrogates;

    #[test]
    fn only_lone_halves_are_replaced() {
        for (json, repaired) in [
            (r#""\ud83d\ude00 é \n""#, r#""\ud83d\ude00 é \n""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ude00\ud83dx""#, r#""\ufffd\ufffdx""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d \"""#, r#""\\ud83d \"""#),
            (r#""\ud83"#, r#""\ud83"#),
        ] {
            assert_eq!(replace_lone_surrogates(json), repaired);
        }
    }
}
