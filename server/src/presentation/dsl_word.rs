//! The function of the CuTe DSL that is named at a place: `cute.make_tiled_copy_tv`.

use cute_analysis::{name_in_dsl, parameters_of_dsl};
use tree_sitter_cute::script::Script;
use tree_sitter_cute::tree::Span;

use super::reference;

/// The place of the name, and a line about the function: its parameters and a sentence.
pub fn said(text: &str, byte: usize) -> Option<(Span, String)> {
    let of_name = |it: char| it == '_' || it.is_alphanumeric();
    let (before, behind) = (text.get(..byte)?, text.get(byte..)?);
    let end = byte + behind.find(|it| !of_name(it)).unwrap_or(behind.len());
    let start = before.rfind(|it| !of_name(it)).map_or(0, |at| at + 1);
    let path = before.rfind(|it| !(of_name(it) || it == '.'));
    let path: Vec<&str> = text
        .get(path.map_or(0, |at| at + 1)..end)?
        .split('.')
        .collect();
    let script = Script::read(&imports(text));
    let dotted = name_in_dsl(&script, &path)?;
    // A function that the DSL writes in Python may be one of CuTe, too.
    let of_cpp = || {
        let (last, parameters) = (path.last()?, parameters_of_dsl(&script, &path)?);
        let entry = reference::of(last).next()?;
        let parameters = parameters.join(", ");
        Some(format!(
            "{last}({parameters}): {}",
            entry.sentence_and_source()
        ))
    };
    let line = reference::line_in_python(&dotted).or_else(of_cpp)?;
    Some((Span::new(start, end), line))
}

/// The imports of a module, without the code around them: names mean what they say.
fn imports(text: &str) -> String {
    let mut found = String::new();
    let mut is_open = false;
    for line in text.lines() {
        let written = line.trim_start();
        let begins = written.starts_with("import ") || written.starts_with("from ");
        if !(begins || is_open) {
            continue;
        }
        is_open = (is_open || written.contains('(')) && !written.contains(')');
        found.push_str(written);
        found.push('\n');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: &str) -> Option<String> {
        let text = format!(
            "import cutlass\nimport cutlass.cute as cute\nfrom cutlass.cute import (\n    make_layout,\n)\ndef f(x):\n    {line}\n"
        );
        let byte = text.find('|').expect("a cursor");
        said(&text.replacen('|', "", 1), byte).map(|(_, line)| line)
    }

    #[test]
    fn a_name_of_the_dsl_says_what_it_does() {
        let copy = at("y = cute.make_tiled|_copy_tv(a, t, v)").unwrap_or_default();
        assert!(
            copy.starts_with("make_tiled_copy_tv(atom, thr_layout, val_layout): "),
            "{copy}"
        );
        let wait = at("cute.arch.mbarrier_w|ait(b, 0)");
        assert_eq!(
            wait.as_deref(),
            Some("mbarrier_wait(mbar_ptr, phase): waits until a phase of a barrier is complete")
        );
        let tuple = at("y = cute.repeat_l|ike(x, t)").unwrap_or_default();
        assert!(tuple.starts_with("repeat_like(x, target): "), "{tuple}");
        assert!(at("y = make_lay|out(x)").is_some_and(|line| line.starts_with("make_layout(")));
    }

    #[test]
    fn other_names_say_nothing() {
        for line in [
            "y = x.make_lay|out(1)",
            "y = cu|te.size(x)",
            "y = make|(1)",
            "y = |",
        ] {
            assert_eq!(at(line), None, "{line}");
        }
    }
}
