//! The costs of lines and kernels, in words.

use std::fmt::Write as _;

use cute_algebra::Int;
use cute_analysis::{
    Accumulator, Analysis, Budget, BufferCost, CopyCount, Cost, MadeDescriptor, MaskOfCta,
    MmaCount, MulticastMask, Note, SharedCost, TmaCount, TmaTile, Transaction,
};
use cute_hardware::Major;
use cute_hardware::descriptor::Field;
use cute_hardware::multiprocessor::Multiprocessor;
use cute_hardware::tma::TensorMap;
use tree_sitter_cute::tree::Span;

use super::instances::Chosen;
use super::number::{counted, extents, grouped};

/// The architecture of a kernel that every one can run.
const USUAL: u16 = 90;

/// The description at a byte: the name, its title, and the lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The name.
    pub span: Span,
    /// The title.
    pub title: String,
    /// One sentence each.
    pub lines: Vec<String>,
}

/// The costs of the name at a byte, in the chosen instance or the first.
pub fn said(analysis: &Analysis, byte: usize, chosen: &Chosen) -> Option<Said> {
    let notes = analysis.notes_at(byte);
    if let Some(note) = notes.get(chosen.first(places(&notes))) {
        let lines = notes
            .iter()
            .filter(|other| other.function == note.function && other.instance == note.instance)
            // The registers of a thread belong to the tensor itself.
            .filter(|note| !matches!(note.cost, Cost::Accumulator(_)))
            .flat_map(|note| lines_of(&note.cost))
            .fold(Vec::new(), |mut lines, line| {
                if !lines.contains(&line) {
                    lines.push(line);
                }
                lines
            });
        return Some(Said {
            span: note.anchor,
            title: title(&note.cost).to_owned(),
            lines,
        });
    }
    let budgets = analysis.budgets_at(byte);
    let places = budgets
        .iter()
        .map(|budget| (Some(budget.function.as_str()), budget.instance.as_deref()));
    let budget = budgets.get(chosen.first(places))?;
    let kind = if budget.is_kernel {
        "kernel"
    } else {
        "function"
    };
    let of = match &budget.instance {
        Some(instance) => format!("{kind} {}, {instance}", budget.function),
        None => format!("{kind} {}", budget.function),
    };
    Some(Said {
        span: budget.span,
        title: of,
        lines: summary(budget),
    })
}

fn places<'a>(notes: &[&'a Note]) -> Vec<(Option<&'a str>, Option<&'a str>)> {
    notes
        .iter()
        .map(|note| (note.function.as_deref(), note.instance.as_deref()))
        .collect()
}

fn title(cost: &Cost) -> &'static str {
    match cost {
        Cost::Tma(_) => "copy by TMA",
        Cost::Copy(_) => "copy",
        Cost::Mma(_) => "product",
        Cost::Accumulator(_) => "registers",
        Cost::Tile(_) => "tile of TMA",
        Cost::Transaction(_) => "transaction",
        Cost::Mask(_) => "multicast mask",
        Cost::Shared(_) => "shared memory",
        Cost::Descriptor(_) => "matrix descriptor",
        Cost::Instruction(_) => "instruction descriptor",
        Cost::Map(_) => "tensor map",
        _ => "cost",
    }
}

/// The lines about one cost.
pub fn lines_of(cost: &Cost) -> Vec<String> {
    match cost {
        Cost::Tma(count) => vec![tma(count)],
        Cost::Copy(count) => vec![copy(count)],
        Cost::Mma(count) => vec![mma(count)],
        Cost::Accumulator(kept) => vec![accumulator(kept)],
        Cost::Tile(found) => vec![tile(found)],
        Cost::Transaction(found) => vec![transaction(found)],
        Cost::Mask(found) => mask(found),
        Cost::Shared(object) => vec![shared_line(object, Multiprocessor::of(USUAL))],
        Cost::Descriptor(made) => descriptor(made),
        Cost::Instruction(made) => {
            let shown = made
                .fields()
                .iter()
                .filter(|field| !field.meaning.is_empty());
            shown.map(field_text).collect()
        }
        Cost::Map(map) => tensor_map(map),
        _ => Vec::new(),
    }
}

/// The fields of a matrix descriptor, and the layouts of an operand that it names.
fn descriptor(made: &MadeDescriptor) -> Vec<String> {
    let forms = made.forms.iter().map(|(major, form)| {
        let major = match major {
            Major::K => "K-major",
            Major::Mn => "M- or N-major",
        };
        format!("{major}, in units of 16 B: {form}")
    });
    let shown = made.fields.iter().filter(|field| field.value != 0);
    shown.map(field_text).chain(forms).collect()
}

/// `stride byte offset [45:32] = 64 (1024 bytes)`
fn field_text(field: &Field) -> String {
    let high = field.low_bit + field.width - 1;
    let name = field.name.replace('_', " ");
    let bits = match field.width {
        1 => high.to_string(),
        _ => format!("{high}:{}", field.low_bit),
    };
    format!("{name} [{bits}] = {} ({})", field.value, field.meaning)
}

/// The tensor, its box and the permutation of a tensor map.
fn tensor_map(map: &TensorMap) -> Vec<String> {
    let list = |numbers: &[Int]| {
        let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        texts.join(",").replace('_', "")
    };
    let mut tensor = format!("tensor ({}) of {} bits", list(&map.dims), map.element_bits);
    if !map.strides_bytes.is_empty() {
        let _ = write!(tensor, ", strides ({}) B", list(&map.strides_bytes));
    }
    let swizzle = match map.swizzle.span_bytes() {
        Some(bytes) => format!("swizzle of {bytes} bytes"),
        None => "no swizzle".to_owned(),
    };
    vec![
        tensor,
        format!(
            "box {} = {} B in shared memory, {swizzle}",
            extents(&map.box_dims),
            grouped(map.box_bytes())
        ),
    ]
}

fn tma(count: &TmaCount) -> String {
    let mut text = format!(
        "{}, box {} = {} B; {} B {} shared memory",
        counted(count.instructions, "TMA instruction", "TMA instructions"),
        extents(&count.extents),
        grouped(count.box_bytes),
        grouped(count.bytes),
        if count.is_load { "into" } else { "from" },
    );
    if count.sharing > 1 {
        let _ = write!(
            text,
            ", each CTA of {} loads its part for all",
            count.sharing
        );
    }
    if count.is_pair {
        text.push_str("; the leading CTA of two counts the bytes of both");
    }
    text
}

fn copy(count: &CopyCount) -> String {
    let mut text = format!(
        "{} x {}, {} bits per thread",
        grouped(count.instructions),
        count.instruction,
        count.bits
    );
    if let Some(bytes) = count.bytes {
        let _ = write!(text, "; {} B by all threads", grouped(bytes));
    }
    text
}

fn mma(count: &MmaCount) -> String {
    let [m, n, k] = count.shape;
    let family = count
        .instruction
        .as_deref()
        .and_then(|name| name.split('.').next())
        .unwrap_or("fma");
    let [along_m, along_n, along_k] = count.repeats;
    format!(
        "{} {family} m{m}n{n}k{k} ({along_m} x {along_n} along M and N, {along_k} along K)",
        grouped(count.instructions)
    )
}

fn accumulator(kept: &Accumulator) -> String {
    format!(
        "{} {} = {} per thread",
        grouped(kept.elements),
        kept.element,
        counted(kept.registers, "register", "registers")
    )
}

fn tile(tile: &TmaTile) -> String {
    let stages = match tile.stages {
        Some(stages) if stages > 1 => format!(" x {stages} stages"),
        _ => String::new(),
    };
    format!(
        "{} B{stages}; box {} = {} B: {} per tile",
        grouped(tile.bytes),
        extents(&tile.extents),
        grouped(tile.box_bytes),
        counted(tile.instructions, "TMA instruction", "TMA instructions"),
    )
}

fn transaction(found: &Transaction) -> String {
    let parts: Vec<String> = found
        .arrived
        .iter()
        .map(|part| format!("{} {}", part.name, grouped(part.bytes)))
        .collect();
    let sum = match found.ctas {
        1 => parts.join(" + "),
        ctas => format!("{ctas} CTAs x ({})", parts.join(" + ")),
    };
    let lines: Vec<String> = found
        .arrived
        .iter()
        .map(|part| part.line.to_string())
        .collect();
    let arriving = found.arriving();
    let verdict = if found.announced == arriving {
        "equals".to_owned()
    } else {
        format!("differs from {} B,", grouped(arriving))
    };
    format!(
        "{} B, {verdict} the copies of lines {}: {sum}",
        grouped(found.announced),
        lines.join(" and ")
    )
}

/// The mask of the first CTA and the cluster as a picture of it.
fn mask(found: &MulticastMask) -> Vec<String> {
    let Some(first) = found.masks.first() else {
        return Vec::new();
    };
    let others = found
        .masks
        .iter()
        .skip(1)
        .map(MaskOfCta::bits)
        .filter(|bits| *bits != first.bits())
        .count();
    let mut lines = vec![format!("CTA {}: {}", first.cta, mask_text(first))];
    lines.extend(super::cluster::picture(&found.cluster, &first.ctas));
    if others > 0 {
        lines.push(format!(
            "in the other CTAs: {}",
            distinct_masks(&found.masks, first.bits())
        ));
    }
    lines
}

/// `0x1111 = {0,4,8,12}`.
pub fn mask_text(mask: &MaskOfCta) -> String {
    let ctas: Vec<String> = mask.ctas.iter().map(ToString::to_string).collect();
    format!("{:#06x} = {{{}}}", mask.bits(), ctas.join(","))
}

fn distinct_masks(masks: &[MaskOfCta], first: u16) -> String {
    let mut seen = vec![first];
    let mut texts = Vec::new();
    for mask in masks {
        let bits = mask.bits();
        if !seen.contains(&bits) {
            seen.push(bits);
            texts.push(format!("{bits:#06x}"));
        }
    }
    texts.join(" ")
}

/// The figures of a cost, by name: those that a later version may change.
pub fn figures(cost: &Cost) -> Vec<(&'static str, String)> {
    match cost {
        Cost::Tma(count) => vec![
            ("instructions", grouped(count.instructions)),
            ("box", extents(&count.extents)),
            ("bytes", grouped(count.bytes)),
        ],
        Cost::Copy(count) => vec![
            ("instructions", grouped(count.instructions)),
            ("instruction", count.instruction.clone()),
            ("bits", grouped(count.bits)),
        ],
        Cost::Mma(count) => vec![
            ("instructions", grouped(count.instructions)),
            ("shape", extents(&count.shape)),
        ],
        Cost::Accumulator(kept) => vec![("registers", grouped(kept.registers))],
        Cost::Tile(tile) => vec![
            ("instructions", grouped(tile.instructions)),
            ("box", extents(&tile.extents)),
            ("bytes", grouped(tile.bytes)),
        ],
        Cost::Transaction(found) => vec![
            ("announced", grouped(found.announced)),
            ("arriving", grouped(found.arriving())),
        ],
        Cost::Mask(found) => {
            let masks: Vec<String> = found.masks.iter().map(mask_text).collect();
            vec![("masks", masks.join(" "))]
        }
        Cost::Instruction(made) => made
            .fields()
            .iter()
            .map(|field| (field.name, field.value.to_string()))
            .collect(),
        Cost::Map(map) => vec![("box_bytes", map.box_bytes().to_string())],
        Cost::Descriptor(made) => made
            .fields
            .iter()
            .map(|field| (field.name, field.value.to_string()))
            .collect(),
        _ => Vec::new(),
    }
}

/// The multiprocessor that a kernel is judged by.
pub fn multiprocessor(budget: &Budget) -> Option<Multiprocessor> {
    Multiprocessor::of(budget.architecture.unwrap_or(USUAL))
}

/// A kernel in one line: `smem 96 of 227 KiB · fragments 64 registers · 128 threads · up to 2 CTAs/SM (limited by
/// shared memory)`.
pub fn ledger(budget: &Budget) -> Option<String> {
    let machine = multiprocessor(budget)?;
    let mut parts = Vec::new();
    if let Some(bytes) = budget.shared_bytes().filter(|bytes| *bytes > 0) {
        let limit = kibibytes(machine.shared_of_a_cta);
        parts.push(format!("smem {} of {limit} KiB", kibibytes(bytes)));
    }
    if budget.registers() > 0 {
        let registers = counted(budget.registers(), "register", "registers");
        parts.push(format!("fragments {registers}"));
    }
    if let Some(columns) = budget.allocated {
        parts.push(format!("tmem {columns} of {} columns", machine.columns));
    }
    if let Some(threads) = budget.threads() {
        parts.push(counted(threads, "thread", "threads"));
    }
    if let Some(occupancy) = budget.occupancy(machine) {
        let ctas = counted(occupancy.ctas, "CTA", "CTAs");
        let limit = occupancy.limit.name();
        parts.push(format!("up to {ctas}/SM (limited by {limit})"));
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Bytes in KiB, with two digits behind the point where they are not whole: `96`, `96.13`.
fn kibibytes(bytes: i64) -> String {
    const KIB: i64 = 1024;
    let hundredths = (bytes * 100).div_euclid(KIB);
    match bytes % KIB {
        0 => grouped(bytes / KIB),
        _ => format!("{}.{:02}", grouped(hundredths / 100), hundredths % 100),
    }
}

/// A kernel in a few lines.
pub fn summary(budget: &Budget) -> Vec<String> {
    let mut lines = Vec::new();
    let machine = multiprocessor(budget);
    for object in &budget.shared {
        lines.push(shared_line(object, machine));
    }
    if let Some((registers, _)) = budget.peak {
        let each: Vec<String> = budget
            .fragments
            .iter()
            .map(|fragment| format!("{} {}", fragment.name, fragment.cost.registers))
            .collect();
        lines.push(format!(
            "fragments hold {} at once ({})",
            counted(registers, "register", "registers"),
            each.join(", ")
        ));
    }
    for region in &budget.regions {
        lines.push(format!(
            "tensor memory: {} {} columns",
            region.name, region.columns
        ));
    }
    lines.extend(launch_lines(budget));
    lines.extend(occupancy_line(budget, machine));
    lines
}

fn shared_line(object: &SharedCost, machine: Option<Multiprocessor>) -> String {
    let size = match &object.size {
        Ok(size) => *size,
        Err(reason) => return format!("shared memory {}: unknown, {reason}", object.name),
    };
    let mut parts: Vec<String> = object.buffers.iter().map(buffer).collect();
    let barriers: i64 = object.barriers.iter().map(|part| part.bytes).sum();
    if barriers > 0 {
        parts.push(format!("barriers {}", grouped(barriers)));
    }
    if object.padding > 0 {
        parts.push(format!("padding {}", grouped(object.padding)));
    }
    let mut text = match machine {
        Some(machine) => format!(
            "shared memory: {} of {} B",
            grouped(size),
            grouped(machine.shared_of_a_cta)
        ),
        None => format!("shared memory: {} B", grouped(size)),
    };
    let _ = write!(text, " = {}", parts.join(" + "));
    if let Some(most) = machine.and_then(|machine| object.most_stages(machine.shared_of_a_cta)) {
        let _ = write!(text, "; at most {}", counted(most, "stage", "stages"));
    }
    text
}

fn buffer(part: &BufferCost) -> String {
    match part.stages {
        Some(stages) if stages > 1 => format!(
            "{} {} ({stages} x {})",
            part.name,
            grouped(part.bytes),
            grouped(part.bytes / stages)
        ),
        _ => format!("{} {}", part.name, grouped(part.bytes)),
    }
}

/// The work of the lines of a kernel, by line: byte of the called name, and the text.
pub fn lines_in(analysis: &Analysis, budget: &Budget) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for note in &analysis.notes {
        let is_here = note.function.as_deref() == Some(budget.function.as_str())
            && note.instance == budget.instance
            // A note on a call is shown at its variable, too.
            && analysis.facts_at(note.anchor.start).is_empty();
        let text = match &note.cost {
            Cost::Mask(found) => found
                .masks
                .first()
                .map(|mask| format!("CTA {}: multicast to {}", mask.cta, mask_text(mask))),
            cost => lines_of(cost).into_iter().next(),
        };
        if let (true, Some(text)) = (is_here, text) {
            let line = (note.anchor.start, text);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

/// Threads and cluster of each launch, each once.
pub fn launch_lines(budget: &Budget) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for launch in &budget.launches {
        let Some([x, y, z]) = launch.block else {
            continue;
        };
        let mut line = format!("{} threads", grouped(x * y * z));
        if let Some(cluster) = launch.cluster
            && cluster != [1, 1, 1]
        {
            let _ = write!(line, ", clusters of {}", extents(&cluster));
        }
        let _ = write!(line, ", grid {}", launch.grid);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Number of resident CTAs, in words.
pub fn occupancy_line(budget: &Budget, machine: Option<Multiprocessor>) -> Option<String> {
    let machine = machine?;
    let occupancy = budget.occupancy(machine)?;
    Some(format!(
        "at most {} per multiprocessor of sm_{}, limited by {}",
        counted(occupancy.ctas, "CTA", "CTAs"),
        machine.number,
        occupancy.limit.name()
    ))
}
