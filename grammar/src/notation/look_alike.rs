//! Characters that look like those of the notation: those that an input method, a PDF or a word processor puts in their
//! place.

/// The mark of the notation that a character looks like.
pub(super) fn mark(c: char) -> Option<char> {
    let mark = match c {
        // Full-width forms, one for each printable character of ASCII.
        '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0)?,
        '\u{2236}' | '\u{a789}' | '\u{fe55}' | '\u{fe13}' | '\u{2d0}' | '\u{5c3}' => ':',
        '\u{60c}' | '\u{201a}' | '\u{3001}' | '\u{fe50}' | '\u{fe51}' => ',',
        '\u{37e}' | '\u{fe54}' => ';',
        '\u{207d}' | '\u{2768}' | '\u{fe59}' | '\u{2e28}' => '(',
        '\u{207e}' | '\u{2769}' | '\u{fe5a}' | '\u{2e29}' => ')',
        '\u{2039}' | '\u{2329}' | '\u{276e}' | '\u{27e8}' | '\u{3008}' => '<',
        '\u{203a}' | '\u{232a}' | '\u{276f}' | '\u{27e9}' | '\u{3009}' => '>',
        '\u{27e6}' | '\u{3010}' | '\u{301a}' => '[',
        '\u{27e7}' | '\u{3011}' | '\u{301b}' => ']',
        '\u{fe5b}' => '{',
        '\u{fe5c}' => '}',
        '\u{fe6b}' => '@',
        '\u{d7}' | '\u{22c5}' | '\u{2217}' | '\u{2219}' | '\u{fe61}' => '*',
        '\u{f7}' | '\u{2044}' | '\u{2215}' | '\u{29f8}' => '/',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' => '-',
        '\u{fe62}' => '+',
        '\u{25e6}' | '\u{26ac}' => '\u{2218}',
        '\u{d8}' | '\u{f8}' | '\u{2205}' | '\u{2300}' => '\u{2298}',
        '\u{2a02}' | '\u{2a37}' => '\u{2297}',
        _ => return None,
    };
    Some(mark)
}

/// The letter or digit of ASCII that a character looks like.
pub(super) fn letter(c: char) -> Option<char> {
    let letter = match c {
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            char::from_u32(u32::from(c) - 0xfee0)?
        }
        // Greek and Cyrillic letters drawn as Latin ones.
        '\u{391}' | '\u{410}' => 'A',
        '\u{392}' | '\u{412}' => 'B',
        '\u{421}' => 'C',
        '\u{395}' | '\u{415}' => 'E',
        '\u{397}' | '\u{41d}' => 'H',
        '\u{399}' | '\u{406}' => 'I',
        '\u{408}' => 'J',
        '\u{39a}' | '\u{41a}' => 'K',
        '\u{39c}' | '\u{41c}' => 'M',
        '\u{39d}' => 'N',
        '\u{39f}' | '\u{41e}' => 'O',
        '\u{3a1}' | '\u{420}' => 'P',
        '\u{405}' => 'S',
        '\u{3a4}' | '\u{422}' => 'T',
        '\u{3a7}' | '\u{425}' => 'X',
        '\u{3a5}' => 'Y',
        '\u{396}' => 'Z',
        '\u{430}' => 'a',
        '\u{441}' => 'c',
        '\u{435}' => 'e',
        '\u{3bf}' | '\u{43e}' => 'o',
        '\u{440}' => 'p',
        '\u{445}' => 'x',
        _ => return None,
    };
    Some(letter)
}

/// Whether a character takes no room on the screen, so that no one sees it.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_width_forms_are_their_ascii_counterparts() {
        let marks = "\u{ff08}\u{ff1a}\u{ff0c}\u{ff09}\u{ff20}\u{ff3b}\u{ff5d}";
        assert_eq!(
            marks.chars().filter_map(mark).collect::<String>(),
            "(:,)@[}"
        );
        let letters = "\u{ff11}\u{ff2d}\u{ff4f}";
        assert_eq!(
            letters.chars().filter_map(letter).collect::<String>(),
            "1Mo"
        );
    }

    #[test]
    fn no_character_of_the_notation_is_a_look_alike() {
        let notation = (' '..='~').chain(['\u{2218}', '\u{2298}', '\u{2297}']);
        assert!(
            notation
                .filter(|c| mark(*c).is_some() || letter(*c).is_some() || is_invisible(*c))
                .eq([])
        );
    }
}
