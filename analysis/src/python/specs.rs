//! The formats of numbers and texts: `{:>8}`, `{:#x}`, `{:.2f}`.

/// Characters of one value.
const WIDTH: usize = 256;

/// A format.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spec {
    fill: char,
    align: Option<char>,
    sign: Option<char>,
    /// `#`
    is_marked: bool,
    width: usize,
    group: Option<char>,
    precision: Option<usize>,
    /// The letter at the end.
    kind: Option<char>,
}

impl Spec {
    /// The format of a text; nothing where it is not one that is known.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut rest: Vec<char> = text.chars().collect();
        let mut spec = Self {
            fill: ' ',
            align: None,
            sign: None,
            is_marked: false,
            width: 0,
            group: None,
            precision: None,
            kind: None,
        };
        let is_align = |letter: &char| matches!(letter, '<' | '>' | '^' | '=');
        if rest.get(1).is_some_and(is_align) {
            spec.fill = rest.remove(0);
            spec.align = Some(rest.remove(0));
        } else if rest.first().is_some_and(is_align) {
            spec.align = Some(rest.remove(0));
        }
        let mut rest = rest.into_iter().peekable();
        spec.sign = rest.next_if(|it| matches!(it, '+' | '-' | ' '));
        spec.is_marked = rest.next_if_eq(&'#').is_some();
        if rest.next_if_eq(&'0').is_some() && spec.align.is_none() {
            (spec.fill, spec.align) = ('0', Some('='));
        }
        let number = |rest: &mut std::iter::Peekable<std::vec::IntoIter<char>>| {
            let mut digits = String::new();
            while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            match digits.is_empty() {
                true => Some(None),
                false => digits.parse().ok().filter(|it| *it <= WIDTH).map(Some),
            }
        };
        spec.width = number(&mut rest)?.unwrap_or(0);
        spec.group = rest.next_if(|it| matches!(it, ',' | '_'));
        if rest.next_if_eq(&'.').is_some() {
            spec.precision = Some(number(&mut rest)??);
        }
        spec.kind = rest.next();
        rest.next().is_none().then_some(spec)
    }

    /// A text in this format.
    pub(super) fn text(&self, text: &str) -> Option<String> {
        if !matches!(self.kind, None | Some('s')) || self.sign.is_some() || self.group.is_some() {
            return None;
        }
        let text: String = match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_owned(),
        };
        (self.align != Some('=')).then(|| self.padded("", &text, '<'))
    }

    /// An integer in this format.
    pub(super) fn integer(&self, number: i64) -> Option<String> {
        let size = number.unsigned_abs();
        let (mark, digits) = match self.kind {
            None | Some('d' | 'n') => ("", size.to_string()),
            Some('b') => ("0b", format!("{size:b}")),
            Some('o') => ("0o", format!("{size:o}")),
            Some('x') => ("0x", format!("{size:x}")),
            Some('X') => ("0X", format!("{size:X}")),
            Some('c') => ("", char::from_u32(u32::try_from(number).ok()?)?.to_string()),
            #[allow(clippy::cast_precision_loss)] // As Python converts.
            Some(_) => return self.float(number as f64),
        };
        if self.precision.is_some() {
            return None;
        }
        let mark = if self.is_marked { mark } else { "" };
        let each = if matches!(self.kind, None | Some('d' | 'n')) {
            3
        } else {
            4
        };
        let digits = self.grouped(&digits, each);
        let sign = self.sign_of(number < 0);
        Some(self.padded(&format!("{sign}{mark}"), &digits, '>'))
    }

    /// A floating-point number in this format.
    pub(super) fn float(&self, number: f64) -> Option<String> {
        let size = number.abs();
        let digits = match self.kind {
            _ if !size.is_finite() => {
                let text = if size.is_nan() { "nan" } else { "inf" };
                text.to_owned()
            }
            Some('f' | 'F') => format!("{size:.*}", self.precision.unwrap_or(6)),
            Some('%') => format!("{:.*}%", self.precision.unwrap_or(6), size * 100.0),
            Some('e' | 'E') => exponent(size, self.precision.unwrap_or(6)),
            Some('g' | 'G') => general(size, self.precision.unwrap_or(6).max(1)),
            None if self.precision.is_none() => shortest(size),
            _ => return None,
        };
        let digits = match self.kind {
            Some('F' | 'E' | 'G') => digits.to_uppercase(),
            _ => digits,
        };
        let whole = digits.find(|it: char| !it.is_ascii_digit());
        let (whole, rest) = digits.split_at(whole.unwrap_or(digits.len()));
        let digits = self.grouped(whole, 3) + rest;
        let sign = self.sign_of(number.is_sign_negative());
        Some(self.padded(&sign, &digits, '>'))
    }

    fn sign_of(&self, is_negative: bool) -> String {
        match (is_negative, self.sign) {
            (true, _) => "-".to_owned(),
            (false, Some(sign @ ('+' | ' '))) => sign.to_string(),
            _ => String::new(),
        }
    }

    fn grouped(&self, digits: &str, each: usize) -> String {
        let Some(group) = self.group else {
            return digits.to_owned();
        };
        let mut grouped = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(each) {
                grouped.push(group);
            }
            grouped.push(digit);
        }
        grouped
    }

    fn padded(&self, front: &str, text: &str, usual: char) -> String {
        let length = front.chars().count() + text.chars().count();
        let missing = self.width.saturating_sub(length);
        let fill = |count: usize| self.fill.to_string().repeat(count);
        match self.align.unwrap_or(usual) {
            '<' => format!("{front}{text}{}", fill(missing)),
            '^' => {
                let left = missing / 2;
                format!("{}{front}{text}{}", fill(left), fill(missing - left))
            }
            '=' => format!("{front}{}{text}", fill(missing)),
            _ => format!("{}{front}{text}", fill(missing)),
        }
    }
}

/// A number with an exponent of at least two digits.
fn exponent(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// A number with `precision` digits, with an exponent where it is large or small.
fn general(number: f64, precision: usize) -> String {
    let scientific = exponent(number, precision - 1);
    let size: i64 = scientific
        .split_once('e')
        .and_then(|(_, size)| size.parse().ok())
        .unwrap_or(0);
    let digits = i64::try_from(precision).unwrap_or(i64::MAX);
    let trimmed = |text: &str| {
        let text = match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.'),
            false => text,
        };
        text.to_owned()
    };
    if number != 0.0 && (size < -4 || size >= digits) {
        let (text, size) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        return format!("{}e{size}", trimmed(text));
    }
    let behind = usize::try_from(digits - 1 - size).unwrap_or(0);
    trimmed(&format!("{number:.behind$}"))
}

/// A floating-point number as `repr` writes it.
pub(super) fn shortest(number: f64) -> String {
    let size = number.abs();
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        return format!("{number:?}");
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_written_as_python_writes_them() {
        let integer = |spec: &str, number| Spec::of(spec).and_then(|it| it.integer(number));
        let float = |spec: &str, number| Spec::of(spec).and_then(|it| it.float(number));
        for (made, wanted) in [
            (integer("04d", 5), "0005"),
            (integer("#x", 255), "0xff"),
            (integer("+08b", 5), "+0000101"),
            (integer(",", 1_234_567), "1,234,567"),
            (integer("*^7", -42), "**-42**"),
            (float(".2f", 1.23456), "1.23"),
            (float("%", 0.5), "50.000000%"),
            (float("e", 1.5e300), "1.500000e+300"),
            (float("g", 1e10), "1e+10"),
            (float("g", 0.0001), "0.0001"),
            (float("8.3", 2.0), ""),
            (Spec::of(">6").and_then(|it| it.text("ab")), "    ab"),
            (Spec::of(".1").and_then(|it| it.text("ab")), "a"),
        ] {
            assert_eq!(made.unwrap_or_default(), wanted);
        }
        assert_eq!([1e-7, 1e16, 12.0].map(shortest), ["1e-07", "1e+16", "12.0"]);
        assert_eq!(Spec::of("9999d"), None);
    }
}
