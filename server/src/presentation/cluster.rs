//! The CTAs of a cluster as a grid.

use cute_algebra::{Int, Layout};

/// Rows and columns of a first screen.
const WIDEST: i64 = 16;

/// The cluster, rows along M (and within them the CTAs that work together on one MMA) and columns along
/// N: `#` for the CTAs of a set, `.` for the others. Nothing where it has another form.
pub(super) fn picture(cluster: &Layout, ctas: &[i64]) -> Vec<String> {
    let extents: Option<Vec<i64>> = cluster
        .shape()
        .modes()
        .map(|mode| mode.size().ok().as_ref().and_then(Int::value))
        .collect();
    let Some([group, rows, columns, 1]) = extents.as_deref() else {
        return Vec::new();
    };
    let (height, width) = (group * rows, *columns);
    if height > WIDEST || width > WIDEST || height * width < 2 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for row in 0..height {
        let mut line = String::new();
        for column in 0..width {
            let cta = cluster.eval_number(row + column * height).unwrap_or(-1);
            line.push(if ctas.contains(&cta) { '#' } else { '.' });
            line.push(' ');
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multicast_along_n_is_a_row() {
        let cluster: Layout = "((_2),_2,_4,_1):((_1),_2,_4,_0)".parse().unwrap();
        assert_eq!(
            picture(&cluster, &[0, 4, 8, 12]),
            ["# # # #", ". . . .", ". . . .", ". . . ."]
        );
        assert_eq!(
            picture(&cluster, &[0, 2]),
            ["# . . .", ". . . .", "# . . .", ". . . ."]
        );
    }

    #[test]
    fn a_cluster_of_one_has_no_picture() {
        let cluster: Layout = "(_1,_1,_1,_1):(_0,_0,_0,_0)".parse().unwrap();
        assert!(picture(&cluster, &[0]).is_empty());
    }
}
