//! The vocabulary of the CuTe DSL in Python: each `#=` of the sources in `python_dsl/` is what the DSL itself printed.

mod support;

use cute_algebra::{AnyLayout, Delta, Int, Layout, Outer, TupleView};
use cute_analysis::{Options, Value};
use support::analysed;
use tree_sitter_cute::Host;

fn int(int: &Int) -> String {
    int.as_static()
        .map_or_else(|| "?".to_owned(), |known| known.to_string())
}

fn step(step: &Delta) -> String {
    match step {
        Delta::Int(known) => int(known),
        Delta::Basis(basis) => {
            let path: Vec<String> = basis.path.iter().map(|mode| format!("@{mode}")).collect();
            // The DSL writes the innermost mode first.
            let path: String = path.into_iter().rev().collect();
            format!("{}{path}", int(&basis.value))
        }
        Delta::Xor(bits) => bits.to_string(),
    }
}

fn tuple<T>(view: TupleView<'_, T>, leaf: &dyn Fn(&T) -> String) -> String {
    if let Some(value) = view.as_leaf() {
        return leaf(value);
    }
    let modes: Vec<String> = view.modes().map(|mode| tuple(mode, leaf)).collect();
    format!("({})", modes.join(","))
}

fn affine(layout: &Layout) -> String {
    let shape = tuple(layout.shape().view(), &int);
    format!("{shape}:{}", tuple(layout.stride_view(), &step))
}

fn layout(layout: &AnyLayout) -> String {
    match layout {
        AnyLayout::Affine(layout) => affine(layout),
        AnyLayout::Composed(composed) => {
            let outer = match &composed.outer {
                Outer::Swizzle(swizzle) => swizzle.to_string().replace("Sw<", "S<"),
                Outer::Layout(layout) => affine(layout),
            };
            let offset = tuple(composed.offset.view(), &int);
            format!("{outer} o {offset} o {}", affine(&composed.inner))
        }
    }
}

/// A value as the DSL prints its layout or its numbers.
fn printed(value: &Value) -> String {
    match value {
        Value::Int(known) => int(known),
        Value::Tuple(items) => {
            let items: Vec<String> = items.iter().map(printed).collect();
            format!("({})", items.join(","))
        }
        Value::Underscore | Value::Nothing => "_".to_owned(),
        Value::Swizzle(swizzle) => swizzle.to_string().replace("Sw<", "S<"),
        Value::Tensor(tensor) => layout(&tensor.layout),
        other => match other.as_any_layout() {
            Some(known) => layout(&known),
            None => other.to_string(),
        },
    }
}

/// Compares each value that a source tells of with what is known of it; how many there are.
fn check(text: &str) -> usize {
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let analysis = analysed(text, &options);
    let (mut count, mut start) = (0, 0);
    let mut wrong = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let told = line.split_once("  #= ").map_or("", |(_, told)| told.trim());
        for (name, expected) in told.split(" | ").filter_map(|it| it.split_once(' ')) {
            count += 1;
            let of_line = |at: usize| (start..end).contains(&at);
            let fact = analysis
                .facts
                .iter()
                .find(|fact| of_line(fact.name_span.start) && *fact.name == *name);
            let known = fact.map_or_else(|| "nothing".to_owned(), |fact| printed(&fact.value));
            if known != expected {
                wrong.push(format!("{name}\n   DSL {expected}\n  here {known}"));
            }
        }
        start = end;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    count
}

macro_rules! sources {
    ($($name:ident $count:literal)*) => {
        $(
            #[test]
            fn $name() {
                let text = include_str!(concat!("python_dsl/", stringify!($name), ".py"));
                assert_eq!(check(text), $count);
            }
        )*
    };
}

sources! {
    algebra 45
    atoms 35
    warpgroup 14
    tcgen05 30
    mma_tiles 14
    registers 24
    simt 39
    swizzled_parts 45
    hopper 43
    blackwell 42
    block_scaled 14
    scale_factors 26
    experimental 9
    boxes 13
    remapped 5
    partition 7
}
