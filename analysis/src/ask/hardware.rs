//! Questions about hardware by name, for the command line and for scripts: named texts in, named values out.

mod collective;
mod tma;

use cute_algebra::{AnyLayout, Int, Layout, Shape};
use cute_hardware::copy::CopyAtom;
use cute_hardware::descriptor::canonical::{Departure, describe, first_departure};
use cute_hardware::descriptor::{Generation, MatrixDescriptor};
use cute_hardware::element::Element;
use cute_hardware::mma::selector::{WgmmaRequest, select_wgmma};
use cute_hardware::mma::{Major, MmaAtom};
use cute_hardware::name::{Argument, TemplateId};
use cute_hardware::refusal::Refusal;
use cute_hardware::shared_layout::SharedLayout;
use cute_hardware::smem_atom::{SmemAtom, select_smem_atom};
use cute_hardware::tiled::Operand;
use cute_hardware::tma::tensor_map::Issue;

/// The names of the questions.
pub const OPERATIONS: [&str; 14] = [
    "collective_builder",
    "copy_atom",
    "make_gmma_desc",
    "make_im2col_tma_copy",
    "make_tma_atom",
    "make_tma_atom_A_sm100",
    "make_tma_atom_B_sm100",
    "make_tma_copy",
    "make_umma_desc",
    "mma_atom",
    "rs_op_selector",
    "smem_atom",
    "ss_op_selector",
    "ss_smem_selector",
];

/// A value of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// A number.
    Number(i64),
    /// A layout, a shape, a name.
    Text(String),
    /// A list of numbers, or of symbols where sizes are not known.
    List(Vec<Int>),
    /// Whether it is so.
    Truth(bool),
}

/// An answer: its values by name, and the remarks beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HardwareAnswer {
    /// The values, in the order in which they are shown.
    pub fields: Vec<(&'static str, Field)>,
    /// For a descriptor that CuTe makes although the hardware reads other elements: the first of them.
    pub departure: Option<Departure>,
    /// Requests that CuTe does not check and the driver or the hardware refuses.
    pub issues: Vec<Issue>,
    /// Why the instruction cannot be issued although CuTe describes it.
    pub not_issuable: Option<Refusal>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The question is at fault: an input is missing, or does not parse.
    Malformed(String),
    /// The hardware, or CuTe, refuses it.
    Refused(Refusal),
}

impl From<Refusal> for NoAnswer {
    fn from(refusal: Refusal) -> Self {
        NoAnswer::Refused(refusal)
    }
}

impl From<cute_algebra::Refusal> for NoAnswer {
    fn from(refusal: cute_algebra::Refusal) -> Self {
        NoAnswer::Refused(refusal.into())
    }
}

/// Answers a question of [`OPERATIONS`]; `input` gives its inputs by name, as texts.
///
/// ```
/// use cute_analysis::ask::hardware::{Field, ask};
/// let input = |name: &str| (name == "name").then(|| "SM75_U32x1_LDSM_N".to_owned());
/// let answer = ask("copy_atom", &input).unwrap();
/// assert_eq!(answer.fields[2], ("DstLayout", Field::Text("(_32,_32):(_32,_1)".to_owned())));
/// ```
pub fn ask(
    operation: &str,
    input: &dyn Fn(&str) -> Option<String>,
) -> Result<HardwareAnswer, NoAnswer> {
    let inputs = Inputs { input };
    match operation {
        "collective_builder" => collective::builder(&inputs),
        "mma_atom" => mma_atom(&inputs),
        "copy_atom" => copy_atom(&inputs),
        "smem_atom" => smem_atom(&inputs),
        "ss_smem_selector" => smem_selector(&inputs),
        "ss_op_selector" => operation_selector(&inputs, false),
        "rs_op_selector" => operation_selector(&inputs, true),
        "make_gmma_desc" => descriptor(&inputs, Generation::Wgmma),
        "make_umma_desc" => descriptor(&inputs, Generation::Tcgen05),
        "make_tma_atom" => tma::atom(&inputs),
        "make_tma_copy" => tma::tiled_copy(&inputs),
        "make_tma_atom_A_sm100" => tma::operand(&inputs, Operand::A),
        "make_tma_atom_B_sm100" => tma::operand(&inputs, Operand::B),
        "make_im2col_tma_copy" => tma::im2col(&inputs),
        _ => Err(NoAnswer::Malformed(format!("no operation `{operation}`"))),
    }
}

struct Inputs<'a> {
    input: &'a dyn Fn(&str) -> Option<String>,
}

impl Inputs<'_> {
    fn optional(&self, name: &str) -> Option<String> {
        (self.input)(name)
    }

    fn text(&self, name: &str) -> Result<String, NoAnswer> {
        self.optional(name)
            .ok_or_else(|| NoAnswer::Malformed(format!("`{name}` is missing")))
    }

    fn element(&self, name: &str) -> Result<Element, NoAnswer> {
        Ok(Element::named(&self.text(name)?)?)
    }

    fn major(&self, name: &str) -> Result<Major, NoAnswer> {
        let text = self.text(name)?;
        Major::named(&text)
            .ok_or_else(|| NoAnswer::Malformed(format!("`{name}`: `{text}` is not `K` or `MN`")))
    }

    fn parsed<T: core::str::FromStr>(&self, name: &str) -> Result<T, NoAnswer>
    where
        T::Err: core::fmt::Display,
    {
        let text = self.text(name)?;
        text.parse()
            .map_err(|error| NoAnswer::Malformed(format!("`{name}`: {error}")))
    }

    fn integer(&self, name: &str) -> Result<i64, NoAnswer> {
        let text = self.text(name)?;
        integer(&text)
            .ok_or_else(|| NoAnswer::Malformed(format!("`{name}`: `{text}` is not a number")))
    }

    /// A layout of shared memory: with a pointer, or alone.
    fn shared(&self, name: &str, element_bits: i64) -> Result<SharedLayout, NoAnswer> {
        let text = self.text(name)?;
        if text.contains("_ptr[") {
            return self.parsed(name);
        }
        let layout: AnyLayout = self.parsed(name)?;
        Ok(SharedLayout::of_offsets(&layout, element_bits)?)
    }
}

/// `8`, `_8` or `Int<8>`.
fn integer(text: &str) -> Option<i64> {
    match &TemplateId::parse_list(text).ok()?[..] {
        [argument] => argument.value(),
        _ => None,
    }
}

fn text(value: &impl ToString) -> Field {
    Field::Text(value.to_string())
}

fn optional_layout(name: &'static str, layout: Option<&Layout>) -> Option<(&'static str, Field)> {
    layout.map(|layout| (name, text(layout)))
}

fn mma_atom(inputs: &Inputs<'_>) -> Result<HardwareAnswer, NoAnswer> {
    let atom = MmaAtom::named(&inputs.text("name")?)?;
    let mut fields = vec![
        ("Shape_MNK", text(&atom.shape_tuple())),
        ("ThrID", text(&atom.thread_id)),
        ("ALayout", text(&atom.declared_a_layout())),
        ("BLayout", text(&atom.b.layout)),
        ("CLayout", text(&atom.c.layout)),
    ];
    let scale = |factors: &Option<cute_hardware::mma::ScaleFactors>| {
        factors.as_ref().and_then(|factors| factors.layout.clone())
    };
    fields.extend(optional_layout("ELayout", atom.metadata.as_ref()));
    fields.extend(optional_layout("SFALayout", scale(&atom.scale_a).as_ref()));
    fields.extend(optional_layout("SFBLayout", scale(&atom.scale_b).as_ref()));
    fields.extend(
        atom.instruction
            .map(|instruction| ("instruction", Field::Text(instruction.mnemonic))),
    );
    fields.push(("architecture", text(&atom.architecture)));
    Ok(HardwareAnswer {
        fields,
        not_issuable: atom.not_issuable,
        ..HardwareAnswer::default()
    })
}

fn copy_atom(inputs: &Inputs<'_>) -> Result<HardwareAnswer, NoAnswer> {
    let atom = CopyAtom::named(&inputs.text("name")?)?;
    let mut fields = vec![
        ("ThrID", text(&atom.thread_id)),
        ("SrcLayout", text(&atom.source)),
        ("DstLayout", text(&atom.destination)),
        ("RefLayout", text(&atom.reference)),
    ];
    fields.extend(
        atom.mnemonic
            .map(|mnemonic| ("instruction", Field::Text(mnemonic))),
    );
    fields.push(("architecture", text(&atom.architecture)));
    Ok(HardwareAnswer {
        fields,
        not_issuable: atom.not_issuable,
        ..HardwareAnswer::default()
    })
}

fn smem_atom(inputs: &Inputs<'_>) -> Result<HardwareAnswer, NoAnswer> {
    let atom = SmemAtom::named(&inputs.text("name")?)?;
    shared_layout(&atom.layout()?)
}

fn shared_layout(layout: &SharedLayout) -> Result<HardwareAnswer, NoAnswer> {
    let mut fields = vec![("layout", text(layout))];
    // A layout of bits is not a layout of elements.
    if layout.element_bits > 1 {
        fields.push((
            "position_independent",
            text(&layout.position_independent()?),
        ));
    }
    Ok(HardwareAnswer {
        fields,
        ..HardwareAnswer::default()
    })
}

fn smem_selector(inputs: &Inputs<'_>) -> Result<HardwareAnswer, NoAnswer> {
    let (major, element) = (inputs.major("major")?, inputs.element("T")?);
    let atom = select_smem_atom(
        major,
        element,
        inputs.integer("BLK_MN")?,
        inputs.integer("BLK_K")?,
    )?;
    let mut answer = shared_layout(&atom.layout()?)?;
    answer.fields.push((
        "name",
        Field::Text(atom.cutlass_name(element.cutlass_name())),
    ));
    Ok(answer)
}

fn operation_selector(
    inputs: &Inputs<'_>,
    a_in_registers: bool,
) -> Result<HardwareAnswer, NoAnswer> {
    let tile: Shape = inputs.parsed("tile")?;
    let extents: Option<Vec<i64>> = tile.leaves().iter().map(Int::value).collect();
    let tile = extents
        .and_then(|extents| extents.try_into().ok())
        .ok_or_else(|| NoAnswer::Malformed("`tile` has three extents".to_owned()))?;
    let major = |name: &str| {
        inputs
            .optional(name)
            .map_or(Ok(Major::K), |_| inputs.major(name))
    };
    let atom = select_wgmma(&WgmmaRequest {
        a: inputs.element("A")?,
        b: inputs.element("B")?,
        accumulator: inputs.element("C")?,
        tile,
        major_a: major("majorA")?,
        major_b: major("majorB")?,
        a_in_registers,
        sparse: false,
        extended_shapes: false,
    })?;
    let fields = vec![
        ("op", Field::Text(atom.name.clone())),
        (
            "op_type",
            Field::Text(demangled(&TemplateId::parse(&atom.name)?)),
        ),
        ("Shape_MNK", text(&atom.shape_tuple())),
    ];
    Ok(HardwareAnswer {
        fields,
        ..HardwareAnswer::default()
    })
}

/// The name as a compiler prints it: enumerators as numbers of their type.
fn demangled(id: &TemplateId) -> String {
    let base = id.base().replacen("SM90_", "MMA_", 1);
    let arguments: Vec<String> = id
        .args()
        .iter()
        .filter_map(Argument::enumerator)
        .map(|(ty, name)| {
            let number = u8::from(matches!(name, "MN" | "One"));
            format!("(cute::SM90::GMMA::{ty}){number}")
        })
        .collect();
    let list = if arguments.is_empty() {
        String::new()
    } else {
        format!("<{}>", arguments.join(", "))
    };
    format!("cute::SM90::GMMA::{base}{list}")
}

fn descriptor(inputs: &Inputs<'_>, generation: Generation) -> Result<HardwareAnswer, NoAnswer> {
    let (major, element) = (inputs.major("major")?, inputs.element("T")?);
    let tile = inputs.shared("tensor", element.bits())?;
    let descriptor = describe(generation, major, &tile)?;
    let departure = first_departure(&descriptor, major, &tile).unwrap_or_default();
    Ok(HardwareAnswer {
        fields: descriptor_fields(&descriptor)?,
        departure,
        ..HardwareAnswer::default()
    })
}

fn descriptor_fields(descriptor: &MatrixDescriptor) -> Result<Vec<(&'static str, Field)>, Refusal> {
    let word = descriptor.encode()?;
    let mut fields = vec![("desc_hex", Field::Text(format!("0x{word:016x}")))];
    fields.extend(
        descriptor
            .fields()?
            .into_iter()
            .map(|field| (field.name, Field::Number(field.value as i64))),
    );
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(operation: &str, inputs: &[(&str, &str)]) -> Result<HardwareAnswer, NoAnswer> {
        ask(operation, &|name| {
            inputs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    fn field(answer: &HardwareAnswer, name: &str) -> Field {
        answer
            .fields
            .iter()
            .find(|(key, _)| *key == name)
            .unwrap()
            .1
            .clone()
    }

    #[test]
    fn every_operation_asks_for_what_it_needs() {
        for operation in OPERATIONS {
            assert!(
                matches!(answer(operation, &[]), Err(NoAnswer::Malformed(_))),
                "{operation}"
            );
        }
        assert!(matches!(
            answer("make_coffee", &[]),
            Err(NoAnswer::Malformed(_))
        ));
    }

    #[test]
    fn a_selected_operation_has_the_compilers_name() {
        let inputs = [
            ("A", "half_t"),
            ("B", "half_t"),
            ("C", "float"),
            ("tile", "(64,64,64)"),
            ("majorB", "MN"),
        ];
        let expected = "cute::SM90::GMMA::MMA_64x64x16_F32F16F16_SS<(cute::SM90::GMMA::Major)0, (cute::SM90::GMMA::Major)1, (cute::SM90::GMMA::ScaleIn)1, (cute::SM90::GMMA::ScaleIn)1>";
        assert_eq!(
            field(&answer("ss_op_selector", &inputs).unwrap(), "op_type"),
            Field::Text(expected.to_owned())
        );
    }

    #[test]
    fn a_wrong_descriptor_comes_with_its_departure() {
        let inputs = [
            ("major", "K"),
            ("T", "half_t"),
            ("tensor", "smem_ptr[16b](PTR) o (_64,_16):(_1,_64)"),
        ];
        let departure = answer("make_umma_desc", &inputs)
            .unwrap()
            .departure
            .unwrap();
        assert_eq!(
            (departure.coordinate, departure.expected, departure.got),
            (1, 1, 8)
        );
    }

    #[test]
    fn a_tma_copy_has_its_tiling_and_its_bytes() {
        let inputs = [
            ("copy_op", "SM90_TMA_LOAD"),
            ("T", "half_t"),
            ("gmem", "(512,1024):(1024,_1)"),
            (
                "smem",
                "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))",
            ),
            ("cta_tile", "(_128,_64)"),
        ];
        let answer = answer("make_tma_copy", &inputs).unwrap();
        let expect =
            |name, value: &str| assert_eq!(field(&answer, name), Field::Text(value.to_owned()));
        expect("Tiler_MN", "(_128,_64)");
        expect("layoutS_TV", "(_1,((_64,_128),_1)):(_0,((_128,_1),_0))");
        expect(
            "instruction",
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%m, {%c0, %c1}], [%b];",
        );
        expect(
            "descriptor_derived",
            "00000000 00000000 00246312 00000080 00000000 00000000 00000000 00000000 000003ff 000001ff 00000000 00000000 00000000 3f000000 0000007f 00000000",
        );
    }

    #[test]
    fn an_operand_is_shared_along_the_other_mode_of_the_cluster() {
        let inputs = [
            ("copy_op", "SM90_TMA_LOAD_MULTICAST"),
            ("T", "half_t"),
            ("gmem", "(512,256):(256,_1)"),
            (
                "smem",
                "Sw<3,4,3> o smem_ptr[16b](unset) o ((_256,_16),_1,_4):((_64,_1),_0,_16)",
            ),
            (
                "mma",
                "SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::K>",
            ),
            ("mma_tiler", "(_128,_256,_64)"),
            ("cluster", "(1,4,4,1)"),
        ];
        let answer = answer("make_tma_atom_B_sm100", &inputs).unwrap();
        assert_eq!(
            field(&answer, "boxDim"),
            Field::List(vec![Int::fixed(64), Int::fixed(64)])
        );
    }

    #[test]
    fn an_image_has_corners_and_pixels() {
        let inputs = [
            ("T", "half_t"),
            ("gmem", "((8,6,4),64):((64,512,3072),_1)"),
            (
                "smem",
                "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_64,_1)):((_64,_512),(_1,_0))",
            ),
            ("lower_corner", "(-1,-1)"),
            ("upper_corner", "(-1,-1)"),
            ("stride", "(1,1)"),
        ];
        let answer = answer("make_im2col_tma_copy", &inputs).unwrap();
        assert_eq!(field(&answer, "pixelsPerColumn"), Field::Number(64));
        assert!(answer.issues.is_empty());
    }

    #[test]
    fn what_the_driver_refuses_is_said() {
        let inputs = [
            ("copy_op", "SM90_TMA_LOAD"),
            ("T", "half_t"),
            ("gmem", "(512,1024):(1024,_1)"),
            ("smem", "(_64,_4):(_4,_1)"),
            ("cta_tile", "(_64,_4)"),
        ];
        let answer = answer("make_tma_atom", &inputs).unwrap();
        assert_eq!(field(&answer, "instructions"), Field::Number(1));
        assert_eq!(answer.issues[0].refusal.rule.name(), "tma-inner-box");
    }
}
