//! The grammar of operation names: `SM80_16x8x32_S32S8U8S32_TN_SATURATE`.

use crate::element::Element;
use crate::name::TemplateId;

/// A name, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operation<'a> {
    /// The generation: 70, 75, 80, 89, 90, 120.
    pub(super) generation: u16,
    /// Whether the name says `SPARSE`, in its scope or in itself.
    pub(super) sparse: bool,
    /// M, N, K.
    pub(super) shape: [i64; 3],
    /// The types, in order of the name; empty where they are template arguments.
    pub(super) types: Vec<Element>,
    /// The flags behind: `TN`, `SS`, `SATURATE`, ...
    pub(super) flags: Vec<&'a str>,
}

/// The spellings of types in operation names; a longer one before its prefixes.
const TYPES: [(&str, Element); 16] = [
    ("BF16", Element::Bf16),
    ("TF32", Element::Tf32),
    ("GC64", Element::GaussC64),
    ("C64", Element::C64),
    ("F16", Element::F16),
    ("F32", Element::F32),
    ("F64", Element::F64),
    ("S32", Element::S32),
    ("E4M3", Element::E4m3),
    ("E5M2", Element::E5m2),
    ("S8", Element::S8),
    ("U8", Element::U8),
    ("S4", Element::S4),
    ("U4", Element::U4),
    ("U1", Element::U1),
    ("S1", Element::U1),
];

impl<'a> Operation<'a> {
    /// Takes the name apart; `None` when it has no `MxNxK`.
    pub(super) fn read(id: &'a TemplateId) -> Option<Self> {
        let mut words = id.base().split('_').peekable();
        let mut sparse = id.scope().iter().any(|segment| segment == "SPARSE");
        let generation = match words.next()? {
            "MMA" | "GMMA" => id.scope().iter().find_map(|segment| generation(segment))?,
            word => generation(word)?,
        };
        if words.next_if_eq(&"SPARSE").is_some() {
            sparse = true;
        }
        let shape = extents(words.next()?)?;
        let types = words
            .peek()
            .and_then(|word| types(word))
            .unwrap_or_default();
        if !types.is_empty() {
            words.next();
        }
        Some(Operation {
            generation,
            sparse,
            shape,
            types,
            flags: words.collect(),
        })
    }

    /// Takes `flag` out of the flags, and says whether it was there.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}

/// The generation of a scope or of the first word of a name. `cute` opens `SM90`: `GMMA::MMA_64x64x16_F32F16F16_SS` is one
/// of its operations.
fn generation(word: &str) -> Option<u16> {
    match word {
        "GMMA" => Some(90),
        _ => word.strip_prefix("SM")?.parse().ok(),
    }
}

fn extents(word: &str) -> Option<[i64; 3]> {
    let mut parts = word.split('x').map(|part| part.parse().ok());
    let shape = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(shape)
}

/// The spelling of a type in operation names; empty for a type that has none.
pub(super) fn type_word(element: Element) -> &'static str {
    TYPES
        .iter()
        .find(|(_, named)| *named == element)
        .map_or("", |(word, _)| word)
}

fn types(word: &str) -> Option<Vec<Element>> {
    let mut rest = word;
    let mut types = Vec::new();
    while !rest.is_empty() {
        let (tail, element) = TYPES
            .iter()
            .find_map(|(name, element)| rest.strip_prefix(name).map(|tail| (tail, *element)))?;
        types.push(element);
        rest = tail;
    }
    Some(types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart() {
        let id = TemplateId::parse("SM90::GMMA::SPARSE::GMMA_64x8x32_F32BF16BF16_RS<A>").unwrap();
        let operation = Operation::read(&id).unwrap();
        assert_eq!(operation.generation, 90);
        assert!(operation.sparse && operation.has("RS"));
        assert_eq!(
            operation.types,
            [Element::F32, Element::Bf16, Element::Bf16]
        );
        let opened = TemplateId::parse("GMMA::MMA_64x64x16_F32F16F16_SS<A, B>").unwrap();
        assert_eq!(Operation::read(&opened).map(|it| it.generation), Some(90));
    }

    #[test]
    fn names_without_a_shape_are_no_operations() {
        for name in [
            "SM61_DP4A",
            "UniversalFMA",
            "SM80_16x8_F16_TN",
            "SM90_64x8x16x2_F16F16F16_SS",
        ] {
            assert_eq!(
                Operation::read(&TemplateId::parse(name).unwrap()),
                None,
                "{name}"
            );
        }
    }
}
