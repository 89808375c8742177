//! Kernels in Rust: the same accesses as in CUDA.

use cute_analysis::{Alone, Analysis, Options, SourceFile, analyse};
use tree_sitter_cute::{Budget, Host, Syntax};

use super::judged;

#[path = "rust/barriers.rs"]
mod barriers;
#[path = "rust/instructions.rs"]
mod instructions;
#[path = "rust/launches.rs"]
mod launches;
#[path = "rust/macros.rs"]
mod macros;
#[path = "rust/objects.rs"]
mod objects;
#[path = "rust/values.rs"]
mod values;
#[path = "rust/views.rs"]
mod views;

pub(super) fn analysed(text: &str) -> Analysis {
    analysed_for(text, false)
}

/// With `memory`, the cost of accesses is judged, too.
pub(super) fn analysed_for(text: &str, memory: bool) -> Analysis {
    let syntax = Syntax::parse(Host::Rust, text, None, Budget::unlimited()).unwrap();
    let file = SourceFile::analysed("kernel.rs", text, syntax.lower(text));
    let options = Options {
        host: Host::Rust,
        memory: judged(memory),
        ..Options::default()
    };
    analyse(&file, &Alone, &options)
}

/// `layout + base` of each access, in the order of the source, or why it is not known.
pub(super) fn accesses(text: &str) -> Vec<String> {
    listed(&analysed(text))
}

/// The accesses of an analysis: `shared store tile: 64:1 + 0`.
pub(super) fn listed(analysis: &Analysis) -> Vec<String> {
    let mut found: Vec<_> = analysis.accesses.iter().collect();
    found.sort_by_key(|access| (access.span.start, access.kind.name()));
    let shown = found.iter().map(|access| {
        let at = match &access.map {
            Ok(map) => match (&map.layout, &map.base) {
                (Some(layout), Some(base)) => format!("{layout} + {base}"),
                _ => map.expression.clone(),
            },
            Err(reason) => format!("? {reason}"),
        };
        let (kind, space) = (access.kind.name(), access.space.name());
        format!("{space} {kind} {}: {at}", access.memory)
    });
    shown.collect()
}

/// The rules of what is said.
pub(super) fn rules(text: &str) -> Vec<String> {
    let findings = analysed(text).findings;
    findings
        .iter()
        .map(|finding| finding.rule.to_string())
        .collect()
}

#[test]
fn slices_and_indices() {
    let text = "
use cuda_device::{DisjointSlice, kernel, thread};

#[kernel]
pub fn add(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let idx = thread::index_1d();
    let i = idx.get();
    if let Some(element) = c.get_mut(idx) {
        *element = a[i] + b[i * 2];
    }
}
";
    assert_eq!(
        accesses(text),
        [
            "global store c: 256:1 + 256*blockIdx.x",
            "global load a: 256:1 + 256*blockIdx.x",
            "global load b: 256:2 + 512*blockIdx.x",
        ]
    );
    // A function that is not a kernel has none.
    assert_eq!(
        accesses(&text.replace("#[kernel]\n", "")),
        Vec::<String>::new()
    );
}

#[test]
fn shared_arrays_and_barriers() {
    let text = "
use cuda_device::{SharedArray, kernel, thread};

#[kernel]
pub fn reverse(input: &[f32], output: *mut f32, n: usize) {
    static mut TILE: SharedArray<f32, 256> = SharedArray::UNINIT;
    // cute: assume blockDim.x=256
    let tx = thread::threadIdx_x() as usize;
    let from = thread::blockIdx_x() as usize * 256 + tx;
    unsafe {
        TILE[tx] = input[from];
    }
    thread::sync_threads();
    if from < n {
        unsafe { *output.add(from) = TILE[255 - tx]; }
    }
}
";
    assert_eq!(
        accesses(text),
        [
            "shared store TILE: 256:1 + 0",
            "global load input: 256:1 + 256*blockIdx.x",
            "global store output: 256:1 + 256*blockIdx.x",
            "shared load TILE: 256:-1 + 255",
        ]
    );
    assert_eq!(rules(text), Vec::<String>::new());
    assert_eq!(
        rules(&text.replace("    thread::sync_threads();\n", "")),
        ["shared-race"]
    );
    assert_eq!(
        rules(&text.replace("SharedArray<f32, 256>", "SharedArray<f32, 255>")).len(),
        2
    );
}

#[test]
fn loops_over_ranges() {
    let text = "
use cuda_device::{kernel, thread};

#[kernel]
pub fn sum(a: &[f32], out: *mut f32, k: usize) {
    let row = thread::threadIdx_x() as usize;
    let mut total = 0.0f32;
    for i in 0..4 {
        total += a[row * 64 + i];
    }
    for j in (0..k).step_by(8) {
        total += a[row * 64 + j];
    }
    unsafe { *out.add(row) = total; }
}
";
    assert_eq!(
        accesses(text),
        [
            "global load a: (256,4):(64,1) + 0",
            "global load a: 256:64 + j",
            "global store out: 256:1 + 0",
        ]
    );
}

#[test]
fn integers_have_the_names_of_rust() {
    let text = "
use cuda_device::{kernel, thread};

#[kernel]
pub fn clear(out: *mut f32) {
    let row = thread::blockIdx_x();
    if row < 131072 {
        unsafe { *out.add((row * 65536 + thread::threadIdx_x()) as usize) = 0.0; }
    }
}
";
    let said = |text: &str| -> Vec<String> {
        let findings = analysed(text).findings;
        findings
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    };
    assert_eq!(
        said(text),
        [
            "the index reaches 8589869056, but a u32 holds 4294967295 at most: it wraps around\nits conditions let threads get this far"
        ]
    );
    let signed = text.replace("thread::blockIdx_x();", "thread::blockIdx_x() as i32;");
    let signed = signed.replace("thread::threadIdx_x()) as usize", "0) as usize");
    assert_eq!(
        said(&signed),
        [
            "the index reaches 8589869056, but an i32 holds 2147483647 at most: it wraps around\nits conditions let threads get this far"
        ]
    );
    let wide = text.replace(
        "(row * 65536 + thread::threadIdx_x()) as usize",
        "row as usize * 65536",
    );
    assert_eq!(said(&wide), Vec::<String>::new());
}

#[test]
fn a_barrier_behind_a_return() {
    let text = "
use cuda_device::{SharedArray, kernel, thread};

#[kernel]
pub fn reverse(input: &[f32], output: *mut f32, n: usize) {
    static mut TILE: SharedArray<f32, 256> = SharedArray::UNINIT;
    // cute: assume blockDim.x=256
    let tx = thread::threadIdx_x() as usize;
    let from = thread::blockIdx_x() as usize * 256 + tx;
    if from >= n {
        return;
    }
    unsafe {
        TILE[tx] = input[from];
    }
    thread::sync_threads();
    unsafe { *output.add(from) = TILE[255 - tx]; }
}
";
    let rule = "barrier-after-exit".to_owned();
    assert!(rules(text).contains(&rule), "{:?}", rules(text));
    let whole = text.replace("if from >= n", "if thread::blockIdx_x() as usize >= n");
    assert!(!rules(&whole).contains(&rule), "{:?}", rules(&whole));
}

#[test]
fn swizzles_rows_and_columns() {
    let text = "
use cuda_device::swizzle::Swizzle;
use cuda_device::{SharedArray, kernel, thread};

#[kernel]
pub fn transpose(input: &[f32], out: *mut f32, n: usize) {
    static mut TILE: SharedArray<f32, 1024> = SharedArray::UNINIT;
    // cute: assume blockDim.x=32, blockDim.y=32
    let (tx, ty) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);
    let (row, col) = (thread::index_2d_row(), thread::index_2d_col());
    unsafe { TILE[Swizzle::<5, 0, 5>::apply(ty * 32 + tx)] = input[row * n + col]; }
    thread::sync_threads();
    unsafe { *out.add(ty * n + tx) = TILE[Swizzle::<5, 0, 5>::apply(tx * 32 + ty)]; }
}
";
    assert_eq!(
        accesses(text),
        [
            "shared store TILE: Sw<5,0,5> o 0 o 1024:1 + 0",
            "global load input: (32,32):(1,n) + 32*blockIdx.x+32*blockIdx.y*n",
            "global store out: (32,32):(1,n) + 0",
            "shared load TILE: Sw<5,0,5> o 0 o (32,32):(32,1) + 0",
        ]
    );
    assert_eq!(rules(text), Vec::<String>::new());
    // A function of this name that is not the crate's is not known.
    let other = text.replace("use cuda_device::swizzle::Swizzle;\n", "");
    let unknown = accesses(&other);
    assert!(unknown.iter().any(|it| it.contains('?')), "{unknown:?}");
}
