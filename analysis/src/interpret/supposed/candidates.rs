//! Suppositions about template parameters, from their names and from the values that the template compares them with:
//! the arguments to try, as a source writes them, the likeliest first.

use std::collections::BTreeSet;

use tree_sitter_cute::tree::{
    BinaryOp, Binding, Expr, ExprKind, Item, ItemKind, Path, TemplateParam,
};

use crate::hash::HashMap;
use crate::walk;

/// Evidence in a template about its parameters.
#[derive(Debug, Default)]
pub(super) struct Witnesses<'u> {
    /// Numbers that they are compared with.
    numbers: HashMap<&'u str, Vec<i64>>,
    /// Types that they are compared with.
    types: HashMap<&'u str, Vec<&'u Expr>>,
    /// The members of a parameter that is a class.
    members: HashMap<&'u str, BTreeSet<&'u str>>,
    /// Names that are a parameter: `using Element = Element_;`.
    aliases: HashMap<&'u str, &'u str>,
}

impl<'u> Witnesses<'u> {
    /// Evidence about the parameters in the members of a class, or in the statements of a function.
    pub(super) fn of(tparams: &'u [TemplateParam], items: &'u [Item]) -> Self {
        let mut found = Self::default();
        for name in tparams.iter().filter_map(|tparam| tparam.name.as_ref()) {
            found.aliases.insert(&name.name, &name.name);
        }
        walk::items(items, &mut |item| {
            if let ItemKind::Binding(binding) = &item.kind {
                found.note_alias(binding);
            }
        });
        walk::expressions(items, &mut |expr| found.note(expr));
        found
    }

    fn note_alias(&mut self, binding: &'u Binding) {
        let Some(name) = &binding.name else {
            return;
        };
        let meant = binding.init.as_ref().and_then(Expr::as_plain_name);
        if let Some(parameter) = meant.and_then(|meant| self.aliases.get(meant).copied()) {
            self.aliases.entry(&name.name).or_insert(parameter);
        }
    }

    fn note(&mut self, expr: &'u Expr) {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Eq, left, right) => {
                for (side, other) in [(left, right), (right, left)] {
                    if let (Some(parameter), ExprKind::Int(number)) =
                        (self.parameter(side), &other.kind)
                    {
                        self.numbers.entry(parameter).or_default().push(*number);
                    }
                }
            }
            ExprKind::Name(path) => self.note_path(path),
            _ => {}
        }
    }

    fn note_path(&mut self, path: &'u Path) {
        if let [first, second, ..] = path.segments.as_slice()
            && first.args.is_none()
            && let Some(parameter) = self.aliases.get(first.name.name.as_str())
        {
            let members = self.members.entry(parameter).or_default();
            members.insert(&second.name.name);
        }
        for segment in &path.segments {
            let is_comparison = matches!(segment.name.name.as_str(), "is_same" | "is_same_v");
            if let (true, Some([one, other])) = (is_comparison, segment.args.as_deref())
                && let Some(parameter) = self.parameter(one)
                && !self.names_parameter(other)
            {
                self.types.entry(parameter).or_default().push(other);
            }
        }
    }

    /// The parameter that an expression is.
    fn parameter(&self, expr: &Expr) -> Option<&'u str> {
        self.aliases.get(expr.as_plain_name()?).copied()
    }

    fn names_parameter(&self, expr: &Expr) -> bool {
        let mut any = false;
        walk::subexpressions(expr, &mut |part| {
            let first = part.as_path().and_then(|path| path.segments.first());
            any |= first.is_some_and(|first| self.aliases.contains_key(first.name.name.as_str()));
        });
        any
    }

    /// The members that a parameter has to have.
    pub(super) fn members_of(&self, parameter: &str) -> Option<&BTreeSet<&'u str>> {
        self.members.get(parameter)
    }

    /// The types that a parameter is compared with.
    pub(super) fn types_of(&self, parameter: &str) -> &[&'u Expr] {
        self.types.get(parameter).map_or(&[], Vec::as_slice)
    }

    /// The numbers to try for a parameter.
    pub(super) fn numbers_for(&self, parameter: &str) -> Vec<i64> {
        let compared = self.numbers.get(parameter).map_or(&[][..], Vec::as_slice);
        let likely = number_named(&words(parameter));
        let mut numbers: Vec<i64> = Vec::new();
        if let Some(likely) =
            likely.filter(|likely| compared.is_empty() || compared.contains(likely))
        {
            numbers.push(likely);
        }
        numbers.extend(compared.iter().rev());
        numbers.extend(likely);
        numbers.extend(OTHER_NUMBERS);
        let mut met = BTreeSet::new();
        numbers.retain(|number| met.insert(*number));
        numbers
    }

    /// The names by which a parameter is known in the template.
    pub(super) fn names_of(&self, parameter: &str) -> impl Iterator<Item = &'u str> {
        let of = self.aliases.iter();
        of.filter(move |(_, meant)| **meant == parameter)
            .map(|(name, _)| *name)
    }
}

/// Numbers that are tried for a parameter whose name says nothing, or does not satisfy the assertions.
const OTHER_NUMBERS: [i64; 9] = [8, 128, 64, 1, 32, 16, 256, 4, 2];

/// The words of a name in lower case: `kBlockM` is `k`, `block`, `m`; `NUM_THREADS` is `num`, `threads`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        let begins = character == '_'
            || (character.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()));
        if begins {
            words.push(String::new());
        }
        if character != '_'
            && let Some(last) = words.last_mut()
        {
            last.extend(character.to_lowercase());
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether one of some words is among those of a name.
fn says(words: &[String], any: &[&str]) -> bool {
    words.iter().any(|word| any.contains(&word.as_str()))
}

/// The number that a name suggests.
fn number_named(words: &[String]) -> Option<i64> {
    let all = words.concat();
    if says(words, &["stage", "stages", "pipe", "pipeline"]) {
        return Some(2);
    }
    if says(words, &["warp", "warps", "nwarps"]) {
        return Some(4);
    }
    if says(words, &["thread", "threads", "nthreads"]) {
        return Some(128);
    }
    if says(words, &["cluster", "split", "splits"]) {
        return Some(1);
    }
    if all.contains("headdim") || says(words, &["hdim", "dim", "d", "dqk", "dv"]) {
        return Some(128);
    }
    if says(words, &["bits"]) {
        return Some(16);
    }
    if says(
        words,
        &["vec", "elem", "elems", "per", "align", "alignment", "width"],
    ) {
        return Some(8);
    }
    if says(words, &["rank", "dims", "ndim"]) {
        return Some(2);
    }
    let last = words.last()?;
    match last.as_str() {
        "m" | "bm" | "blockm" | "tilem" | "size" | "length" | "block" | "tile" => Some(128),
        "n" | "bn" | "blockn" | "tilen" => Some(64),
        "k" | "bk" | "blockk" | "tilek" if words.len() > 1 || last != "k" => Some(64),
        _ => None,
    }
}

/// The type that a name suggests. `arch` is the architecture that names around it say.
pub(super) fn types_named(name: &str, arch: Option<u32>) -> &'static [&'static str] {
    let words = words(name);
    let says = |any: &[&str]| says(&words, any);
    if says(&["shape"]) || (says(&["tile", "tiler"]) && says(&["mnk", "mn"])) {
        return shape_named(&words);
    }
    if says(&["stride"]) {
        return &["cute::Stride<int64_t, cute::_1, int64_t>"];
    }
    if says(&["tiled"]) && says(&["mma"]) {
        return &[
            "cute::TiledMMA<cute::MMA_Atom<cute::SM80_16x8x16_F32F16F16F32_TN>, cute::Layout<cute::Shape<cute::_4, cute::_1, cute::_1>>>",
        ];
    }
    if says(&["smem", "gmem"]) && says(&["layout"]) {
        return &[
            "cute::Layout<cute::Shape<cute::_128, cute::_64>, cute::Stride<cute::_64, cute::_1>>",
        ];
    }
    if says(&["arch"]) {
        return match arch {
            Some(90) => &["cutlass::arch::Sm90"],
            Some(100) => &["cutlass::arch::Sm100"],
            Some(120) => &["cutlass::arch::Sm120"],
            _ => &["cutlass::arch::Sm80"],
        };
    }
    if says(&[
        "accumulator",
        "accum",
        "qk",
        "pv",
        "acc",
        "compute",
        "scale",
        "lse",
        "softmax",
    ]) {
        return &["float", "cutlass::half_t"];
    }
    if says(&["index", "idx"]) {
        return &["int"];
    }
    let is_element = says(&[
        "element", "elem", "dtype", "type", "scalar", "input", "output", "data", "t", "ta", "tb",
        "tc",
    ]);
    if is_element {
        return &[
            "cutlass::half_t",
            "float",
            "cutlass::bfloat16_t",
            "cutlass::float_e4m3_t",
        ];
    }
    &[]
}

fn shape_named(words: &[String]) -> &'static [&'static str] {
    if says(words, &["cluster", "thread"]) {
        return &["cute::Shape<cute::_1, cute::_1, cute::_1>"];
    }
    if says(words, &["problem"]) {
        return &["cute::Shape<int, int, int, int>"];
    }
    &[
        "cute::Shape<cute::_128, cute::_128, cute::_64>",
        "cute::Shape<cute::_128, cute::_64, cute::_64>",
        "cute::Shape<cute::_256, cute::_128, cute::_128>",
        "cute::Shape<cute::_128, cute::_64>",
    ]
}

/// The architecture that a name of a file, a namespace or a class says: `sm90_epilogue`, `Sm100FmhaFwd`.
pub(super) fn architecture_in(name: &str) -> Option<u32> {
    let lower = name.to_ascii_lowercase();
    let (_, behind) = lower.split_once("sm")?;
    let digits = behind.find(|c: char| !c.is_ascii_digit());
    let digits = behind.get(..digits.unwrap_or(behind.len()))?;
    digits.parse().ok().filter(|number| *number >= 70)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        assert_eq!(words("kBlockM"), ["k", "block", "m"]);
        assert_eq!(words("NUM_THREADS"), ["num", "threads"]);
        assert_eq!(words("ElementAccumulator_"), ["element", "accumulator"]);
        assert_eq!(words("TileShape_MNK"), ["tile", "shape", "mnk"]);
    }

    #[test]
    fn names_suggest_numbers() {
        let of = |name: &str| number_named(&words(name));
        assert_eq!(of("kHeadDim"), Some(128));
        assert_eq!(of("kNWarps"), Some(4));
        assert_eq!(of("kStages"), Some(2));
        assert_eq!(of("Foo"), None);
    }

    #[test]
    fn names_suggest_types() {
        assert_eq!(
            types_named("ElementAccumulator_", None).first(),
            Some(&"float")
        );
        assert_eq!(
            types_named("Element_", None).first(),
            Some(&"cutlass::half_t")
        );
        assert!(types_named("Mask_", None).is_empty());
    }

    #[test]
    fn names_say_architectures() {
        assert_eq!(architecture_in("Sm100FmhaFwd"), Some(100));
        assert_eq!(architecture_in("sm90_epilogue.hpp"), Some(90));
        assert_eq!(architecture_in("smem.hpp"), None);
    }
}
