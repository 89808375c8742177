//! The kernel of the generic matrix product: `C(m,n) += A(m,k) * B(n,k)` (paper table 2, GEMM), whatever the layouts.

use super::{Evidence, Kernel, Module, parameters};
use crate::address::Program;
use crate::address::ptx::{body, widened};

/// The kernel that multiplies matrices of 32-bit floats. The programs take the colexicographic index of (m,k), (n,k)
/// and (m,n) to an offset in elements, and have no parameters. Kernel parameters: `u64 a`, `u64 b`, `u64 c`, `u32 m`,
/// `u32 n`, `u32 k`. One thread has one element of C at a time, and more of them in a loop.
pub fn gemm_kernel([a, b, c]: [&Program; 3]) -> Kernel {
    let (a, b, c) = (widened(a), widened(b), widened(c));
    let (a_code, a_offset) = body(&a, &["%l4"], "%a");
    let (b_code, b_offset) = body(&b, &["%l5"], "%b");
    let (c_code, c_offset) = body(&c, &["%l3"], "%c");
    let count = |program: &Program| program.instructions().len() + 1;
    let text = format!(
        "
  .reg .pred %p<3>; .reg .b32 %i<12>; .reg .b32 %f<3>; .reg .b64 %l<12>;
  .reg .b64 %a<{}>; .reg .b64 %b<{}>; .reg .b64 %c<{}>;
  ld.param.u64 %l0, [p_a]; cvta.to.global.u64 %l0, %l0;
  ld.param.u64 %l1, [p_b]; cvta.to.global.u64 %l1, %l1;
  ld.param.u64 %l2, [p_c]; cvta.to.global.u64 %l2, %l2;
  ld.param.u32 %i4, [p_m]; ld.param.u32 %i5, [p_n]; ld.param.u32 %i6, [p_k];
  mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;
  mad.lo.u32 %i0, %i0, %i1, %i2;
  mov.u32 %i3, %nctaid.x; mul.lo.u32 %i3, %i3, %i1;
  mul.lo.u32 %i7, %i4, %i5;
ELEMENT: setp.ge.u32 %p0, %i0, %i7; @%p0 bra DONE;
  rem.u32 %i8, %i0, %i4; div.u32 %i9, %i0, %i4; mov.b32 %i10, 0;
  cvt.u64.u32 %l3, %i0; cvt.u64.u32 %l4, %i8; cvt.u64.u32 %l5, %i9;
  cvt.u64.u32 %l6, %i4; cvt.u64.u32 %l7, %i5;
{c_code}  shl.b64 %l8, {c_offset}, 2; add.s64 %l8, %l2, %l8;
  ld.global.f32 %f0, [%l8];
STEP: setp.ge.u32 %p1, %i10, %i6; @%p1 bra STORE;
{a_code}  shl.b64 %l9, {a_offset}, 2; add.s64 %l9, %l0, %l9; ld.global.f32 %f1, [%l9];
{b_code}  shl.b64 %l10, {b_offset}, 2; add.s64 %l10, %l1, %l10; ld.global.f32 %f2, [%l10];
  fma.rn.f32 %f0, %f1, %f2, %f0;
  add.s64 %l4, %l4, %l6; add.s64 %l5, %l5, %l7; add.u32 %i10, %i10, 1; bra STEP;
STORE: st.global.f32 [%l8], %f0;
  add.u32 %i0, %i0, %i3; bra ELEMENT;
DONE: ret;
",
        count(&a),
        count(&b),
        count(&c),
    );
    Module {
        version: "7.0",
        target: "sm_80",
        name: "layout_gemm",
        parameters: parameters(&[
            ("u64", "p_a"),
            ("u64", "p_b"),
            ("u64", "p_c"),
            ("u32", "p_m"),
            ("u32", "p_n"),
            ("u32", "p_k"),
        ]),
        shared: false,
        threads: 256,
        body: text,
        evidence: vec![Evidence::of("FFMA")],
    }
    .kernel()
}
