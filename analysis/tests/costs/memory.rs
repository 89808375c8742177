//! Shared memory against what is laid on it.

use super::costs_of;

/// A kernel that loads a tile, with places for its memory, its layout and its launch.
const LOAD: &str = "
#include <cute/tensor.hpp>
using namespace cute;
extern __shared__ char bytes[];
struct Storage {
  alignas(16) float a[1024];
  alignas(16) float b[512];
};
struct Nothing {};
struct Without {
  Nothing c;
};
union Either {
  float a[1024];
  float b[512];
};
__global__ void load(float const* p, float* given, int n, bool first) {
  MEMORY
  auto layout = LAYOUT;
  Tensor shared = make_tensor(make_smem_ptr(POINTER), layout);
  Tensor global = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<128>{}, Int<8>{})));
  auto threads = make_layout(make_shape(Int<32>{}, Int<8>{}));
  copy(local_partition(global, threads, threadIdx.x), local_partition(shared, threads, threadIdx.x));
}
void other(void const* kernel);
void launch(float const* p, int n) {
  BEFORE
  load<<<1, 256, BYTES>>>(p, nullptr, n, true);
}
";

const TILE: &str = "make_layout(make_shape(Int<128>{}, Int<8>{}))";

struct Source {
    memory: &'static str,
    layout: &'static str,
    pointer: &'static str,
    bytes: &'static str,
    before: &'static str,
}

const ARRAY: Source = Source {
    memory: "__shared__ float buffer[1024];",
    layout: TILE,
    pointer: "buffer",
    bytes: "0",
    before: "",
};

const DYNAMIC: Source = Source {
    memory: "",
    pointer: "reinterpret_cast<float*>(bytes)",
    bytes: "4096",
    ..ARRAY
};

const MEMBER: Source = Source {
    memory: "Storage& smem = *reinterpret_cast<Storage*>(bytes);",
    pointer: "smem.a",
    bytes: "sizeof(Storage)",
    ..ARRAY
};

impl Source {
    fn text(&self) -> String {
        LOAD.replace("MEMORY", self.memory)
            .replace("LAYOUT", self.layout)
            .replace("POINTER", self.pointer)
            .replace("BYTES", self.bytes)
            .replace("BEFORE", self.before)
    }

    fn found(&self) -> Vec<String> {
        let analysis = costs_of(&self.text());
        let findings = analysis.findings.iter();
        findings
            .filter(|finding| finding.rule == "smem-extent")
            .map(|finding| finding.message.clone())
            .collect()
    }
}

#[test]
fn a_tensor_beyond_its_array_member_or_launch_is_found() {
    for (source, message) in [
        (
            Source {
                memory: "__shared__ float buffer[512];",
                ..ARRAY
            },
            "the tensor ends at byte 4096 of `buffer`, which has only 2048 bytes",
        ),
        (
            Source {
                pointer: "buffer + 8",
                ..ARRAY
            },
            "the tensor ends at byte 4128 of `buffer`, which has only 4096 bytes",
        ),
        (
            Source {
                pointer: "&buffer[256]",
                ..ARRAY
            },
            "the tensor ends at byte 5120 of `buffer`, which has only 4096 bytes",
        ),
        (
            Source {
                layout: "make_layout(make_shape(Int<128>{}, Int<8>{}), make_stride(Int<1>{}, Int<136>{}))",
                ..ARRAY
            },
            "the tensor ends at byte 4320 of `buffer`, which has only 4096 bytes",
        ),
        (
            Source {
                pointer: "smem.b",
                ..MEMBER
            },
            "the tensor ends at byte 4096 of `b`, which has only 2048 bytes",
        ),
        (
            Source {
                bytes: "2048",
                ..DYNAMIC
            },
            "4096 bytes of dynamic shared memory are used, the launch gives 2048",
        ),
        (
            Source {
                bytes: "1024",
                ..DYNAMIC
            },
            "4096 bytes of dynamic shared memory are used, the launch gives 1024 (elements of 4 bytes)",
        ),
        (
            Source {
                pointer: "reinterpret_cast<float*>(bytes + 1024)",
                ..DYNAMIC
            },
            "5120 bytes of dynamic shared memory are used, the launch gives 4096",
        ),
        (
            Source {
                bytes: "4096",
                ..MEMBER
            },
            "6144 bytes of dynamic shared memory are used, the launch gives 4096",
        ),
        (
            Source {
                bytes: "50000",
                ..DYNAMIC
            },
            "50000 dynamic bytes exceed the 49152 without `cudaFuncSetAttribute`: the launch fails",
        ),
    ] {
        assert_eq!(source.found(), [message], "{}", source.text());
    }
}

#[test]
fn what_fits_or_is_not_known_is_silent() {
    for source in [
        ARRAY,
        DYNAMIC,
        MEMBER,
        // A member of a union has its own bytes.
        Source {
            memory: "__shared__ Either smem;",
            pointer: "smem.a",
            ..ARRAY
        },
        // Chosen, changed or given pointers.
        Source {
            memory: "__shared__ float large[1024]; __shared__ float small[512]; float* chosen = first ? small : large;",
            pointer: "chosen",
            ..ARRAY
        },
        Source {
            memory: "__shared__ float small[512]; float* later = small; later = given;",
            pointer: "later",
            ..ARRAY
        },
        Source {
            pointer: "given",
            ..ARRAY
        },
        // What only the running program has.
        Source {
            layout: "make_layout(make_shape(n, Int<8>{}))",
            ..ARRAY
        },
        Source {
            pointer: "buffer + n",
            ..ARRAY
        },
        Source {
            bytes: "n",
            ..DYNAMIC
        },
        // A function names the kernel, and may raise its limit.
        Source {
            bytes: "50000",
            before: "cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000);",
            ..DYNAMIC
        },
        Source {
            bytes: "50000",
            before: "other(reinterpret_cast<void const*>(&load));",
            ..DYNAMIC
        },
        // A configuration leaves the member out.
        Source {
            memory: "__shared__ Without smem;",
            pointer: "reinterpret_cast<float*>(&smem.c)",
            ..ARRAY
        },
        // The last byte that there is.
        Source {
            bytes: "49152",
            ..DYNAMIC
        },
    ] {
        assert_eq!(source.found(), Vec::<String>::new(), "{}", source.text());
    }
}

#[test]
fn bytes_that_a_kernel_is_given_are_not_its_shared_memory() {
    let text = "struct alignas(4) Word { float value; };
template <class T> __global__ void copy(T const* from, T* to, int n) {
  T const* row = from + n;
  Word const word = reinterpret_cast<Word const*>(row)[threadIdx.x];
  to[threadIdx.x] = word.value;
}
void launch(unsigned char* a, unsigned char* b, int n) { copy<unsigned char><<<1, 128>>>(a, b, n); }
";
    let found: Vec<String> = costs_of(text)
        .findings
        .iter()
        .map(|finding| format!("{}: {}", finding.rule, finding.message))
        .collect();
    assert_eq!(found, [""; 0]);
    let object = text.replace("T const* row = from + n;", "extern __shared__ char row[];");
    let found = costs_of(&object).findings;
    assert!(found.iter().any(|finding| finding.rule == "smem-extent"));
}

#[test]
fn places_of_what_is_too_small_are_named() {
    let places = |text: &str| {
        let analysis = costs_of(text);
        let found = analysis
            .findings
            .iter()
            .find(|finding| finding.rule == "smem-extent");
        let related = found.map(|finding| {
            let related = finding.related.iter();
            related
                .map(|place| place.span.text(text).to_owned())
                .collect::<Vec<_>>()
        });
        related.unwrap_or_default()
    };
    let member = Source {
        pointer: "smem.b",
        ..MEMBER
    };
    assert_eq!(places(&member.text()), ["b"]);
    let launch = Source {
        bytes: "size",
        before: "int size = 2048; report(cudaFuncSetAttribute(load, 8, size));",
        ..DYNAMIC
    };
    assert_eq!(
        places(&launch.text()),
        ["load<<<1, 256, size>>>(p, nullptr, n, true)", "size"]
    );
}

/// A tensor that a lambda returns where another one is not needed has only its type.
#[test]
fn a_tensor_that_is_one_of_several_may_be_unused() {
    let text = |body: &str| {
        format!(
            "#include <cute/tensor.hpp>
using namespace cute;
struct Storage {{ alignas(128) half_t q[1024]; alignas(128) half_t p[4096]; }};
template <bool InRegisters>
__global__ void attend() {{
  extern __shared__ char bytes[];
  Storage& smem = *reinterpret_cast<Storage*>(bytes);
  auto layout = Layout<Shape<_64, _64>, Stride<_64, _1>>{{}};
  Tensor sP = [&] {{ {body} }}();
}}
void launch() {{ attend<true><<<1, 128, sizeof(Storage)>>>(); }}
"
        )
    };
    let found = |body: &str| -> Vec<String> {
        let found = costs_of(&text(body)).findings.into_iter();
        found.map(|finding| finding.message).collect()
    };
    let (q, p) = (
        "return make_tensor(make_smem_ptr(smem.q), layout);",
        "return make_tensor(make_smem_ptr(smem.p), layout);",
    );
    assert_eq!(
        found(q),
        ["the tensor ends at byte 8192 of `q`, which has only 2048 bytes"]
    );
    let chosen = format!("if constexpr (InRegisters) {{ {q} }} else {{ {p} }}");
    assert_eq!(found(&chosen), Vec::<String>::new());
    assert_eq!(found(p), Vec::<String>::new());
}
