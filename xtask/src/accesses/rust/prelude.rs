// What `cuda-oxide`'s words are to a compiler of the host. The C++ side runs the threads and compares.
#![no_std]
#![allow(warnings)]
unsafe extern "C" {
    fn seen_at(line: i32, offset: i64, names: *const i64);
    fn index_of(which: u32) -> u32;
    fn abort() -> !;
}
fn seen(line: i32, offset: i64, names: &[i64]) {
    unsafe { seen_at(line, offset, names.as_ptr()) }
}
fn loaded(at: usize) -> usize {
    at * 7 % 64
}
mod thread {
    macro_rules! indices {
        ($($name:ident $which:literal),*) => { $(pub fn $name() -> u32 { unsafe { crate::index_of($which) } })* };
    }
    indices!(threadIdx_x 0, threadIdx_y 1, threadIdx_z 2, blockIdx_x 3, blockIdx_y 4, blockDim_x 6, blockDim_y 7);
}
struct Swizzle<const B: u32, const M: u32, const FROM: u32>;
impl<const B: u32, const M: u32, const FROM: u32> Swizzle<B, M, FROM> {
    fn apply(x: usize) -> usize {
        x ^ (((x >> FROM) & ((1 << B) - 1)) << M)
    }
}
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unsafe { abort() }
}
// `core` asks for it, though nothing unwinds.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
