//! Indices of stages against the buffers and barriers that they go over.

use super::{changed, costs_of, tutorial};

/// A producer and a consumer that go over a buffer of 3 stages.
const RING: &str = include_str!("ring.cu");

/// The line and message of each index that goes too far.
fn outside(text: &str) -> Vec<String> {
    costs_of(text)
        .findings
        .iter()
        .filter(|finding| finding.rule == "stage-out-of-range")
        .map(|finding| {
            let line = text[..finding.span.start].matches('\n').count() + 1;
            format!("{line}: {}", finding.message)
        })
        .collect()
}

/// Findings of the changed source, minus those of the source itself: nothing.
fn found(text: &str, from: &str, to: &str) -> Vec<String> {
    assert_eq!(outside(text), Vec::<String>::new());
    outside(&changed(text, from, to))
}

#[test]
fn a_state_with_more_stages_than_the_buffer_is_found() {
    let source = include_str!("pipeline.cu");
    let deep = source.replace("Pipeline<4>", "Pipeline<5>");
    let found = outside(
        &deep
            .replace("PipelineState<4>", "PipelineState<5>")
            .replace("PipelineTmaAsync<4>", "PipelineTmaAsync<5>"),
    );
    assert_eq!(
        found,
        [
            "47: index can reach 4, but mode 1 of the tensor has 4 stages: out of bounds",
            "62: index can reach 4, but mode 3 of the tensor has 4 stages: out of bounds",
        ]
    );
    // As many stages, or fewer.
    for stages in ["4", "3"] {
        let fits = source
            .replace("PipelineState<4>", &format!("PipelineState<{stages}>"))
            .replace(
                "PipelineTmaAsync<4>",
                &format!("PipelineTmaAsync<{stages}>"),
            );
        assert_eq!(outside(&fits), Vec::<String>::new());
    }
}

#[test]
fn a_state_with_more_stages_than_its_pipeline_is_found() {
    let source = include_str!("pipeline.cu");
    let with = |state: &str| {
        outside(&source.replace("using PipelineState = cutlass::PipelineState<4>", state))
    };
    let deeper = with("using PipelineState = cutlass::PipelineState<5>");
    let message = "the state cycles through 5 stages, but pipeline has 4";
    let said = deeper.iter().filter(|found| found.contains(message));
    assert!(said.count() >= 1, "{deeper:?}");
    // Barriers that are left over harm nobody, where all go over the same ones.
    for stages in [4, 3] {
        let state = format!("using PipelineState = cutlass::PipelineState<{stages}>");
        assert_eq!(with(&state), Vec::<String>::new());
    }
}

#[test]
fn an_overload_that_an_assertion_refuses_is_not_judged() {
    let source = |assertion: &str| {
        format!(
            "#include <cutlass/pipeline/sm90_pipeline.hpp>\n\
             template <int A, int B> struct Mainloop {{\n\
               using Pipeline = cutlass::PipelineTmaAsync<B>;\n\
               using State = cutlass::PipelineState<A>;\n\
               __device__ void tail(Pipeline pipeline, State state) {{ {assertion} pipeline.producer_tail(state); }}\n\
               __device__ int run() {{ return A; }}\n\
             }};\n\
             __global__ void kernel(int* out) {{ Mainloop<2, 1> mainloop; out[0] = mainloop.run(); }}\n\
             void launch(int* out) {{ kernel<<<1, 1>>>(out); }}\n"
        )
    };
    let said = outside(&source(""));
    assert!(
        said.len() == 1
            && said
                .iter()
                .all(|said| said.contains("the state cycles through 2 stages")),
        "{said:?}"
    );
    assert_eq!(
        outside(&source("static_assert(A == B, \"as many\");")),
        Vec::<String>::new()
    );
}

#[test]
fn stages_of_the_hopper_tutorials_are_those_of_their_buffers() {
    let text = tutorial("hopper/wgmma_tma_sm90.cu");
    let deeper = found(
        &text,
        "auto K_PIPE_MAX = size<1>(tAsA);",
        "auto K_PIPE_MAX = size<1>(tAsA) + Int<1>{};",
    );
    insta::assert_snapshot!(deeper.join("\n"));
    let text = tutorial("hopper/wgmma_sm90.cu");
    let from = "  auto K_PIPE_MAX  = size<3>(tAsA)";
    let deeper = found(&text, from, &format!("{from} + Int<1>{{}}"));
    insta::assert_snapshot!(deeper.join("\n"));
}

#[test]
fn a_counter_that_goes_round_too_late_is_found() {
    let message = |last: i64| {
        vec![format!(
            "index can reach {last}, but mode 2 of the tensor has 3 stages: out of bounds"
        )]
    };
    let after_line = |found: Vec<String>| -> Vec<String> {
        found
            .iter()
            .map(|text| text.split_once(": ").expect("a line").1.to_owned())
            .collect()
    };
    let wrap = "read = (read + 1) % Stages;";
    for (to, last) in [
        ("read = (read + 1) % 4;", 3),
        ("read = read == Stages ? 0 : read + 1;", 3),
        ("++read; read = (read == 5) ? 0 : read;", 4),
        ("read = read < 3 ? read + 1 : 0;", 3),
        ("read = read + 1 == 4 ? 0 : read + 1;", 3),
        ("++read; if (read == 4) { read = 0; }", 3),
        ("if (++read == 4) { read = 0; phase ^= 1; }", 3),
        ("read += 1; read %= 6;", 5),
        // It takes the numbers of another one.
        ("read = write; write = (write == 4) ? 0 : write + 1;", 4),
    ] {
        assert_eq!(after_line(found(RING, wrap, to)), message(last), "{to}");
    }
}

#[test]
fn a_number_that_is_added_to_an_index_counts() {
    let read = "copy(sA(_, _, read), rA);";
    assert_eq!(
        found(RING, read, "copy(sA(_, _, read + 1), rA);"),
        ["29: index can reach 3, but mode 2 of the tensor has 3 stages: out of bounds"]
    );
    assert_eq!(
        found(RING, "full[stage], 1", "full[stage + 1], 1"),
        ["18: index can reach 3, but there are only 3 barriers: out of bounds"]
    );
    for to in ["read - 1", "(read + 1) % Stages", "read + tiles"] {
        let to = format!("copy(sA(_, _, {to}), rA);");
        assert_eq!(found(RING, read, &to), Vec::<String>::new(), "{to}");
    }
}

#[test]
fn a_counter_that_stays_inside_or_is_not_followed_is_silent() {
    let wrap = "read = (read + 1) % Stages;";
    for to in [
        "read = read == Stages - 1 ? 0 : read + 1;",
        "++read; read = (read == Stages) ? 0 : read;",
        "read = read + 1 < Stages ? read + 1 : 0;",
        "if (++read == Stages) { read = 0; }",
        "++read; if (read >= Stages) { read = 0; phase ^= 1; }",
        // What is not known.
        "read = (read + 1) % tiles;",
        "read = next(read);",
        "advance(read);",
        "advance(&read);",
        "read = (read + 2) % 4;",
        "++read;",
        "read = write; write = (write == 2) ? 0 : write + 1;",
        "read = write; write = tiles;",
        "read = (read + 1) % 4; if (tiles > 3) { read = tiles; }",
        "auto step = [&] { read = 0; }; step(); read = (read + 1) % 4;",
    ] {
        assert_eq!(found(RING, wrap, to), Vec::<String>::new(), "{to}");
    }
    // Checked before it is used.
    let deeper = changed(RING, wrap, "read = (read + 1) % 4;");
    let guarded = changed(
        &deeper,
        "copy(sA(_, _, read), rA);",
        "if (read < 3) { copy(sA(_, _, read), rA); }",
    );
    assert_eq!(outside(&guarded), Vec::<String>::new());
    // A loop that ends before.
    let short = changed(&deeper, "k < tiles", "k < 3");
    assert_eq!(outside(&short), Vec::<String>::new());
    // One stage for all.
    let broadcast = changed(&deeper, "Stride<_1, _64, Int<4096>>", "Stride<_1, _64, _0>");
    assert_eq!(outside(&broadcast), Vec::<String>::new());
}

#[test]
fn loops_over_more_stages_or_barriers_than_there_are_are_found() {
    for (from, to, expected) in [
        (
            "stage < Stages",
            "stage <= Stages",
            "index can reach 3, but there are only 3 barriers: out of bounds",
        ),
        (
            "uint64_t full[Stages];",
            "uint64_t full[Stages - 1];",
            "index can reach 2, but there are only 2 barriers: out of bounds",
        ),
        (
            "fill < Stages",
            "fill < 4",
            "index can reach 3, but mode 2 of the tensor has 3 stages: out of bounds",
        ),
    ] {
        let found = found(RING, from, to);
        assert_eq!(found.len(), 1, "{from} -> {to}: {found:?}");
        assert!(found[0].ends_with(expected), "{found:?}");
    }
    // Passes that are cut short.
    let deep = changed(RING, "fill < Stages", "fill < 4");
    let left = changed(
        &deep,
        "copy(rA, sA(_, _, fill));",
        "if (tiles == fill) break; copy(rA, sA(_, _, fill));",
    );
    assert_eq!(outside(&left), Vec::<String>::new());
    let guarded = changed(
        &deep,
        "copy(rA, sA(_, _, fill));",
        "bool there = fill < 3; if (there) copy(rA, sA(_, _, fill));",
    );
    assert_eq!(outside(&guarded), Vec::<String>::new());
}

#[test]
fn the_rest_of_a_counter_goes_round_and_the_place_is_named() {
    let put_back = "    read = (read + 1) % Stages;\n";
    let late = changed(RING, put_back, "    read = (read + 1) % (Stages + 1);\n");
    let analysis = costs_of(&late);
    let found = analysis
        .findings
        .iter()
        .find(|finding| finding.rule == "stage-out-of-range")
        .expect("a finding");
    let places: Vec<&str> = found
        .related
        .iter()
        .map(|place| place.span.text(&late))
        .collect();
    assert_eq!(places, ["read", "read = (read + 1) % (Stages + 1)"]);
    let copy = "    copy(sA(_, _, read), rA);\n";
    for (stages, count) in [("Stages", 0), ("(Stages + 1)", 1)] {
        let rest = format!("    int stage = k % {stages};\n    copy(sA(_, _, stage), rA);\n");
        assert_eq!(
            outside(&changed(RING, copy, &rest)).len(),
            count,
            "{stages}"
        );
    }
}
