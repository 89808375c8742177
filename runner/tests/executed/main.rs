//! The kernels that `ptx` prints and `run` sends, executed by a machine that is not ours, and every offset that they
//! compute compared with the algebra.
//!
//! A text of which the machine has all instructions is executed as it is. Of the others, each instruction that it lacks
//! is lent to it (`lent.rs`); which those are, the machine itself tells, and a table of `docs/reliability.md` lists.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod layouts;
mod lent;
mod listed;
mod machine;
#[path = "../pairs/mod.rs"]
mod pairs;
mod text;

use cute_algebra::{AnyLayout, Int};
use cute_hardware::Kernel;
use cute_hardware::address::Program;
use cute_hardware::address::ptx::{copy_kernel, function, offsets_kernel};
use cute_hardware::kernel::banks::CHAINS;
use cute_runner::banks::BankAccess;
use cute_runner::copy::Copy;
use cute_runner::gemm::Gemm;
use cute_runner::job::{Argument, Buffer, Job, Launch};
use cute_runner::plan::Plan;
use cute_runner::watch::Unwatched;
use layouts::{Sized, golden, sized};
use machine::{Given, execute, lacking, perform};
use pairs::pairs;
use proptest::prelude::*;

/// The offsets of a layout by the algebra, by colexicographic index.
fn by_the_algebra(layout: &AnyLayout) -> Vec<i64> {
    let size = layout.size().unwrap().value().unwrap();
    let offset = |index| layout.eval(index).unwrap().as_leaf().and_then(Int::value);
    (0..size)
        .map(|index| offset(index).expect("a number"))
        .collect()
}

/// The text that is executed for a job: the kernel's own, or that with what the machine lacks lent to it.
fn text_for(job: &Job) -> String {
    let lacking = lacking(&job.kernel.text);
    if lacking.is_empty() {
        return job.kernel.text.clone();
    }
    lent::lent(&job.kernel.text, job.launch, &lacking).unwrap_or_else(|| {
        panic!(
            "not all of it can be lent: {lacking:?}\n{}",
            job.kernel.text
        )
    })
}

fn performed(job: &Job) -> Vec<Vec<u8>> {
    let text = text_for(job);
    perform(job, &text).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// The job of a kernel of offsets: sizes of run time are its parameters.
fn offsets_job(program: &Program, count: i64, parameters: &[i64]) -> Job {
    let kernel = offsets_kernel(program);
    let count = u32::try_from(count).unwrap();
    let mut arguments = vec![Argument::Buffer(0), Argument::Word(count)];
    arguments.extend(parameters.iter().map(|number| argument(program, *number)));
    job(
        kernel,
        vec![Buffer::result("offsets", u64::from(count) * 8, 0xFF)],
        arguments,
        Launch {
            blocks: count.div_ceil(256).max(1),
            ..Launch::one(256.min(count.max(1)), 0)
        },
    )
}

fn argument(program: &Program, number: i64) -> Argument {
    if program.is_wide() {
        Argument::Long(number as u64)
    } else {
        Argument::Word(number as u32)
    }
}

fn job(kernel: Kernel, buffers: Vec<Buffer>, arguments: Vec<Argument>, launch: Launch) -> Job {
    Job {
        kernel,
        buffers,
        arguments,
        maps: Vec::new(),
        launch,
        timing: None,
        driver_copy: None,
    }
}

/// Executes the kernel of offsets of a layout and compares all of them.
fn offsets_are_the_layouts(sized: &Sized) {
    let program = Program::of_index(&sized.symbolic).unwrap();
    let expected = by_the_algebra(&sized.known);
    let job = offsets_job(&program, expected.len() as i64, &sized.values(&program));
    let got = Plan::offsets_in(&performed(&job)[0]);
    assert_eq!(got, expected, "{}\n{}", sized.symbolic, job.kernel.text);
}

/// A kernel that calls a function of offsets for each row of a table of inputs: what the text of `ptx` is for.
fn caller(program: &Program, called: &str, name: &str) -> String {
    let bits = if program.is_wide() { 64 } else { 32 };
    let inputs: Vec<String> = (0..program.inputs())
        .map(|at| format!("index{at}"))
        .collect();
    let parameters: Vec<String> = (0..program.parameters().len())
        .map(|at| format!("parameter{at}"))
        .collect();
    let more: String = parameters
        .iter()
        .map(|name| format!(", .param .b{bits} p_{name}"))
        .collect::<Vec<_>>()
        .concat();
    let all: Vec<&str> = inputs
        .iter()
        .chain(&parameters)
        .map(String::as_str)
        .collect();
    let declared: String = all
        .iter()
        .map(|name| format!(".param .b{bits} {name}; "))
        .collect::<Vec<_>>()
        .concat();
    let of_input = inputs.iter().enumerate().map(|(place, input)| {
        let offset = 8 * place;
        format!("ld.global.b{bits} %x0, [%l1+{offset}]; st.param.b{bits} [{input}], %x0;\n")
    });
    let of_parameter = parameters.iter().map(|parameter| {
        format!("ld.param.b{bits} %x0, [p_{parameter}]; st.param.b{bits} [{parameter}], %x0;\n")
    });
    let given = of_input.chain(of_parameter).collect::<Vec<_>>().concat();
    let widen = if bits == 64 {
        "mov.b64 %l2, %x0;"
    } else {
        "cvt.s64.s32 %l2, %x0;"
    };
    format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n{called}
.visible .entry call_each(.param .u64 p_out, .param .u64 p_in, .param .u32 p_count{more})
{{
.reg .pred %p<1>; .reg .b32 %i<4>; .reg .b64 %l<4>; .reg .b{bits} %x<1>; {declared}.param .b{bits} offset;
mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x; mad.lo.u32 %i0, %i0, %i1, %i2;
ld.param.u32 %i3, [p_count]; setp.ge.u32 %p0, %i0, %i3; @%p0 bra DONE;
ld.param.u64 %l0, [p_out]; ld.param.u64 %l1, [p_in];
mad.wide.u32 %l0, %i0, 8, %l0; mad.wide.u32 %l1, %i0, {}, %l1;
{given}call (offset), {name}, ({});
ld.param.b{bits} %x0, [offset]; {widen} st.global.u64 [%l0], %l2;
DONE: ret;
}}
",
        8 * program.inputs().max(1),
        all.join(", "),
    )
}

/// Executes the device function of a program for all rows of inputs: the offsets, and whether its text was executed as
/// it is.
fn function_offsets(program: &Program, rows: &[Vec<i64>], parameters: &[i64]) -> (Vec<i64>, bool) {
    let text = function(program, "tile_offset");
    let lacking = lacking(&text);
    let one = Launch::one(1, 0);
    let called = if lacking.is_empty() {
        text
    } else {
        lent::lent(&text, one, &lacking).unwrap_or_else(|| panic!("{lacking:?}\n{text}"))
    };
    let module = caller(program, &called, "tile_offset");
    let table: Vec<u8> = rows
        .iter()
        .flatten()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let mut buffers = [vec![0xFF; rows.len() * 8], table];
    let count = u32::try_from(rows.len()).unwrap();
    let mut given = vec![Given::Buffer(0), Given::Buffer(1), Given::Word(count)];
    given.extend(
        parameters
            .iter()
            .map(|number| match argument(program, *number) {
                Argument::Word(word) => Given::Word(word),
                _ => Given::Long(*number as u64),
            }),
    );
    execute(
        &module,
        "call_each",
        &mut buffers,
        &given,
        count.div_ceil(64),
        64,
    )
    .unwrap_or_else(|failure| panic!("{failure:?}\n{module}"));
    (Plan::offsets_in(&buffers[0]), lacking.is_empty())
}

/// One coordinate for each mode, in colexicographic order.
fn rows_of(layout: &AnyLayout) -> Vec<Vec<i64>> {
    let extents: Vec<i64> = (0..layout.rank())
        .map(|mode| {
            layout
                .domain()
                .mode(mode)
                .unwrap()
                .size()
                .unwrap()
                .value()
                .unwrap()
        })
        .collect();
    let size: i64 = extents.iter().product();
    let row = |index: i64| {
        let mut rest = index;
        extents
            .iter()
            .map(|extent| {
                let at = rest % extent;
                rest /= extent;
                at
            })
            .collect()
    };
    (0..size).map(row).collect()
}

#[test]
fn what_is_lent_is_what_the_instructions_compute() {
    let numbers = [
        0,
        1,
        2,
        3,
        5,
        7,
        31,
        32,
        33,
        255,
        4096,
        65_535,
        1 << 20,
        (1 << 31) - 1,
    ];
    let wide = [
        1_i64 << 31,
        (1 << 32) + 17,
        1 << 40,
        (1 << 62) - 1,
        i64::MAX,
    ];
    for bits in [32, 64] {
        let operands: Vec<i64> = numbers
            .iter()
            .chain(wide.iter().filter(|_| bits == 64))
            .copied()
            .collect();
        for name in lent::ARITHMETIC {
            for left in &operands {
                for right in &operands {
                    let expected = match name {
                        "div" | "rem" if *right == 0 => continue,
                        "shr" if *right >= bits => continue,
                        "div" => left / right,
                        "rem" => left % right,
                        "shr" => left >> right,
                        _ => left ^ right,
                    };
                    assert_eq!(
                        lent_result(name, bits as u32, *left, *right),
                        expected,
                        "{name} {left} {right}"
                    );
                }
            }
        }
    }
}

fn lent_result(name: &str, bits: u32, left: i64, right: i64) -> i64 {
    let module = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n{}
.visible .entry one(.param .u64 out, .param .b{bits} a, .param .b{bits} b)
{{
.reg .b64 %l<1>; .reg .b{bits} %x<1>; .param .b{bits} left; .param .b{bits} right; .param .b{bits} result;
ld.param.b{bits} %x0, [a]; st.param.b{bits} [left], %x0; ld.param.b{bits} %x0, [b]; st.param.b{bits} [right], %x0;
call (result), lent_{name}{bits}, (left, right);
ld.param.b{bits} %x0, [result]; ld.param.u64 %l0, [out]; st.global.b{bits} [%l0], %x0; ret;
}}
",
        lent::function(name, bits)
    );
    let number = |value: i64| {
        if bits == 32 {
            Given::Word(value as u32)
        } else {
            Given::Long(value as u64)
        }
    };
    let mut buffers = [vec![0; 8]];
    let given = [Given::Buffer(0), number(left), number(right)];
    execute(&module, "one", &mut buffers, &given, 1, 1).unwrap();
    i64::from_le_bytes(buffers[0].as_slice().try_into().unwrap())
}

#[test]
fn a_wrong_instruction_is_noticed() {
    let layout: AnyLayout = "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)".parse().unwrap();
    let program = Program::of_index(&layout).unwrap();
    for (right, wrong) in [
        ("xor.b32", "or.b32"),
        ("add.s32", "sub.s32"),
        (", 3;", ", 2;"),
    ] {
        let mut job = offsets_job(&program, 512, &[]);
        assert!(
            job.kernel.text.contains(right),
            "{right}\n{}",
            job.kernel.text
        );
        job.kernel.text = job.kernel.text.replacen(right, wrong, 1);
        assert_ne!(
            Plan::offsets_in(&performed(&job)[0]),
            by_the_algebra(&layout),
            "{wrong}"
        );
    }
}

#[test]
fn golden_layouts_are_executed_at_every_coordinate() {
    let golden = golden();
    let (mut coordinates, mut swizzled, mut verbatim) = (0, 0, 0);
    for layout in &golden {
        let sized = Sized::fixed(layout.clone());
        offsets_are_the_layouts(&sized);
        let program = Program::of_coordinates(layout).unwrap();
        let (got, is_verbatim) = function_offsets(&program, &rows_of(layout), &[]);
        assert_eq!(got, by_the_algebra(layout), "{layout}");
        coordinates += 2 * got.len();
        verbatim += usize::from(is_verbatim);
        swizzled += usize::from(layout.to_string().contains("Sw<"));
    }
    println!(
        "{} golden layouts, {swizzled} swizzled: {coordinates} offsets; {verbatim} functions of coordinates executed as printed",
        golden.len()
    );
    assert!(
        golden.len() > 300 && swizzled > 20 && verbatim > 50,
        "{} {swizzled} {verbatim}",
        golden.len()
    );
}

#[test]
fn layouts_whose_sizes_are_parameters_are_executed() {
    for (symbolic, known, values) in [
        (
            "((M,_4),K):((_1,2*M),ld)",
            "((6,_4),5):((_1,12),64)",
            &[("M", 6), ("K", 5), ("2*M", 12), ("ld", 64), ("4*M", 24)][..],
        ),
        (
            "(M,(K,_2)):(ld,(_1,K))",
            "(7,(3,_2)):(100,(_1,3))",
            &[("M", 7), ("K", 3), ("ld", 100)],
        ),
        (
            "Sw<2,0,3> o _0 o (M,_8):(_8,_1)",
            "Sw<2,0,3> o _0 o (12,_8):(_8,_1)",
            &[("M", 12)],
        ),
        (
            "(_128,K):(_1,ld)",
            "(_128,9):(_1,4096)",
            &[("K", 9), ("ld", 4096)],
        ),
        (
            "(M,N,L):(_1,M,M*N)",
            "(5,6,3):(_1,5,30)",
            &[("M", 5), ("N", 6), ("L", 3), ("M*N", 30)],
        ),
    ] {
        let sized = Sized {
            symbolic: symbolic.parse().unwrap(),
            known: known.parse().unwrap(),
            meanings: values
                .iter()
                .map(|&(name, value)| (name.to_owned(), value))
                .collect(),
        };
        offsets_are_the_layouts(&sized);
        let program = Program::of_coordinates(&sized.symbolic).unwrap();
        let (got, _) = function_offsets(&program, &rows_of(&sized.known), &sized.values(&program));
        assert_eq!(got, by_the_algebra(&sized.known), "{symbolic}");
    }
}

#[test]
fn accesses_to_banks_touch_the_addresses_of_the_layout() {
    let step = 128;
    for (layout, bits) in [
        ("32:1", 32),
        ("32:32", 32),
        ("32:33", 32),
        ("(8,4):(64,8)", 16),
        ("8:8", 128),
        ("(4,8):(1,4)", 64),
        ("Sw<3,4,3> o 0 o (8,4):(128,16)", 8),
        ("Sw<2,3,3> o 0 o (8,4):(32,8)", 16),
        ("16:3", 8),
    ] {
        let access = BankAccess::of(&layout.parse().unwrap(), bits).unwrap();
        let offsets = by_the_algebra(&layout.parse().unwrap());
        for job in access.jobs().unwrap().into_iter().take(1) {
            let left = performed(&job);
            let sums: Vec<u32> = left[2]
                .as_chunks::<4>()
                .0
                .iter()
                .map(|sum| u32::from_le_bytes(*sum))
                .collect();
            for (lane, sum) in sums.iter().enumerate() {
                // A lane without an element repeats the first one's.
                let byte = offsets.get(lane).unwrap_or(&offsets[0]) * bits / 8;
                let expected = (0..CHAINS).fold(0, |sum, chain| sum ^ (byte + chain * step));
                assert_eq!(i64::from(*sum), expected, "{layout}, lane {lane}");
            }
        }
    }
}

#[test]
fn a_product_of_any_layouts_is_executed() {
    for [a, b, c] in [
        ["(6,4):(1,6)", "(10,4):(4,1)", "(6,10):(1,6)"],
        [
            "Sw<2,1,3> o 0 o (6,4):(4,1)",
            "(10,4):(1,10)",
            "(6,10):(10,1)",
        ],
        // Windows of an image: a convolution.
        [
            "((4,4),(3,3)):((1,6),(1,6))",
            "(2,(3,3)):(9,(1,3))",
            "((4,4),2):((1,4),16)",
        ],
    ] {
        let layouts: [AnyLayout; 3] = [a, b, c].map(|text| text.parse().unwrap());
        let gemm = Gemm::of([&layouts[0], &layouts[1], &layouts[2]], 7, &Unwatched).unwrap();
        let left = performed(&gemm.job().unwrap());
        let sums = Gemm::floats_in(&left[2]);
        let compared = gemm.compared(&sums, &Unwatched).unwrap();
        assert!(compared.wrong.is_none(), "{a} {b} {c}");
    }
}

#[test]
fn the_table_lists_what_the_machine_lacks() {
    listed::compare();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Static, swizzled, and with parameters for what is not known.
    #[test]
    fn the_kernel_of_offsets_is_its_layout(sized in sized()) {
        offsets_are_the_layouts(&sized);
    }

    /// The function of `ptx`, and that of coordinates.
    #[test]
    fn the_functions_are_their_layout(sized in sized()) {
        let expected = by_the_algebra(&sized.known);
        let program = Program::of_coordinates(&sized.symbolic).unwrap();
        let (got, _) = function_offsets(&program, &rows_of(&sized.known), &sized.values(&program));
        prop_assert_eq!(&got, &expected, "{}", sized.symbolic);
        let program = Program::of_index(&sized.symbolic).unwrap();
        let rows: Vec<Vec<i64>> = (0..expected.len() as i64).map(|index| vec![index]).collect();
        let (got, _) = function_offsets(&program, &rows, &sized.values(&program));
        prop_assert_eq!(&got, &expected, "{}", sized.symbolic);
    }

    /// No instruction is lent where coordinates are given and nothing is swizzled or nested.
    #[test]
    fn functions_of_coordinates_are_executed_as_they_are_printed(
        modes in prop::collection::vec((1_i64..7, 0_i64..3000, any::<bool>()), 1..5),
    ) {
        let sized = Sized::of_modes(&modes);
        let program = Program::of_coordinates(&sized.symbolic).unwrap();
        let (got, is_verbatim) = function_offsets(&program, &rows_of(&sized.known), &sized.values(&program));
        prop_assert_eq!(got, by_the_algebra(&sized.known), "{}", sized.symbolic);
        prop_assert!(is_verbatim, "{}", function(&program, "tile_offset"));
    }

    #[test]
    fn every_element_of_a_copy_arrives((source, destination) in pairs(), bits in prop::sample::select(vec![8_i64, 16, 32, 64, 128])) {
        let (from, to): (AnyLayout, AnyLayout) = (source.parse().unwrap(), destination.parse().unwrap());
        let copy = Copy::between(&from, &to, bits, &Unwatched).unwrap();
        let mut job = copy.job(None, false).unwrap();
        // Few threads, so that the loop of the kernel has passes.
        job.launch = Launch { blocks: 2, ..Launch::one(32, 0) };
        let left = performed(&job);
        prop_assert_eq!(copy.first_misplaced(&left[1], &Unwatched).unwrap(), None, "{} -> {}", source, destination);
    }
}

#[test]
fn copies_of_layouts_whose_sizes_are_parameters_arrive() {
    let source: AnyLayout = "(M,N):(_4,4*M)".parse().unwrap();
    let destination: AnyLayout = "(M,N):(4*N,_4)".parse().unwrap();
    let (from, to) = (
        Program::of_index(&source).unwrap(),
        Program::of_index(&destination).unwrap(),
    );
    let (m, n) = (5_i64, 7_i64);
    let value = |text: String| match text.as_str() {
        "M" => m,
        "4*M" => 4 * m,
        "4*N" => 4 * n,
        other => panic!("{other}"),
    };
    let numbers = |program: &Program| -> Vec<Argument> {
        program
            .parameters()
            .iter()
            .map(|name| Argument::Long(value(name.to_string()) as u64))
            .collect()
    };
    let count = m * n;
    let bytes: Vec<u8> = (0..count as u32).flat_map(u32::to_le_bytes).collect();
    let arguments = [
        Argument::Buffer(0),
        Argument::Buffer(1),
        Argument::Word(count as u32),
    ]
    .into_iter()
    .chain(numbers(&from))
    .chain(numbers(&to))
    .collect();
    let buffers = vec![
        Buffer::input("source", bytes.clone()),
        Buffer::result("destination", bytes.len() as u64, 0),
    ];
    let job = job(
        copy_kernel(&from, &to, 4),
        buffers,
        arguments,
        Launch {
            blocks: 1,
            ..Launch::one(8, 0)
        },
    );
    let left = performed(&job);
    let arrived: Vec<u32> = left[1]
        .as_chunks::<4>()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    for row in 0..m {
        for column in 0..n {
            let expected = (row + m * column) as u32;
            assert_eq!(
                arrived[(row * n + column) as usize],
                expected,
                "({row},{column})"
            );
        }
    }
}
