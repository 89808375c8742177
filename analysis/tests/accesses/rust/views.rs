//! Views of `cuda-oxide`, structs of the source with their methods, options as values, loops over slices.

use super::accesses;

const HEAD: &str = "
use cuda_device::{kernel, launch_contract, thread, ColView32, DisjointSlice, LinearTiles, LocalIndex32,
    MatrixView32, RowMajorTiles, RowView32, RuntimeRowMajorTiles, Uniform};
";

/// A kernel of 16 x 16 threads.
fn kernel(params: &str, body: &str) -> String {
    format!(
        "{HEAD}#[kernel(launch_context = lc)]\n#[launch_contract(domain = 2, block = (16, 16, 1))]\n\
         pub fn k({params}) {{\n    let (tx, ty) = (thread::threadIdx_x(), thread::threadIdx_y());\n{body}\n}}\n"
    )
}

#[test]
fn rows_and_columns_of_a_matrix() {
    let text = kernel(
        "n: Uniform<u32>, k: u32, a: &[f32], b: &[f32]",
        "    let at = thread::coord_2d_u32(lc);
    let row = MatrixView32::new(a, k).row(at.row(), k).unwrap_or(RowView32::empty());
    let x = row.get(tx).unwrap_or(0.0);
    let b = MatrixView32::new(b, n.get());
    if let Some(column) = b.col(at.col(), k) { let y = column.get(ty).unwrap_or(0.0); }",
    );
    assert_eq!(
        accesses(&text),
        [
            "global load a: (16,16):(1,k) + 16*blockIdx.y*k",
            "global load b: (16,16):(1,n) + 16*blockIdx.x"
        ]
    );
}

#[test]
fn a_loop_over_a_row_and_a_column_together() {
    let text = kernel(
        "n: u32, k: u32, a: &[f32], b: &[f32]",
        "    let at = thread::coord_2d_u32(lc);
    if let Some(row) = MatrixView32::new(a, k).row(at.row(), k)
        && let Some(column) = MatrixView32::new(b, n).col(at.col(), k)
        && let Some(pair) = row.zip_exact(column)
    {
        let mut sum = 0.0f32;
        for (x, y) in pair { sum += x * y; }
    }",
    );
    assert_eq!(
        accesses(&text),
        [
            "global load a: (16,16):(0,k) + 16*blockIdx.y*k+x.pass",
            "global load b: (16,16):(1,0) + 16*blockIdx.x+n*x.pass"
        ]
    );
}

#[test]
fn tiles_of_a_thread() {
    let text = kernel(
        "mut c: DisjointSlice<f32, RowMajorTiles<2, 4, 128>>, mut d: DisjointSlice<f32, RuntimeRowMajorTiles<1, 1>>",
        "    let at = thread::coord_2d_u32(lc);
    if let Some(mut tile) = c.tile_2d32(at) {
        tile.at_const::<1, 3>().write(1.0);
        if let Some(column) = LocalIndex32::<4>::new(2) { tile.at(LocalIndex32::constant::<0>(), column).write(2.0); }
    }
    if let Some(mut cell) = d.tile_2d32_rt(at) { let x = cell.at_const::<0, 0>().read(); }",
    );
    assert_eq!(
        accesses(&text),
        [
            "global store c: (16,16):(4,256) + 64*blockIdx.x+4096*blockIdx.y+131",
            "global store c: (16,16):(4,256) + 64*blockIdx.x+4096*blockIdx.y+2",
            "global load d: (16,16):(1,d.row_stride) + 16*blockIdx.x+16*blockIdx.y*d.row_stride"
        ]
    );
    let text = "
use cuda_device::{kernel, launch_contract, thread, DisjointSlice, LinearTiles};
#[kernel(launch_context = lc)]
#[launch_contract(domain = 1, block = (128, 1, 1))]
pub fn runs(mut c: DisjointSlice<f32, LinearTiles<4>>, mut d: DisjointSlice<f32>) {
    let t = thread::index_1d_u32(lc);
    if let Some(mut run) = c.tile_thread32(t) { run.at_const::<2>().write(1.0); }
    if let Some(mut own) = d.element_thread32(t) { own.write(1.0); }
}
";
    assert_eq!(
        accesses(text),
        [
            "global store c: 128:4 + 512*blockIdx.x+2",
            "global store d: 128:1 + 128*blockIdx.x"
        ]
    );
}

#[test]
fn structs_of_the_source_have_methods() {
    let text = kernel(
        "n: u32, a: &[f32]",
        "    let mut tile = Tile::new(a.as_ptr(), n as usize);
    let x = tile.at(ty as usize, tx as usize);
    tile.next(4);
    let y = unsafe { *tile.start.add(tx as usize * tile.row) };
    if let Some(z) = tile.checked(tx as usize) { let z = z; }
    let w = Tile { row: 2, ..tile };",
    ) + "
struct Tile { start: *const f32, row: usize }
impl Tile {
    fn new(start: *const f32, row: usize) -> Self { Self { start, row } }
    fn at(&self, r: usize, c: usize) -> f32 { unsafe { *self.start.add(r * self.row + c) } }
    fn next(&mut self, rows: usize) { self.start = unsafe { self.start.add(rows * self.row) }; }
    fn checked(&self, i: usize) -> Option<f32> {
        if i >= 8 { return None; }
        Some(unsafe { *self.start.add(i) })
    }
}
";
    assert_eq!(
        accesses(&text),
        [
            "global load a: (16,16):(n,0) + 4*n",
            "global load a: (16,16):(1,n) + 0",
            "global load a: (16,16):(1,0) + 4*n"
        ]
    );
}

#[test]
fn options_are_values() {
    let text = kernel(
        "n: u32, a: &[f32]",
        "    let at = shifted(tx).unwrap_or(3);
    let x = a[at as usize];
    let y = shifted(ty).map(|at| at * 2).unwrap_or_else(|| 0);
    let z = a[y as usize];
    let w = shifted(tx).map_or(1, |at| at + 1);
    let v = a[w as usize];",
    ) + "
fn shifted(x: u32) -> Option<u32> { if x < 8 { Some(x + 1) } else { None } }
";
    assert_eq!(
        accesses(&text),
        [
            "((threadIdx.x < 8) ? threadIdx.x + 1 : 3)",
            "((threadIdx.y < 8) ? (threadIdx.y + 1)*2 : 0)",
            "((threadIdx.x < 8) ? threadIdx.x + 1 + 1 : 1)"
        ]
        .map(|index| format!("global load a: {index}"))
    );
}

#[test]
fn loops_go_over_slices() {
    let text = kernel(
        "a: &[f32], b: &[f32]",
        "    let mut sum = 0.0f32;
    for x in a { sum += *x; }
    for (i, x) in a[8..].iter().enumerate() { sum += *x * b[2 * i]; }
    for (x, y) in a.iter().zip(b.iter()) { sum += *x * *y; }",
    );
    assert_eq!(
        accesses(&text),
        [
            "global load a: (16,16):(0,0) + x.pass",
            "global load a: (16,16):(0,0) + i.pass+8",
            "global load b: (16,16):(0,0) + 2*i.pass",
            "global load a: (16,16):(0,0) + x.pass'2",
            "global load b: (16,16):(0,0) + x.pass'2"
        ]
        .map(|said| said.replace("(16,16):(0,0)", "256:0"))
    );
}
