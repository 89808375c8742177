//! PTX text of address programs, and the kernels around them.
//!
//! The emitter keeps to the language of NVIDIA's assembler: registers are declared `.b32` and `.b64`, the lowest
//! `.version` that has the instructions is named, every wait is bounded.

use super::{Operation, Program, Value};
use crate::kernel::Evidence;
pub use crate::kernel::Kernel;
use core::fmt::Write;

/// The instructions of a program: the inputs are in `inputs`, parameters in `{prefix}q0`, `{prefix}q1`, ..., results go to
/// `{prefix}0`, `{prefix}1`, ... of 32 or 64 bits. Returns the text and where the offset is.
pub fn body(program: &Program, inputs: &[&str], prefix: &str) -> (String, String) {
    let bits = if program.is_wide() { 64 } else { 32 };
    let name = |value: Value| match value {
        Value::Input(index) => inputs
            .get(index)
            .map_or_else(|| format!("%input{index}"), ToString::to_string),
        Value::Parameter(index) => format!("{prefix}q{index}"),
        Value::Constant(constant) => constant.to_string(),
        Value::Result(index) => format!("{prefix}{index}"),
    };
    let mut text = String::new();
    for (place, instruction) in program.instructions().iter().enumerate() {
        let mnemonic = match instruction.operation {
            Operation::Add => format!("add.s{bits}"),
            Operation::Subtract => format!("sub.s{bits}"),
            Operation::Multiply => format!("mul.lo.s{bits}"),
            Operation::Divide => format!("div.u{bits}"),
            Operation::Remainder => format!("rem.u{bits}"),
            Operation::And => format!("and.b{bits}"),
            Operation::Xor => format!("xor.b{bits}"),
            Operation::ShiftLeft => format!("shl.b{bits}"),
            Operation::ShiftRight => format!("shr.u{bits}"),
        };
        let (left, right) = (name(instruction.left), name(instruction.right));
        let _ = writeln!(text, "  {mnemonic} {prefix}{place}, {left}, {right};");
    }
    (text, name(program.result()))
}

/// The declarations, at the start of a kernel or function, that read the parameters of a program into `{prefix}q0`, ...
fn parameter_reads(program: &Program, prefix: &str, name: &str) -> String {
    let mut text = String::new();
    let bits = if program.is_wide() { 64 } else { 32 };
    for (index, stands_for) in program.parameters().iter().enumerate() {
        let _ = writeln!(
            text,
            "  .reg .b{bits} {prefix}q{index}; ld.param.b{bits} {prefix}q{index}, [{name}{index}]; // {stands_for}"
        );
    }
    text
}

/// `, .param .b64 name0, ...`: the parameters of a program, after others.
fn parameter_list(program: &Program, name: &str) -> String {
    let bits = if program.is_wide() { 64 } else { 32 };
    (0..program.parameters().len()).fold(String::new(), |mut text, index| {
        let _ = write!(text, ", .param .b{bits} {name}{index}");
        text
    })
}

/// The device function of a program: `.func (.param result) address(.param index, ...)`, with one more parameter for each
/// symbol of the layout.
///
/// ```
/// use cute_hardware::address::{Program, ptx::function};
/// let program = Program::of_index(&"(_8,_64):(_64,_1)".parse()?)?;
/// let text = function(&program, "tile_offset");
/// assert!(text.contains("shr.u32 %r2, %i0, 3;"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn function(program: &Program, name: &str) -> String {
    let bits = if program.is_wide() { 64 } else { 32 };
    let inputs: Vec<String> = (0..program.inputs())
        .map(|index| format!("%i{index}"))
        .collect();
    let names: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let (code, result) = body(program, &names, "%r");
    let params: Vec<String> = (0..program.inputs())
        .map(|index| format!(".param .b{bits} index{index}"))
        .collect();
    let mut text = format!(
        ".visible .func (.param .b{bits} offset) {name}({}{})\n{{\n",
        params.join(", "),
        parameter_list(program, "parameter")
    );
    let _ = writeln!(
        text,
        "  .reg .b{bits} %i<{}>; .reg .b{bits} %r<{}>;",
        inputs.len().max(1),
        program.instructions().len() + 1
    );
    for (index, input) in inputs.iter().enumerate() {
        let _ = writeln!(text, "  ld.param.b{bits} {input}, [index{index}];");
    }
    text.push_str(&parameter_reads(program, "%r", "parameter"));
    text.push_str(&code);
    let last = program.instructions().len();
    let _ = writeln!(
        text,
        "  mov.b{bits} %r{last}, {result};\n  st.param.b{bits} [offset], %r{last};\n  ret;\n}}"
    );
    text
}

/// The kernel that writes the offset of each index below `count` to `out`, as 64-bit integers: parameters
/// `(u64 out, u32 count)` and one for each symbol of the layout, one thread for each index. It lets a GPU check a layout.
pub fn offsets_kernel(program: &Program) -> Kernel {
    let wide = program.is_wide();
    let prefix = if wide { "%w" } else { "%r" };
    let (code, result) = body(program, &[if wide { "%l0" } else { "%i0" }], prefix);
    let (list, reads) = (
        parameter_list(program, "p_q"),
        parameter_reads(program, prefix, "p_q"),
    );
    let count = program.instructions().len() + 1;
    let widen = if wide {
        format!("  mov.b64 %l1, {result};")
    } else {
        format!("  mov.b32 %i3, {result};\n  cvt.s64.s32 %l1, %i3;")
    };
    let text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n\
         .visible .entry layout_offsets(.param .u64 p_out, .param .u32 p_count{list})\n{{\n\
         \x20 .reg .pred %p<2>; .reg .b32 %i<6>; .reg .b64 %l<5>; .reg .b32 %r<{count}>; .reg .b64 %w<{count}>;\n\
         {reads}\x20 mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;\n\
         \x20 mad.lo.u32 %i0, %i0, %i1, %i2;\n\
         \x20 ld.param.u32 %i4, [p_count];\n\
         \x20 setp.ge.u32 %p0, %i0, %i4;\n\
         \x20 @%p0 bra DONE;\n\
         \x20 cvt.u64.u32 %l0, %i0;\n\
         {code}{widen}\n\
         \x20 ld.param.u64 %l2, [p_out];\n\
         \x20 cvta.to.global.u64 %l2, %l2;\n\
         \x20 mad.wide.u32 %l2, %i0, 8, %l2;\n\
         \x20 st.global.u64 [%l2], %l1;\n\
         DONE: ret;\n}}\n"
    );
    Kernel {
        name: "layout_offsets".to_owned(),
        text,
        target: "sm_80",
        threads: 256,
        evidence: vec![Evidence::of("STG.E.64")],
    }
}

/// The kernel that copies `count` vectors of `vector_bytes` (1, 2, 4, 8 or 16): element `i` of the source layout to element `i`
/// of the destination. The programs give byte offsets of vector `i`; parameters `(u64 source, u64 destination, u32 count)`, then the
/// symbols of the source and those of the destination.
pub fn copy_kernel(source: &Program, destination: &Program, vector_bytes: u32) -> Kernel {
    let (width, vector, evidence): (_, _, Evidence) = match vector_bytes {
        16 => ("v4.b32", "{%v0,%v1,%v2,%v3}", Evidence::of("STG.E.128")),
        8 => ("v2.b32", "{%v0,%v1}", Evidence::of("STG.E.64")),
        4 => ("b32", "%v0", Evidence::of("STG.E")),
        2 => ("b16", "%h0", Evidence::of("STG.E.U16")),
        _ => ("b8", "%h0", Evidence::of("STG.E.U8")),
    };
    let (source, destination) = (widened(source), widened(destination));
    let (source_code, source_offset) = body(&source, &["%l0"], "%s");
    let (destination_code, destination_offset) = body(&destination, &["%l0"], "%d");
    let list = parameter_list(&source, "p_s") + &parameter_list(&destination, "p_d");
    let reads = parameter_reads(&source, "%s", "p_s") + &parameter_reads(&destination, "%d", "p_d");
    let text = format!(
        ".version 7.4\n.target sm_80\n.address_size 64\n\
         .visible .entry layout_copy(.param .u64 p_source, .param .u64 p_destination, .param .u32 p_count{list})\n{{\n\
         \x20 .reg .pred %p<2>; .reg .b32 %i<6>; .reg .b16 %h<1>; .reg .b32 %v<4>; .reg .b64 %l<8>;\n\
         \x20 .reg .b64 %s<{}>; .reg .b64 %d<{}>;\n\
         {reads}\x20 mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;\n\
         \x20 mad.lo.u32 %i0, %i0, %i1, %i2;\n\
         \x20 mov.u32 %i3, %nctaid.x; mul.lo.u32 %i3, %i3, %i1;\n\
         \x20 ld.param.u32 %i4, [p_count];\n\
         \x20 ld.param.u64 %l1, [p_source]; cvta.to.global.u64 %l1, %l1;\n\
         \x20 ld.param.u64 %l2, [p_destination]; cvta.to.global.u64 %l2, %l2;\n\
         LOOP: setp.ge.u32 %p0, %i0, %i4;\n\
         \x20 @%p0 bra DONE;\n\
         \x20 cvt.u64.u32 %l0, %i0;\n\
         {source_code}\x20 add.s64 %l3, %l1, {source_offset};\n\
         \x20 ld.global.nc.L1::no_allocate.{width} {vector}, [%l3];\n\
         {destination_code}\x20 add.s64 %l4, %l2, {destination_offset};\n\
         \x20 st.global.{width} [%l4], {vector};\n\
         \x20 add.u32 %i0, %i0, %i3;\n\
         \x20 bra LOOP;\n\
         DONE: ret;\n}}\n",
        source.instructions().len() + 1,
        destination.instructions().len() + 1,
    );
    Kernel {
        name: "layout_copy".to_owned(),
        text,
        target: "sm_80",
        threads: 256,
        evidence: vec![evidence],
    }
}

/// The program in 64 bits, whatever it needs, for addresses of large tensors.
pub(crate) fn widened(program: &Program) -> Program {
    Program {
        is_wide: true,
        ..program.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(layout: &str) -> Program {
        Program::of_index(&layout.parse().unwrap()).unwrap()
    }

    #[test]
    fn a_swizzled_tile_reads_as_shifts_and_masks() {
        let text = function(&program("Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"), "offset");
        for expected in ["and.b32", "shl.b32 ", "shr.u32", "xor.b32"] {
            assert!(text.contains(expected), "{text}");
        }
        assert!(!text.contains("div") && !text.contains("rem"));
    }

    #[test]
    fn kernels_declare_untyped_registers() {
        let program = program("(_6,_10):(_10,_1)");
        for kernel in [
            offsets_kernel(&program),
            copy_kernel(&program, &program, 16),
        ] {
            assert!(!kernel.text.contains(".reg .u"), "{}", kernel.text);
            assert!(kernel.text.contains(&format!(".target {}", kernel.target)));
        }
    }
}
