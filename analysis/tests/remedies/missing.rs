//! Remedies that put back missing statements: the result is the right program.

use cute_analysis::Options;
use tree_sitter_cute::Host;

use super::remedied;

/// A source of the tests of costs without one of its pieces.
fn without(text: &str, piece: &str, instead: &str) -> String {
    assert_eq!(text.matches(piece).count(), 1, "{piece}");
    text.replace(piece, instead)
}

/// The only remedy of the only finding of a rule.
#[track_caller]
fn only(text: &str, rule: &str) -> (String, String) {
    let remedies = remedied(text, rule, &Options::default());
    assert_eq!(remedies.len(), 1, "{rule}: {remedies:#?}");
    remedies[0].clone()
}

#[test]
fn what_is_missing_is_put_back() {
    let tmem = include_str!("../costs/tmem.cu");
    let store = include_str!("../costs/store.cu");
    let dependent = include_str!("../costs/dependent.cu");
    for (rule, text, piece) in [
        (
            "tmem-wait",
            tmem,
            "      cutlass::arch::fence_view_async_tmem_load();\n",
        ),
        (
            "tmem-wait",
            include_str!("../costs/tmem_store.cu"),
            "  cutlass::arch::fence_view_async_tmem_store();\n",
        ),
        ("tma-store-wait", store, "      tma_store_wait<0>();\n"),
        (
            "grid-dependency",
            dependent,
            "  cudaGridDependencySynchronize();\n",
        ),
    ] {
        let (title, _) = only(&without(text, piece, ""), rule);
        let statement = piece.trim();
        assert_eq!(title, format!("Insert `{statement}`"));
    }
    let fence = without(store, "    tma_store_fence();\n", "");
    assert_eq!(only(&fence, "proxy-fence").1, store);
}

#[test]
fn a_barrier_of_the_cluster_is_put_at_the_end() {
    let peers = include_str!("../costs/peers.cu");
    let last = "other[threadIdx.x];\n  cluster.sync();\n";
    let wrong = without(peers, last, "other[threadIdx.x];\n");
    let (title, right) = only(&wrong, "cluster-exit");
    assert_eq!(title, "Insert `cute::cluster_sync();`");
    assert_eq!(
        right,
        without(
            peers,
            last,
            "other[threadIdx.x];\n  cute::cluster_sync();\n"
        )
    );
}

#[test]
fn an_offset_is_computed_in_64_bits() {
    let offsets = include_str!("../costs/offsets.cu");
    let wrong = without(
        offsets,
        "  int64_t wide = 65536;\n",
        "  int wide = 65536;\n",
    );
    let (title, right) = only(&wrong, "offset-overflow");
    assert_eq!(title, "Compute it in 64 bits: int64_t(row)");
    assert!(right.contains("p[int64_t(row) * wide"), "{right}");
}

#[test]
fn a_barrier_in_rust_is_written_in_rust() {
    let options = Options {
        host: Host::Rust,
        ..Options::default()
    };
    for (imported, barrier) in [
        (
            "SharedArray, kernel, launch_contract, thread",
            "thread::sync_threads();",
        ),
        (
            "SharedArray, kernel, launch_contract, thread, thread::sync_threads",
            "sync_threads();",
        ),
        (
            "SharedArray, kernel, launch_contract, thread::threadIdx_x",
            "cuda_device::thread::sync_threads();",
        ),
    ] {
        let axis = if imported.contains("thread,") || imported.ends_with("thread") {
            "thread::threadIdx_x()"
        } else {
            "threadIdx_x()"
        };
        let text = format!(
            "use cuda_device::{{{imported}}};
#[kernel]
#[launch_contract(domain = 1, block = (256, 1, 1))]
pub unsafe fn f(a: &[f32], c: *mut f32) {{
    static mut T: SharedArray<f32, 256> = SharedArray::UNINIT;
    let t = {axis} as usize;
    T[t] = a[t];
    let x = T[255 - t];
    *c.add(t) = x;
}}
"
        );
        let (title, right) = {
            let remedies = remedied(&text, "shared-race", &options);
            assert_eq!(remedies.len(), 1, "{remedies:#?}");
            remedies[0].clone()
        };
        assert_eq!(title, format!("Insert `{barrier}`"));
        assert!(right.contains(&format!("{barrier}\n    let x")), "{right}");
    }
}
