//! Pages of the documentation that tests write: the part between two marks of a page is one test's.

use std::path::Path;

/// Prints a part of `docs/PAGE`; with `UPDATE_DOCS` set it replaces the text between `<!-- NAME -->` and
/// `<!-- end of NAME -->`.
///
/// # Panics
/// When the page is not there or does not have the marks.
pub fn print(page: &str, name: &str, text: &str) {
    println!("{text}");
    if std::env::var_os("UPDATE_DOCS").is_none() {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(page);
    let old = std::fs::read_to_string(&path).expect("a page of the documentation");
    let new = replaced(&old, name, text).expect("the marks of the part");
    std::fs::write(path, new).expect("the page can be written");
}

fn replaced(page: &str, name: &str, text: &str) -> Option<String> {
    let (begin, end) = (
        format!("<!-- {name} -->\n"),
        format!("<!-- end of {name} -->"),
    );
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!(
        "{before}{begin}\n{}\n\n{end}{after}",
        text.trim_end()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n";
        let once = replaced(page, "x", "new\n").expect("the marks");
        assert_eq!(once, "a\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nb\n");
        assert_eq!(replaced(&once, "x", "new").as_ref(), Some(&once));
        assert_eq!(replaced(page, "y", "new"), None);
    }
}
