//! `ptx`, `desc` and `tma`: what the hardware is given.

use crate::ask::ask;

#[test]
fn the_address_code_of_a_swizzled_tile() {
    let printed = ask(&["ptx", "Sw<3,3,3> o 0 o (8,64):(64,1)"])
        .ends_with(0)
        .stdout;
    insta::assert_snapshot!(printed, @r"
    // Sw<3,3,3> o _0 o (_8,_64):(_64,_1): 7 instructions, 0 divisions, 2 values at once
    // mode by mode: 11 instructions, 2 divisions
    .visible .func (.param .b32 offset) layout_offset(.param .b32 index0)
    {
      .reg .b32 %i<1>; .reg .b32 %r<8>;
      ld.param.b32 %i0, [index0];
      and.b32 %r0, %i0, 7;
      shl.b32 %r1, %r0, 6;
      shr.u32 %r2, %i0, 3;
      add.s32 %r3, %r1, %r2;
      and.b32 %r4, %r3, 448;
      shr.u32 %r5, %r4, 3;
      xor.b32 %r6, %r3, %r5;
      mov.b32 %r7, %r6;
      st.param.b32 [offset], %r7;
      ret;
    }
    ");
}

#[test]
fn a_descriptor_of_a_layout_and_of_its_bits() {
    let tile = "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_16):(_64,_1)";
    let made = ask(&["desc", tile]).ends_with(0).stdout;
    insta::assert_snapshot!(made, @r"
    0x4000004000010000
       13:0  start_address             0  0 bytes
      29:16  leading_byte_offset       1  16 bytes
      45:32  stride_byte_offset       64  1024 bytes
      51:49  base_offset               0  0 bytes
      63:62  layout_type               1  128-byte swizzle
    ");
    let decoded = ask(&["desc", "0x4000004000010000"]).ends_with(0).stdout;
    assert_eq!(made, decoded);
}

#[test]
fn a_descriptor_that_reads_other_elements_is_a_finding() {
    let answer = ask(&[
        "desc",
        "smem_ptr[16b](PTR) o (_64,_16):(_1,_64)",
        "--instruction",
        "tcgen05",
    ]);
    let answer = answer.ends_with(1);
    assert!(
        answer
            .stderr
            .contains("at coordinate 1 the hardware reads element 8"),
        "{}",
        answer.stderr
    );
}

#[test]
fn a_layout_that_is_not_canonical_names_one_that_is() {
    let answer = ask(&["desc", "smem_ptr[16b](PTR) o (_64,_16):(_16,_1)"]).ends_with(1);
    assert!(
        answer.stderr.contains("GMMA::Layout_K_SW32_Atom<uint16_t>"),
        "{}",
        answer.stderr
    );
}

const K_MAJOR: &str = "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))";

#[test]
fn a_tma_copy_of_a_tensor_whose_sizes_come_at_run_time() {
    let answer = ask(&["tma", "(M,K):(ld,_1)", K_MAJOR, "(_128,_64)"]).ends_with(0);
    insta::assert_snapshot!(answer.stdout, @r"
    dtype                6
    rank                 2
    globalDim            [K, M]
    globalStridesBytes   [2*ld]
    boxDim               [64, 128]
    elementStrides       [1, 1]
    interleave           0
    swizzle              3
    l2promotion          2
    oobFill              0
    basis                (_64,_128):(_1@1,_1@0)
    tma_tensor           (M,K):(_1@1,_1@0)
    instructions         1
    bytes                16384
    ThrID                _1:_0
    ValLayoutSrc         (_1,_8192):(_0,_1)
    ValLayoutDst         (_1,_8192):(_0,_1)
    ValLayoutRef         (_1,_8192):(_0,_1)
    instruction          cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%m, {%c0, %c1}], [%b];
    ");
    assert!(
        answer.stderr.contains("assume 2*ld % 16 == 0"),
        "{}",
        answer.stderr
    );
}

#[test]
fn a_stride_that_tma_cannot_have_is_refused() {
    let answer = ask(&["tma", "(512,500):(500,_1)", K_MAJOR, "(_128,_64)"]).ends_with(1);
    assert!(
        answer.stderr.contains("tma-stride-alignment"),
        "{}",
        answer.stderr
    );
    assert!(
        answer.stderr.contains("a stride of 1000 bytes"),
        "{}",
        answer.stderr
    );
}
