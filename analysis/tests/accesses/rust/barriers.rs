//! Barriers of `cuda_device`: the arrivals that they count and those that come.

use super::rules;

fn kernel(uses: &str, counted: u32, body: &str) -> String {
    format!(
        "
{uses}
use cuda_device::{{kernel, thread}};
unsafe fn arrive(bar: *const Barrier) {{ mbarrier_arrive(bar); }}
#[kernel]
#[launch_contract(block = (128, 1, 1))]
pub unsafe fn k(map: *const TmaDescriptor, n: u32) {{
    static mut BAR: Barrier = Barrier::UNINIT;
    static mut TILE: SharedArray<f32, 4096, 128> = SharedArray::UNINIT;
    let tid = thread::threadIdx_x();
    if tid == 0 {{ mbarrier_init(&raw mut BAR, {counted}); }}
    thread::sync_threads();
    {body}
}}
"
    )
}

const NAMED: &str = "use cuda_device::barrier::{Barrier, mbarrier_arrive, mbarrier_arrive_expect_tx, mbarrier_init, mbarrier_try_wait, mbarrier_wait};";
const OPENED: &str = "use cuda_device::barrier::*;";
const MISMATCH: &[&str] = &["arrival-count-mismatch"];

#[test]
fn as_many_threads_arrive_as_a_barrier_counts() {
    for uses in [NAMED, OPENED] {
        for (counted, body, is_wrong) in [
            (
                64,
                "let token = mbarrier_arrive(&raw const BAR); mbarrier_wait(&BAR, token);",
                true,
            ),
            (
                128,
                "let token = mbarrier_arrive(&raw const BAR); mbarrier_wait(&BAR, token);",
                false,
            ),
            (
                1,
                "if tid == 0 { mbarrier_arrive_expect_tx(&raw const BAR, 1, 16384); }",
                false,
            ),
            (
                128,
                "if tid == 0 { mbarrier_arrive_expect_tx(&raw const BAR, 1, 16384); }",
                true,
            ),
            // A warp, and the lanes that begin one.
            (
                32,
                "if warp::warp_id() == 1 { mbarrier_arrive(&BAR); }",
                false,
            ),
            (
                4,
                "if warp::lane_id() == 0 { mbarrier_arrive(&BAR); }",
                false,
            ),
            (
                1,
                "if warp::lane_id() == 0 { mbarrier_arrive(&BAR); }",
                true,
            ),
            // A function of the source arrives, too.
            (256, "arrive(&BAR); mbarrier_arrive(&BAR);", false),
            (128, "arrive(&BAR); mbarrier_arrive(&BAR);", true),
            (
                128,
                "while !mbarrier_try_wait(&BAR, 0) {} mbarrier_arrive(&BAR);",
                false,
            ),
        ] {
            let expected = if is_wrong { MISMATCH } else { &[] };
            let text = kernel(uses, counted, body);
            assert_eq!(rules(&text), expected, "{uses} {counted} {body}");
        }
    }
}

#[test]
fn nothing_is_said_where_others_may_arrive() {
    for body in [
        // An unknown function has the barrier.
        "other(&raw mut BAR); mbarrier_arrive(&BAR);",
        // Who arrives only the running program knows.
        "if tid < n { mbarrier_arrive(&BAR); }",
    ] {
        let text = kernel(NAMED, 7, body);
        assert_eq!(rules(&text), Vec::<String>::new(), "{body}");
    }
    // Another function of that name.
    let text = "
use cuda_device::{kernel, thread};
use mine::{Barrier, mbarrier_init, mbarrier_arrive};
#[kernel]
#[launch_contract(block = (128, 1, 1))]
pub unsafe fn k() {
    static mut BAR: Barrier = Barrier::UNINIT;
    mbarrier_init(&raw mut BAR, 7);
    mbarrier_arrive(&BAR);
}";
    assert_eq!(rules(text), Vec::<String>::new());
}

#[test]
fn functions_of_cpp_with_these_names_have_their_own_meaning() {
    let text = "
__device__ int warp_id() { return threadIdx.x / 64; }
__global__ void k() {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) cuda::ptx::mbarrier_init(&bar, 64);
  __syncthreads();
  if (warp_id() == 0) cuda::ptx::mbarrier_arrive(&bar);
}
void launch() { k<<<1, 128>>>(); }";
    let found = super::super::findings(text, "arrival-count-mismatch");
    assert_eq!(found, Vec::<String>::new());
}
