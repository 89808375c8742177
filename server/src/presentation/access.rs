//! The description of a plain load or store: its offset as a function of the thread, and its cost for a warp.

use cute_analysis::{
    Access, AccessCost, AccessMap, AccessSpace, Analysis, BlockFrom, Pointer, Space, Tensor, Value,
};
use tree_sitter_cute::tree::Span;

use super::instances::Chosen;
use super::number::counted;

/// A hover's description of the access at a byte.
pub struct Said {
    /// The subscript, the dereferenced expression or the call.
    pub span: Span,
    /// The title: `global load of in`.
    pub title: String,
    /// The sentences.
    pub lines: Vec<String>,
}

/// The innermost access at a byte, in each instance of its kernel.
pub fn at(analysis: &Analysis, byte: usize) -> Vec<&Access> {
    let here = || {
        let accesses = analysis.accesses.iter();
        accesses.filter(|access| access.span.contains(byte))
    };
    let innermost = here().min_by_key(|access| access.span.len());
    let span = innermost.map(|access| access.span);
    here().filter(|access| Some(access.span) == span).collect()
}

/// The description of the innermost access at a byte, in all instances of its kernel.
pub fn said(analysis: &Analysis, byte: usize) -> Option<Said> {
    let here = at(analysis, byte);
    let first = here.first()?;
    let mut lines: Vec<String> = Vec::new();
    for line in here.iter().flat_map(|access| sentences(access)) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    Some(Said {
        span: first.span,
        title: title_of(first),
        lines,
    })
}

fn title_of(access: &Access) -> String {
    match access.memory.as_str() {
        "" => format!("{} of memory", access.kind.name()),
        memory => format!("{} {} of {memory}", access.space.name(), access.kind.name()),
    }
}

/// The layout of the innermost access at a byte, from threads to offsets: of shared memory a tensor, so that its banks are
/// known; nothing where there is none. Of several instances the chosen one is, else the first with a layout.
pub fn value_at(analysis: &Analysis, byte: usize, chosen: &Chosen) -> Option<Value> {
    let here = at(analysis, byte);
    let which = here
        .iter()
        .map(|access| (Some(&*access.function), access.instance.as_deref()));
    let first = here.get(chosen.first(which)).copied();
    first.into_iter().chain(here).find_map(value_of)
}

fn value_of(access: &Access) -> Option<Value> {
    let layout = access.map.as_ref().ok()?.layout.as_ref()?.to_layout()?;
    if access.space == AccessSpace::Global || access.bytes != access.unit {
        return Some(Value::of_layout(layout));
    }
    let mut engine = Pointer::generic(None).in_space(Space::Shared);
    engine.element_bits = u32::try_from(access.unit.checked_mul(8)?).ok();
    Some(Value::Tensor(Box::new(Tensor { engine, layout })))
}

/// The sentences about an access.
pub fn sentences(access: &Access) -> Vec<String> {
    let map = match &access.map {
        Ok(map) => map,
        Err(reason) => return vec![format!("offset unknown: {reason}")],
    };
    let mut lines: Vec<String> = layout(map)
        .map(|layout| format!("threads to offsets: {layout}"))
        .into_iter()
        .collect();
    lines.push(match &map.cost {
        Some(cost) => cost_text(access, cost),
        None => without_cost(access),
    });
    lines.push(format!("offset {}", map.expression));
    if !map.guards.is_empty() {
        lines.push(format!("where {}", map.guards.join(" && ")));
    }
    lines.push(block_text(map));
    lines
}

/// The bytes that it moves, where the cost for a warp is unknown.
pub fn without_cost(access: &Access) -> String {
    let (space, kind) = (access.space.name(), access.kind.name());
    match access.bytes {
        0 => format!("{space} {kind}, of an unknown element size"),
        bytes => format!("{space} {kind}, {bytes} bytes per thread"),
    }
}

/// The layout with its summand: `(16,16):(1,lda) + 64*blockIdx.x`.
pub fn layout(map: &AccessMap) -> Option<String> {
    let layout = map.layout.as_ref()?;
    Some(match &map.base {
        Some(base) if base.as_known() != Some(0) => format!("{layout} + {base}"),
        _ => layout.to_string(),
    })
}

/// The cost for a warp: `shared store, 4 bytes per thread; warp 0: 32 wavefronts, ideal 1 (32-way)`.
pub fn cost_text(access: &Access, cost: &AccessCost) -> String {
    let (space, kind) = (access.space.name(), access.kind.name());
    let (taken, judged) = match access.space {
        AccessSpace::Shared => (
            counted(cost.count, "wavefront", "wavefronts"),
            match cost.count.checked_div(cost.ideal) {
                Some(ways) if cost.count > cost.ideal => format!("{ways}-way"),
                _ => "no conflict".to_owned(),
            },
        ),
        AccessSpace::Global => (
            counted(cost.count, "sector", "sectors"),
            if cost.count <= cost.ideal {
                "coalesced".to_owned()
            } else {
                format!("{} unused", cost.count - cost.ideal)
            },
        ),
    };
    let lanes = if cost.lanes == 32 {
        String::new()
    } else {
        format!(", {}", counted(cost.lanes, "lane", "lanes"))
    };
    let aligned = if cost.is_aligned_by_assumption {
        ", if the offset common to each warp is a multiple of 128 bytes"
    } else {
        ""
    };
    format!(
        "{space} {kind}, {} bytes per thread; warp {}{lanes}: {taken}, ideal {} ({judged}){aligned}",
        access.bytes, cost.warp, cost.ideal
    )
}

/// For which block it holds.
fn block_text(map: &AccessMap) -> String {
    let Some(([x, y, z], from)) = map.block else {
        return "block size unknown: no visible launch; state it by `// cute: assume blockDim.x = 256`".to_owned();
    };
    let said = match from {
        BlockFrom::Launch => "as launched",
        BlockFrom::Directive => "from a directive",
        BlockFrom::Contract => "required by the launch contract",
        BlockFrom::Bounds => "the maximum of the launch bounds",
        BlockFrom::Assumed => "assumed: no launch is visible",
    };
    format!("block of ({x},{y},{z}) threads, {said}")
}

/// The source of the size of a block, in one word.
pub fn block_from(from: BlockFrom) -> &'static str {
    match from {
        BlockFrom::Launch => "launch",
        BlockFrom::Directive => "directive",
        BlockFrom::Contract => "contract",
        BlockFrom::Bounds => "bounds",
        BlockFrom::Assumed => "assumed",
    }
}
