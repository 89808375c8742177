//! Our own Python, which is read once for all analyses: its text never changes.

use std::sync::{Arc, LazyLock, RwLock};

use tree_sitter_cute::script::Script;

use crate::hash::HashMap;

/// The place of a text in the program, and its length.
type Place = (usize, usize);

/// The texts that were read.
static READ: LazyLock<RwLock<HashMap<Place, Arc<Script>>>> = LazyLock::new(RwLock::default);

/// A text of ours, as it was read when it was requested first.
pub(super) fn script_of(text: &'static str) -> Arc<Script> {
    let place = (text.as_ptr().addr(), text.len());
    if let Ok(read) = READ.read()
        && let Some(script) = read.get(&place)
    {
        return Arc::clone(script);
    }
    let script = Arc::new(Script::read(text));
    if let Ok(mut read) = READ.write() {
        read.insert(place, Arc::clone(&script));
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_once() {
        let text = "def f():\n    return 1\n";
        assert!(Arc::ptr_eq(&script_of(text), &script_of(text)));
        assert_eq!(*script_of(text), Script::read(text));
        assert!(!Arc::ptr_eq(&script_of(text), &script_of(&text[..3])));
    }
}
