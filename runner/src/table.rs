//! The table of experiments for a new device: layouts, copies, accesses, tiles and products of every kind that the rest
//! of the project speaks about.

use cute_algebra::AnyLayout;
use cute_hardware::descriptor::Generation;
use cute_hardware::smem_atom::tile_to_shape;
use cute_hardware::{Refusal, SharedLayout, SmemAtom};

use crate::experiment::Experiment;
use crate::fragments::Direction;
use crate::product::{Product, Role};
use crate::watch::{Stop, Watch};

/// The size of the experiments whose size is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Enough for a device's memory to be measured, and not its caches.
    Device,
    /// A look at all of it in a second, for a processor.
    Small,
}

impl Scale {
    /// Elements of a copy, of 8 bytes each.
    fn elements(self) -> i64 {
        match self {
            Self::Device => 1 << 24,
            Self::Small => 1 << 12,
        }
    }
}

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name, unique in the table.
    pub name: String,
    question: Question,
}

#[derive(Clone, Debug)]
enum Question {
    Offsets(&'static str),
    Copy(String, String, i64),
    Banks(&'static str, i64),
    Tma(&'static str, Option<&'static str>),
    Fragments(&'static str, Direction),
    Identity(Generation, &'static str, &'static str, Role),
    Random(Generation, [(&'static str, &'static str); 2]),
    Gemm([&'static str; 3]),
}

impl Case {
    fn new(kind: &str, about: &str, question: Question) -> Self {
        Self {
            name: format!("{kind}: {about}"),
            question,
        }
    }

    /// The experiment; random inputs are made from `seed`.
    ///
    /// # Errors
    /// None that does not hint at a defect of the table; the end by the watch.
    pub fn experiment(&self, seed: u64, watch: &dyn Watch) -> Result<Experiment, Stop> {
        let product =
            |product: Result<Product, Refusal>| Ok(Experiment::Product(Box::new(product?)));
        match &self.question {
            Question::Offsets(layout) => Ok(Experiment::offsets(&parsed(layout)?, None)?),
            Question::Copy(from, to, bits) => {
                Experiment::copy(&parsed(from)?, &parsed(to)?, *bits, watch)
            }
            Question::Banks(layout, bits) => Ok(Experiment::banks(&parsed(layout)?, *bits)?),
            Question::Tma(shared, tensor) => {
                let tensor = tensor.map(str::parse).transpose()?;
                Ok(Experiment::tma(&shared.parse()?, tensor.as_ref())?)
            }
            Question::Fragments(shared, direction) => {
                Ok(Experiment::fragments(&shared.parse()?, *direction)?)
            }
            Question::Identity(generation, atom, shape, role) => {
                product(Product::identity(*generation, &tile(atom, shape)?, *role))
            }
            Question::Random(generation, [(a, a_shape), (b, b_shape)]) => {
                let (a, b) = (tile(a, a_shape)?, tile(b, b_shape)?);
                product(Product::random(*generation, &a, &b, seed))
            }
            Question::Gemm([a, b, c]) => {
                Experiment::gemm([&parsed(a)?, &parsed(b)?, &parsed(c)?], seed, watch)
            }
        }
    }
}

fn parsed(text: &str) -> Result<AnyLayout, Refusal> {
    Ok(text.parse()?)
}

fn tile(atom: &str, shape: &str) -> Result<SharedLayout, Refusal> {
    tile_to_shape(&SmemAtom::named(atom)?.layout()?, &shape.parse()?, None)
}

/// All rows.
pub fn cases(scale: Scale) -> Vec<Case> {
    let mut cases = Vec::new();
    for layout in OFFSETS {
        cases.push(Case::new("offsets", layout, Question::Offsets(layout)));
    }
    cases.extend(copies(scale.elements()));
    for (layout, bits) in BANKS {
        let about = format!("{layout}, {bits} bits");
        cases.push(Case::new("banks", &about, Question::Banks(layout, bits)));
    }
    for (shared, tensor) in TMA {
        let about = match tensor {
            Some(tensor) => format!("{shared} from {tensor}"),
            None => shared.to_owned(),
        };
        cases.push(Case::new("tma", &about, Question::Tma(shared, tensor)));
    }
    for shared in FRAGMENTS {
        for direction in [Direction::Load, Direction::Store] {
            let question = Question::Fragments(shared, direction);
            cases.push(Case::new(direction.instruction(), shared, question));
        }
    }
    for (generation, tiles) in [(Generation::Wgmma, WGMMA), (Generation::Tcgen05, TCGEN05)] {
        for (atom, shape, role) in tiles {
            let about = format!("{atom} {shape} as {role:?}, times an identity");
            let question = Question::Identity(generation, atom, shape, *role);
            cases.push(Case::new(instruction(generation), &about, question));
        }
    }
    for (generation, tiles) in PRODUCTS {
        let [(a, a_shape), (b, b_shape)] = tiles;
        let about = format!("{a} {a_shape} times {b} {b_shape}, random");
        let question = Question::Random(generation, tiles);
        cases.push(Case::new(instruction(generation), &about, question));
    }
    for (about, layouts) in GEMMS {
        cases.push(Case::new("gemm", about, Question::Gemm(layouts)));
    }
    cases
}

fn instruction(generation: Generation) -> &'static str {
    match generation {
        Generation::Wgmma => "wgmma",
        Generation::Tcgen05 => "tcgen05",
    }
}

const OFFSETS: [&str; 12] = [
    "(8,(4,2)):(4,(1,32))",
    "((2,2),(2,2)):((1,4),(2,8))",
    "(6,10,4):(40,4,1)",
    "(128,64):(64,1)",
    "(128,64):(1,128)",
    "Sw<3,3,3> o 0 o (128,64):(64,1)",
    "Sw<2,0,3> o 0 o (8,32):(32,1)",
    "((8,16),(64,2)):((64,512),(1,8192))",
    "((4,8),(2,2,2)):((32,1),(16,8,128))",
    "(1000,1000):(1000,1)",
    "(16,16,16,16):(1,0,16,256)",
    "(1024,1024,1024):(1048576,1024,1)",
];

/// Copies of this many elements.
fn copies(elements: i64) -> Vec<Case> {
    let columns = elements / 64;
    let half = columns / 2;
    let copies = [
        (
            "in order, 64 bits",
            format!("{elements}:1"),
            format!("{elements}:1"),
            64,
        ),
        (
            "in order, 32 bits",
            format!("{elements}:1"),
            format!("{elements}:1"),
            32,
        ),
        (
            "row-major to row-major with padding",
            format!("(64,{columns}):({columns},1)"),
            format!("(64,{columns}):({},1)", columns + 8),
            64,
        ),
        (
            "row-major to column-major",
            format!("(64,{columns}):({columns},1)"),
            format!("(64,{columns}):(1,64)"),
            64,
        ),
        (
            "column-major to row-major",
            format!("(64,{columns}):(1,64)"),
            format!("(64,{columns}):({columns},1)"),
            64,
        ),
        (
            "rows to tiles of 8 by 8",
            format!(
                "((8,8),(8,{})):((8,{}),(1,{}))",
                columns / 8,
                elements / 8,
                64
            ),
            format!("((8,8),(8,{})):((8,64),(1,512))", columns / 8),
            64,
        ),
        (
            "in order to swizzled",
            format!("(64,{columns}):(1,64)"),
            format!("Sw<3,3,3> o 0 o (64,{columns}):(1,64)"),
            16,
        ),
        (
            "every other one together",
            format!("(2,{}):(1,2)", elements / 2),
            format!("(2,{}):({},1)", elements / 2, elements / 2),
            32,
        ),
        (
            "one row for all",
            format!("(64,{columns}):(0,1)"),
            format!("(64,{columns}):({columns},1)"),
            64,
        ),
        (
            "a tensor of three modes turned round",
            format!("(64,2,{half}):(1,64,128)"),
            format!("(64,2,{half}):({columns},{half},1)"),
            32,
        ),
    ];
    copies
        .into_iter()
        .map(|(about, from, to, bits)| {
            Case::new(
                "copy",
                &format!("{about}, {bits}-bit elements"),
                Question::Copy(from, to, bits),
            )
        })
        .collect()
}

const BANKS: [(&str, i64); 9] = [
    ("32:1", 32),
    ("32:2", 32),
    ("32:32", 32),
    ("32:33", 32),
    ("Sw<5,0,5> o 0 o (32,32):(32,1)", 32),
    ("32:1", 64),
    ("32:1", 128),
    ("32:2", 128),
    ("(8,4):(8,1)", 128),
];

const TMA: [(&str, Option<&str>); 11] = [
    ("smem_ptr[16b](unset) o (_64,_64):(_64,_1)", None),
    (
        "Sw<1,4,3> o smem_ptr[16b](unset) o (_64,_16):(_16,_1)",
        None,
    ),
    (
        "Sw<2,4,3> o smem_ptr[16b](unset) o (_64,_32):(_32,_1)",
        None,
    ),
    (
        "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_64):(_64,_1)",
        None,
    ),
    (
        "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))",
        Some("(1024,512):(512,_1)"),
    ),
    (
        "Sw<3,4,3> o smem_ptr[16b](unset) o ((_64,_2),(_8,_8)):((_1,_4096),(_64,_512))",
        Some("(1024,512):(_1,1024)"),
    ),
    (
        "Sw<3,4,3> o smem_ptr[32b](unset) o (_64,_32):(_32,_1)",
        None,
    ),
    (
        "Sw<3,4,3> o smem_ptr[8b](unset) o (_64,_128):(_128,_1)",
        None,
    ),
    ("Sw<1,4,3> o smem_ptr[8b](unset) o (_8,_32):(_32,_1)", None),
    ("smem_ptr[32b](unset) o (_16,_8,_4):(_1,_16,_128)", None),
    ("smem_ptr[16b](unset) o _256:_1", None),
];

const FRAGMENTS: [&str; 5] = [
    "smem_ptr[16b](unset) o (_8,_8):(_8,_1)",
    "smem_ptr[16b](unset) o (_16,_16):(_24,_1)",
    "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
    "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_8):(_1,_64)",
    "Sw<1,4,3> o smem_ptr[16b](unset) o (_8,_16):(_16,_1)",
];

const WGMMA: &[(&str, &str, Role)] = &[
    ("GMMA::Layout_K_INTER_Atom<half_t>", "(_64,_16)", Role::A),
    ("GMMA::Layout_K_SW32_Atom<half_t>", "(_64,_64)", Role::A),
    ("GMMA::Layout_K_SW64_Atom<half_t>", "(_64,_64)", Role::A),
    ("GMMA::Layout_K_SW128_Atom<half_t>", "(_128,_64)", Role::A),
    ("GMMA::Layout_MN_INTER_Atom<half_t>", "(_64,_16)", Role::A),
    ("GMMA::Layout_MN_SW32_Atom<half_t>", "(_64,_32)", Role::A),
    ("GMMA::Layout_MN_SW64_Atom<half_t>", "(_64,_32)", Role::A),
    ("GMMA::Layout_MN_SW128_Atom<half_t>", "(_128,_64)", Role::A),
    ("GMMA::Layout_K_SW128_Atom<half_t>", "(_256,_64)", Role::B),
    ("GMMA::Layout_MN_SW128_Atom<half_t>", "(_128,_64)", Role::B),
    (
        "GMMA::Layout_K_SW128_Atom<tfloat32_t>",
        "(_64,_32)",
        Role::A,
    ),
    ("GMMA::Layout_K_SW64_Atom<int8_t>", "(_64,_64)", Role::A),
];

const TCGEN05: &[(&str, &str, Role)] = &[
    ("UMMA::Layout_K_SW128_Atom<half_t>", "(_128,_64)", Role::A),
    ("UMMA::Layout_MN_SW128_Atom<half_t>", "(_128,_64)", Role::A),
    ("UMMA::Layout_K_SW64_Atom<int8_t>", "(_64,_64)", Role::B),
];

const PRODUCTS: [(Generation, [(&str, &str); 2]); 4] = [
    (
        Generation::Wgmma,
        [
            ("GMMA::Layout_K_SW128_Atom<half_t>", "(_128,_64)"),
            ("GMMA::Layout_K_SW128_Atom<half_t>", "(_128,_64)"),
        ],
    ),
    (
        Generation::Wgmma,
        [
            ("GMMA::Layout_MN_SW128_Atom<half_t>", "(_128,_64)"),
            ("GMMA::Layout_MN_SW64_Atom<half_t>", "(_64,_64)"),
        ],
    ),
    (
        Generation::Wgmma,
        [
            ("GMMA::Layout_K_SW128_Atom<int8_t>", "(_64,_128)"),
            ("GMMA::Layout_K_SW32_Atom<int8_t>", "(_96,_128)"),
        ],
    ),
    (
        Generation::Tcgen05,
        [
            ("UMMA::Layout_K_SW128_Atom<half_t>", "(_128,_64)"),
            ("UMMA::Layout_K_SW128_Atom<half_t>", "(_128,_64)"),
        ],
    ),
];

const GEMMS: [(&str, [&str; 3]); 5] = [
    (
        "row-major, transposed B",
        ["(96,64):(64,1)", "(80,64):(64,1)", "(96,80):(80,1)"],
    ),
    (
        "column-major",
        ["(96,64):(1,96)", "(80,64):(1,80)", "(96,80):(1,96)"],
    ),
    (
        "a contraction over two modes",
        [
            "((12,4),(8,4)):((1,96),(12,384))",
            "((16),(8,4)):((32),(1,8))",
            "((12,4),(16)):((1,12),(48))",
        ],
    ),
    (
        "a convolution of a row",
        ["(120,9):(1,1)", "(16,9):(9,1)", "(120,16):(1,120)"],
    ),
    (
        "a swizzled result",
        [
            "(64,32):(32,1)",
            "(64,32):(1,64)",
            "Sw<3,2,3> o 0 o (64,64):(64,1)",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_of_the_table_agrees_on_the_processor() {
        let cases = cases(Scale::Small);
        assert!(cases.len() >= 40, "{}", cases.len());
        for case in &cases {
            let experiment = case.experiment(11, &Unwatched);
            let experiment = experiment.unwrap_or_else(|stop| panic!("{}: {stop}", case.name));
            let answer = experiment.on_cpu(&Unwatched);
            let answer = answer.unwrap_or_else(|stop| panic!("{}: {stop}", case.name));
            assert!(answer.agrees(), "{}: {answer:?}", case.name);
            assert!(!experiment.jobs().unwrap().is_empty(), "{}", case.name);
        }
    }

    #[test]
    fn rows_are_told_apart_by_their_names() {
        for scale in [Scale::Small, Scale::Device] {
            let cases = cases(scale);
            let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
            assert_eq!(names.len(), cases.len());
        }
    }
}
