//! `layouts --accesses FILE...`: every plain load and store of a kernel, as a function of the thread.

use std::io;
use std::path::PathBuf;

use cute_analysis::{Access, AccessSpace};
use serde::Serialize;

use super::Session;
use super::arguments::formats::TableFormat;
use super::output::Outcome;
use super::source::{Source, for_each_file};
use crate::presentation::access;

/// A row as `layouts --accesses --format json` prints it.
#[derive(Serialize)]
struct Row {
    file: String,
    line: usize,
    column: usize,
    function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    /// `load`, `store` or `atomic`.
    kind: &'static str,
    /// `global` or `shared`.
    space: &'static str,
    memory: String,
    /// Bytes of a thread.
    bytes: i64,
    /// Bytes of one step of an offset; 0 where it is an element whose size is not known.
    unit: i64,
    /// Whether the offset of each thread is known.
    known: bool,
    /// The offset as C++ writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<String>,
    /// The part that is the same for all threads of a block.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<String>,
    /// The loops whose passes are modes of the layout, with how often each goes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    loops: Vec<(String, i64)>,
    /// Threads of a block.
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<[i64; 3]>,
    /// `launch`, `directive`, `bounds` or `assumed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    guards: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sectors: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wavefronts: Option<i64>,
    /// The fewest of them that move as many bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    ideal: Option<i64>,
    /// The warp of which they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    warp: Option<i64>,
    /// Its lanes that take part.
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<i64>,
    /// Whether the part that is the same for a block is taken for a multiple of 128 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    aligned_by_assumption: Option<bool>,
    /// Why the offset is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

pub(super) fn run(
    files: &[PathBuf],
    format: TableFormat,
    session: &mut Session,
) -> io::Result<Outcome> {
    for_each_file(files, session, |session, source, analysis| {
        for access in &analysis.accesses {
            match format {
                TableFormat::Text => session.out.line(&text(access, source))?,
                TableFormat::Json => session.out.json(&Row::of(access, source))?,
            }
        }
        Ok(Outcome::Clean)
    })
}

impl Row {
    fn of(access: &Access, source: &Source) -> Self {
        let place = source.lines.place(access.span.start);
        let map = access.map.as_ref().ok();
        let cost = map.and_then(|map| map.cost);
        let count = |space| {
            cost.filter(|_| access.space == space)
                .map(|cost| cost.count)
        };
        Self {
            file: source.path.display().to_string(),
            line: place.line,
            column: place.column,
            function: access.function.to_string(),
            instance: access.instance.clone(),
            kind: access.kind.name(),
            space: access.space.name(),
            memory: access.memory.clone(),
            bytes: access.bytes,
            unit: access.unit,
            known: map.is_some(),
            offset: map.map(|map| map.expression.clone()),
            layout: map.and_then(|map| Some(map.layout.as_ref()?.to_string())),
            base: map.and_then(|map| Some(map.base.as_ref()?.to_string())),
            loops: map.map(|map| map.loops.clone()).unwrap_or_default(),
            block: map.and_then(|map| map.block).map(|(block, _)| block),
            block_from: map
                .and_then(|map| map.block)
                .map(|(_, from)| access::block_from(from)),
            guards: map.map(|map| map.guards.clone()).unwrap_or_default(),
            sectors: count(AccessSpace::Global),
            wavefronts: count(AccessSpace::Shared),
            ideal: cost.map(|cost| cost.ideal),
            warp: cost.map(|cost| cost.warp),
            lanes: cost.map(|cost| cost.lanes),
            aligned_by_assumption: cost.map(|cost| cost.is_aligned_by_assumption),
            reason: access.map.as_ref().err().cloned(),
        }
    }
}

/// `file:line:column: global load of in: (32,8):(1,lda) + 64*blockIdx.x; 4 bytes per thread; ...`.
fn text(access: &Access, source: &Source) -> String {
    let place = source.lines.place(access.span.start);
    let (file, line, column) = (source.path.display(), place.line, place.column);
    let memory = &access.memory;
    let said = match &access.map {
        Err(reason) => format!("{} {memory}: ({reason})", access.kind.name()),
        Ok(map) => {
            let what = access::layout(map).unwrap_or_else(|| map.expression.clone());
            match &map.cost {
                Some(cost) => format!("{memory}[{what}]: {}", access::cost_text(access, cost)),
                None => format!("{memory}[{what}]: {}", access::without_cost(access)),
            }
        }
    };
    let instance = access
        .instance
        .as_ref()
        .map(|it| format!("  [{it}]"))
        .unwrap_or_default();
    format!("{file}:{line}:{column}: {said}{instance}")
}
