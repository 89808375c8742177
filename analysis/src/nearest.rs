//! The name that was meant by one that is written wrong.

use strsim::osa_distance;

/// Letters by which a name may differ from the one that was meant.
const DIFFERENCE: usize = 2;

/// The name among others that is written most like one, where one is.
pub(crate) fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let distances = known
        .iter()
        .map(|other| (osa_distance(name, other), *other));
    let (count, near) = distances.min_by_key(|(count, _)| *count)?;
    (count <= DIFFERENCE && count < name.chars().count()).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_name_is_the_one_that_a_slip_of_the_hand_makes() {
        assert_eq!(nearest("strides", &["shape", "stride"]), Some("stride"));
        assert_eq!(nearest("vmkn", &["shape", "vmnk"]), Some("vmnk"));
        assert_eq!(nearest("axis", &["input", "mode"]), None);
        assert_eq!(nearest("x", &["y"]), None);
    }
}
