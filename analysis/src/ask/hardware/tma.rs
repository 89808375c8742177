//! Questions about TMA: tiles, operands of `tcgen05`, images of convolutions.

use super::{Field, HardwareAnswer, Inputs, NoAnswer, text};
use cute_algebra::{AnyLayout, Int, IntTuple, Layout, Shape, Tiler};
use cute_hardware::copy::CopyOperands;
use cute_hardware::kernel::instruction::copy_text;
use cute_hardware::mma::MmaAtom;
use cute_hardware::name::TemplateId;
use cute_hardware::shared_layout::SharedLayout;
use cute_hardware::tiled::{Operand, TiledMma};
use cute_hardware::tma::im2col::{Im2colMap, Im2colRequest};
use cute_hardware::tma::tensor_map::TensorMap;
use cute_hardware::tma::umma::operand_atom;
use cute_hardware::tma::{TmaAtom, TmaRequest, encoding};

/// The architecture whose rules the issues are, ten times the compute capability; of paired CTAs the later one.
const ARCHITECTURE: u16 = 90;
const PAIRED_ARCHITECTURE: u16 = 100;

pub(super) fn atom(inputs: &Inputs<'_>) -> Result<HardwareAnswer, NoAnswer> {
    answer(&TmaAtom::new(&request(inputs, "cta_tile")?)?)
}

pub(super) fn tiled_copy(inputs: &Inputs<'_>) -> Result<HardwareAnswer, NoAnswer> {
    let request = request(inputs, "cta_tile")?;
    let atom = TmaAtom::new(&request)?;
    let copy = atom.tiled_copy(&request)?;
    let mut answer = answer(&atom)?;
    answer.fields.extend([
        ("Tiler_MN", text(copy.tiler())),
        ("TiledLayout_TV", text(copy.thread_value_layout())),
        ("layoutS_TV", text(&copy.source_layout()?)),
        ("layoutD_TV", text(&copy.destination_layout()?)),
        ("size", text(&copy.size()?)),
    ]);
    Ok(answer)
}

pub(super) fn operand(inputs: &Inputs<'_>, operand: Operand) -> Result<HardwareAnswer, NoAnswer> {
    let layout = inputs.optional("atom_layout");
    let layout = layout.map(|_| inputs.parsed("atom_layout")).transpose()?;
    let mma = TiledMma::new(MmaAtom::named(&inputs.text("mma")?)?, layout, vec![])?;
    let cluster = numbers(inputs, "cluster")?
        .try_into()
        .map_err(|_| NoAnswer::Malformed("`cluster` has four extents: V, M, N, K".to_owned()))?;
    answer(&operand_atom(
        &request(inputs, "mma_tiler")?,
        &mma,
        operand,
        cluster,
    )?)
}

pub(super) fn im2col(inputs: &Inputs<'_>) -> Result<HardwareAnswer, NoAnswer> {
    let element = inputs.element("T")?;
    let map = Im2colMap::new(&Im2colRequest {
        element,
        global: inputs.parsed("gmem")?,
        shared: shared(inputs, element.bits())?,
        multicast: multicast(inputs)?,
        lower_corner: numbers(inputs, "lower_corner")?,
        upper_corner: numbers(inputs, "upper_corner")?,
        strides: numbers(inputs, "stride")?,
    })?;
    let mut fields = map_fields(&map.tensor);
    fields.retain(|(name, _)| *name != "boxDim");
    fields.extend([
        ("lowerCorner", list(&map.lower_corner)),
        ("upperCorner", list(&map.upper_corner)),
        ("channelsPerPixel", Field::Number(map.channels_per_pixel)),
        ("pixelsPerColumn", Field::Number(map.pixels_per_column)),
        ("bytes", Field::Number(map.box_bytes())),
    ]);
    Ok(HardwareAnswer {
        fields,
        issues: map.issues(ARCHITECTURE),
        ..HardwareAnswer::default()
    })
}

/// The request of these inputs; the tile of a CTA, or of an MMA, has its name.
fn request(inputs: &Inputs<'_>, tile: &str) -> Result<TmaRequest, NoAnswer> {
    let element = inputs.element("T")?;
    let tma_element = match inputs.optional("TmaInternalType") {
        Some(_) => Some(inputs.element("TmaInternalType")?),
        None => None,
    };
    let shape: Shape = inputs.parsed(tile)?;
    // The cluster of an operand of an MMA has four extents, and decides there.
    let multicast = if tile == "cta_tile" {
        multicast(inputs)?
    } else {
        1
    };
    Ok(TmaRequest {
        operation: TemplateId::parse(&inputs.text("copy_op")?)?,
        element,
        tma_element,
        global: inputs.parsed("gmem")?,
        shared: shared(inputs, element.bits())?,
        tile: Tiler::of_shape(&shape),
        multicast,
        cuts_boxes: false,
    })
}

fn multicast(inputs: &Inputs<'_>) -> Result<i64, NoAnswer> {
    match inputs.optional("cluster") {
        Some(_) => inputs.integer("cluster"),
        None => Ok(1),
    }
}

/// A tuple of known numbers.
fn numbers(inputs: &Inputs<'_>, name: &str) -> Result<Vec<i64>, NoAnswer> {
    let tuple: IntTuple = inputs.parsed(name)?;
    let numbers: Option<Vec<i64>> = tuple.leaves().iter().map(Int::value).collect();
    numbers.ok_or_else(|| NoAnswer::Malformed(format!("`{name}` is not a tuple of numbers")))
}

/// The shared layout. CuTe takes the swizzle of a layout of offsets as one of bytes here, and refuses those that TMA does
/// not have.
fn shared(inputs: &Inputs<'_>, element_bits: i64) -> Result<SharedLayout, NoAnswer> {
    if inputs.text("smem")?.contains("_ptr[") {
        return inputs.shared("smem", element_bits);
    }
    match inputs.parsed("smem")? {
        AnyLayout::Composed(composed) => match composed.swizzle() {
            Some(swizzle) => Ok(SharedLayout::new(swizzle, element_bits, composed.inner)),
            None => Err(NoAnswer::Malformed(
                "`smem` is not a layout of shared memory".to_owned(),
            )),
        },
        AnyLayout::Affine(layout) => Ok(SharedLayout::plain(element_bits, layout)?),
    }
}

fn answer(atom: &TmaAtom) -> Result<HardwareAnswer, NoAnswer> {
    let is_paired = atom.atom.atom.thread_id.size()?.value() == Some(2);
    let architecture = if is_paired {
        PAIRED_ARCHITECTURE
    } else {
        ARCHITECTURE
    };
    let map = &atom.map;
    let mut fields = map_fields(map);
    fields.extend([
        ("basis", text(&atom.basis.layout()?)),
        ("tma_tensor", text(&atom.coordinates)),
        ("instructions", Field::Number(atom.instructions)),
        ("bytes", Field::Number(map.box_bytes())),
    ]);
    let layouts: [(&'static str, &Layout); 4] = [
        ("ThrID", &atom.atom.atom.thread_id),
        ("ValLayoutSrc", &atom.atom.source),
        ("ValLayoutDst", &atom.atom.destination),
        ("ValLayoutRef", &atom.atom.reference),
    ];
    fields.extend(layouts.map(|(name, layout)| (name, text(layout))));
    if matches!(atom.atom.atom.operands, CopyOperands::Tma(_)) {
        let instruction = copy_text(&atom.atom.atom, map.rank())?;
        fields.push(("instruction", Field::Text(instruction)));
    }
    // The bytes of a tensor at address 0; there are none for symbols, nor where a rule is broken.
    if let Ok(words) = encoding::encode(map, 0, architecture) {
        fields.push(("descriptor_derived", Field::Text(hexadecimal(&words))));
    }
    Ok(HardwareAnswer {
        fields,
        issues: atom.issues(architecture),
        ..HardwareAnswer::default()
    })
}

fn hexadecimal(words: &[u32]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
    words.join(" ")
}

fn list(values: &[i64]) -> Field {
    Field::List(values.iter().map(|&value| Int::fixed(value)).collect())
}

/// The arguments of the driver.
fn map_fields(map: &TensorMap) -> Vec<(&'static str, Field)> {
    vec![
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
    ]
}
