//! One layout in four spellings.

use std::fs;

use tempfile::TempDir;

use crate::ask::ask;

/// The layout as C++, Rust, Python and the notation write it: a file, its text, and the place of the
/// name or literal.
const SPELLINGS: [(&str, &str, &str); 4] = [
    (
        "tile.cu",
        "#include <cute/tensor.hpp>\nusing namespace cute;\n\
         auto tile = make_layout(make_shape(make_shape(_2{}, _2{}), _4{}),\n\
         \x20                       make_stride(make_stride(_1{}, _8{}), _2{}));\n",
        "3:6",
    ),
    (
        "tile.rs",
        "use cute_algebra::layout;\n\nfn kernel() {\n    \
         let tile = layout!(((2, 2), 4) : ((1, 8), 2));\n}\n",
        "4:9",
    ),
    (
        "tile.py",
        "import cutlass.cute as cute\n\n\
         tile = cute.make_layout(((2, 2), 4), stride=((1, 8), 2))\n",
        "3:1",
    ),
    (
        "literal.py",
        "# As CuTe prints it: ((_2,_2),_4):((_1,_8),_2)\n",
        "1:30",
    ),
];

#[test]
fn one_layout_has_one_hover_however_it_is_written() {
    let folder = TempDir::new().unwrap();
    let [cpp, others @ ..] = SPELLINGS.map(|(name, text, place)| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let place = format!("{}:{place}", path.display());
        let hover = ask(&["hover", &place]).ends_with(0).stdout;
        // Before the colon is what it is called.
        let (_, said) = hover.split_once(": Layout").expect("a name and what it is");
        // In Python the value is in the DSL's words, which have no underscores.
        if path.extension().is_some_and(|ending| ending == "py") {
            return said.replacen("((2,2),4):((1,8),2)", "((_2,_2),_4):((_1,_8),_2)", 1);
        }
        said.to_owned()
    });
    assert!(
        cpp.starts_with(", known at compile time\n((_2,_2),_4):((_1,_8),_2)\n"),
        "{cpp}"
    );
    for other in others {
        assert_eq!(other, cpp);
    }
}
