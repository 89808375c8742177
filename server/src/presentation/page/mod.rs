//! The page of a layout: a picture that answers, in a browser or in an editor's panel.
//!
//! One self-contained HTML document: no framework, no network, and a content security policy that
//! runs this script only. `draw -o x.html` writes it, and an editor's panel shows the same through `cute/picture`. Its
//! numbers were computed here ([`Document`]); the script shows and links them.

mod document;
mod phases;

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::picture::colours;
pub use document::{Document, Shown, SourcePlace};
pub use phases::Copied;

/// The page's parts; `@NAME@` is a place for a text.
const HTML: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("document.js"),
    include_str!("model.js"),
    include_str!("state.js"),
    include_str!("links.js"),
    include_str!("tables.js"),
    include_str!("access.js"),
    include_str!("choices.js"),
    include_str!("paint.js"),
    include_str!("view.js"),
    include_str!("page.js"),
    "})();\n"
);

/// The page of one document, or of two that are compared.
///
/// Only a script with the `nonce` runs in it, and nothing is loaded.
pub fn render(documents: &[Document], nonce: &str) -> serde_json::Result<String> {
    let name = documents
        .iter()
        .map(|document| document.name.as_str())
        .collect::<Vec<_>>()
        .join(" | ");
    // Inside of an element `script` no `<` may be, as it could end the element.
    let data = serde_json::to_string(documents)?.replace('<', "\\u003c");
    let nonce: String = nonce.chars().filter(char::is_ascii_alphanumeric).collect();
    let mut page = String::with_capacity(HTML.len() + STYLE.len() + SCRIPT.len() + data.len());
    for (index, part) in HTML.split('@').enumerate() {
        match part {
            _ if index % 2 == 0 => page.push_str(part),
            "TITLE" => page.push_str(&escaped(&name)),
            "NONCE" => page.push_str(&nonce),
            "COLOURS" => page.push_str(&palette()),
            "STYLE" => page.push_str(STYLE),
            "DATA" => page.push_str(&data),
            "SCRIPT" => page.push_str(SCRIPT),
            other => page.push_str(other),
        }
    }
    Ok(page)
}

/// A nonce for a page that is written to a file: it depends on all that is in it, so that no
/// text in it can name it, and the same picture is the same file.
pub fn nonce_of(documents: &[Document]) -> serde_json::Result<String> {
    let text = serde_json::to_string(documents)?;
    let half = |salt: &str| {
        let mut hasher = DefaultHasher::new();
        (salt, &text).hash(&mut hasher);
        hasher.finish()
    };
    Ok(format!("{:016x}{:016x}", half("page"), half("of a layout")))
}

/// The colours of the pictures as custom properties, for light and for dark.
fn palette() -> String {
    let mut out = String::new();
    for (dark, selectors) in [
        (false, [":root", "body.vscode-light"]),
        (true, ["", "body.vscode-dark"]),
    ] {
        let mut rules = String::new();
        for (class, (fill, ink)) in colours(dark).into_iter().enumerate() {
            let _ = write!(rules, "--fill{class}:{fill};--ink{class}:{ink};");
        }
        if dark {
            let _ = writeln!(
                out,
                "@media (prefers-color-scheme:dark){{:root{{{rules}}}}}"
            );
        }
        for selector in selectors
            .into_iter()
            .filter(|selector| !selector.is_empty())
        {
            let _ = writeln!(out, "{selector}{{{rules}}}");
        }
    }
    out
}

/// Text as character data of HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use cute_algebra::AnyLayout;
    use cute_analysis::Value;

    use super::*;
    use crate::presentation::picture::{Window, of_value};

    fn document(layout: &str) -> Document {
        let layout: cute_algebra::Layout = layout.parse().unwrap();
        let value = Value::of_layout(AnyLayout::Affine(layout));
        let sheet = of_value(&value, Window::default()).unwrap();
        Document::new(&sheet, &value, "a </script><b>".to_owned())
    }

    #[test]
    fn every_placeholder_is_replaced() {
        let page = render(&[document("(4,3):(3,1)")], "abc").unwrap();
        for name in ["TITLE", "NONCE", "COLOURS", "STYLE", "DATA", "SCRIPT"] {
            assert!(!page.contains(&format!("@{name}@")), "{name}");
        }
        assert!(page.contains("--fill7:"), "{page}");
    }

    #[test]
    fn what_a_source_says_cannot_end_the_data_nor_name_a_nonce() {
        let page = render(&[document("(4,3):(3,1)")], "a\"b' c").unwrap();
        assert!(!page.contains("a </script>"));
        assert!(page.contains("'nonce-abc'"));
        assert!(page.contains("<title>a &lt;/script&gt;&lt;b&gt;</title>"));
    }

    #[test]
    fn the_nonce_of_a_file_depends_on_what_it_shows() {
        let one = nonce_of(&[document("(4,3):(3,1)")]).unwrap();
        assert_eq!(one.len(), 32);
        assert_eq!(one, nonce_of(&[document("(4,3):(3,1)")]).unwrap());
        assert_ne!(one, nonce_of(&[document("(4,3):(1,4)")]).unwrap());
    }

    #[test]
    fn nothing_is_loaded_and_no_handler_stands_in_the_markup() {
        for foreign in [
            "http:",
            "https:",
            "src=",
            "href=",
            "onclick",
            "innerHTML",
            "eval(",
        ] {
            assert!(!HTML.contains(foreign), "{foreign} in the page");
            assert!(!SCRIPT.contains(foreign), "{foreign} in the script");
        }
        assert!(!STYLE.contains("url("));
        assert!(!STYLE.contains("@import"));
    }
}
