//! Questions about hardware by name, for the command line and for scripts: named texts in, named values out.

use crate::copy::CopyAtom;
use crate::descriptor::canonical::{Departure, describe, first_departure};
use crate::descriptor::{Generation, MatrixDescriptor};
use crate::element::Element;
use crate::mma::selector::{WgmmaRequest, select_wgmma};
use crate::mma::{Major, MmaAtom};
use crate::name::{Argument, TemplateId};
use crate::refusal::Refusal;
use crate::shared_layout::SharedLayout;
use crate::smem_atom::{SmemAtom, select_smem_atom};
use crate::tma::tensor_map::Issue;
use crate::tma::{TmaAtom, TmaRequest};
use cute_algebra::{AnyLayout, Int, Layout, Shape, Tiler};

/// The names of the questions.
pub const OPERATIONS: [&str; 9] = [
    "copy_atom",
    "make_gmma_desc",
    "make_tma_atom",
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
}

/// An answer: its values by name, and what has to be said beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The values, in the order in which they are shown.
    pub fields: Vec<(&'static str, Field)>,
    /// For a descriptor that CuTe makes although the hardware reads other elements: the first of them.
    pub departure: Option<Departure>,
    /// What CuTe does not check and the driver or the hardware refuses.
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

/// The architecture whose rules [`Answer::issues`] are, ten times the compute capability.
const ARCHITECTURE: u16 = 90;

/// Answers a question of [`OPERATIONS`]; `input` gives its inputs by name, as texts.
///
/// ```
/// use cute_hardware::ask::{Field, ask};
/// let input = |name: &str| (name == "name").then(|| "SM75_U32x1_LDSM_N".to_owned());
/// let answer = ask("copy_atom", &input).unwrap();
/// assert_eq!(answer.fields[2], ("DstLayout", Field::Text("(_32,_32):(_32,_1)".to_owned())));
/// ```
pub fn ask(operation: &str, input: &dyn Fn(&str) -> Option<String>) -> Result<Answer, NoAnswer> {
    let inputs = Inputs { input };
    match operation {
        "mma_atom" => mma_atom(&inputs),
        "copy_atom" => copy_atom(&inputs),
        "smem_atom" => smem_atom(&inputs),
        "ss_smem_selector" => smem_selector(&inputs),
        "ss_op_selector" => operation_selector(&inputs, false),
        "rs_op_selector" => operation_selector(&inputs, true),
        "make_gmma_desc" => descriptor(&inputs, Generation::Wgmma),
        "make_umma_desc" => descriptor(&inputs, Generation::Tcgen05),
        "make_tma_atom" => tma_atom(&inputs),
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

fn mma_atom(inputs: &Inputs<'_>) -> Result<Answer, NoAnswer> {
    let atom = MmaAtom::named(&inputs.text("name")?)?;
    let mut fields = vec![
        ("Shape_MNK", text(&atom.shape_tuple())),
        ("ThrID", text(&atom.thread_id)),
        ("ALayout", text(&atom.declared_a_layout())),
        ("BLayout", text(&atom.b.layout)),
        ("CLayout", text(&atom.c.layout)),
    ];
    let scale = |factors: &Option<crate::mma::ScaleFactors>| {
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
    Ok(Answer {
        fields,
        not_issuable: atom.not_issuable,
        ..Answer::default()
    })
}

fn copy_atom(inputs: &Inputs<'_>) -> Result<Answer, NoAnswer> {
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
    Ok(Answer {
        fields,
        not_issuable: atom.not_issuable,
        ..Answer::default()
    })
}

fn smem_atom(inputs: &Inputs<'_>) -> Result<Answer, NoAnswer> {
    let atom = SmemAtom::named(&inputs.text("name")?)?;
    shared_layout(&atom.layout()?)
}

fn shared_layout(layout: &SharedLayout) -> Result<Answer, NoAnswer> {
    let mut fields = vec![("layout", text(layout))];
    // A layout of bits is no layout of elements.
    if layout.element_bits > 1 {
        fields.push((
            "position_independent",
            text(&layout.position_independent()?),
        ));
    }
    Ok(Answer {
        fields,
        ..Answer::default()
    })
}

fn smem_selector(inputs: &Inputs<'_>) -> Result<Answer, NoAnswer> {
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

fn operation_selector(inputs: &Inputs<'_>, a_in_registers: bool) -> Result<Answer, NoAnswer> {
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
    Ok(Answer {
        fields,
        ..Answer::default()
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

fn descriptor(inputs: &Inputs<'_>, generation: Generation) -> Result<Answer, NoAnswer> {
    let (major, element) = (inputs.major("major")?, inputs.element("T")?);
    let tile = inputs.shared("tensor", element.bits())?;
    let descriptor = describe(generation, major, &tile)?;
    let departure = first_departure(&descriptor, major, &tile).unwrap_or_default();
    Ok(Answer {
        fields: descriptor_fields(&descriptor)?,
        departure,
        ..Answer::default()
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

fn tma_atom(inputs: &Inputs<'_>) -> Result<Answer, NoAnswer> {
    let element = inputs.element("T")?;
    let cluster = match inputs.optional("cluster") {
        Some(_) => inputs.integer("cluster")?,
        None => 1,
    };
    let smem = inputs.text("smem")?;
    let shared = if smem.contains("_ptr[") {
        inputs.shared("smem", element.bits())?
    } else {
        // CuTe takes the swizzle of a layout of offsets as one of bytes here, and refuses those that TMA does not have.
        let layout: AnyLayout = inputs.parsed("smem")?;
        match layout {
            AnyLayout::Composed(composed) => match composed.swizzle() {
                Some(swizzle) => SharedLayout::new(swizzle, element.bits(), composed.inner),
                None => {
                    return Err(NoAnswer::Malformed(
                        "`smem` is not a layout of shared memory".to_owned(),
                    ));
                }
            },
            AnyLayout::Affine(layout) => SharedLayout::plain(element.bits(), layout)?,
        }
    };
    let tile: Shape = inputs.parsed("cta_tile")?;
    let operation = inputs.text("copy_op")?;
    let atom = TmaAtom::new(&TmaRequest {
        operation: TemplateId::parse(&operation)?,
        element,
        tma_element: None,
        global: inputs.parsed("gmem")?,
        shared,
        tile: Tiler::of_shape(&tile),
        multicast: cluster,
    })?;
    let map = &atom.map;
    let list =
        |values: &[i64]| Field::List(values.iter().map(|&value| Int::fixed(value)).collect());
    let fields = vec![
        ("dtype", Field::Number(i64::from(map.data_type))),
        ("rank", Field::Number(map.rank() as i64)),
        ("globalDim", Field::List(map.dims.clone())),
        ("globalStridesBytes", Field::List(map.strides_bytes.clone())),
        ("boxDim", list(&map.box_dims)),
        ("elementStrides", list(&map.element_strides)),
        ("interleave", Field::Number(i64::from(map.interleave))),
        ("swizzle", Field::Number(i64::from(map.swizzle.code()))),
        ("l2promotion", Field::Number(i64::from(map.l2_promotion))),
        ("oobFill", Field::Number(i64::from(map.oob_fill))),
        ("basis", text(&atom.basis.layout()?)),
        ("tma_tensor", text(&atom.coordinates)),
        ("instructions", Field::Number(atom.instructions)),
        ("bytes", Field::Number(map.box_bytes())),
    ];
    Ok(Answer {
        fields,
        issues: atom.issues(ARCHITECTURE),
        ..Answer::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(operation: &str, inputs: &[(&str, &str)]) -> Result<Answer, NoAnswer> {
        ask(operation, &|name| {
            inputs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    fn field(answer: &Answer, name: &str) -> Field {
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
