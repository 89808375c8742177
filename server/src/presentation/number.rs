//! Numbers as people read them.

/// `98432` as `98,432`.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::new();
    if number < 0 {
        text.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 stage`, `1,024 stages`.
pub fn counted(count: i64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// `2x1x1`.
pub fn extents(extents: &[i64]) -> String {
    let extents: Vec<String> = extents.iter().map(ToString::to_string).collect();
    extents.join("x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let texts: Vec<String> = [0, 999, 1_000, 98_432, 1_234_567, -1_000]
            .into_iter()
            .map(grouped)
            .collect();
        assert_eq!(
            texts,
            ["0", "999", "1,000", "98,432", "1,234,567", "-1,000"]
        );
    }
}
