//! The kernel that times accesses to shared memory.

use super::{Evidence, Kernel, Module, parameters};
use crate::refusal::{Refusal, Rule};
use core::fmt::Write;
use cute_algebra::Verdict;

/// The bytes that a lane can load at once.
pub const WIDTHS: [i64; 5] = [1, 2, 4, 8, 16];
/// Loads of [`bank_kernel`] that do not wait for each other.
pub const CHAINS: i64 = 8;
/// Loads of each chain, each of which waits for the one before.
pub const LOADS_OF_A_CHAIN: i64 = 16;

/// The kernel that times loads of `width` bytes a lane: [`CHAINS`] independent chains of [`LOADS_OF_A_CHAIN`] loads.
///
/// Parameters: `u64 offsets`, a table of 32-bit byte offsets by thread; `u64 cycles`, where each thread writes 64 bits;
/// `u64 sums`, where each writes 32 bits that keep the loads alive; `u32 bytes` of the buffer, which is zeroed first;
/// `u32 step`, the bytes between chains. Addresses are chained through the loaded zeros, which the assembler cannot
/// know: it would remove loads of the same address, and narrow those whose words are not used.
///
/// Errors: [`Rule::OutOfRange`] for a width that no load has.
pub fn bank_kernel(width: i64) -> Result<Kernel, Refusal> {
    let (load, words, evidence): (_, i64, Evidence) = match width {
        1 => ("ld.shared.u8", 1, loads("LDS.U8")),
        2 => ("ld.shared.u16", 1, loads("LDS.U16")),
        4 => ("ld.shared.b32", 1, loads("LDS ")),
        8 => ("ld.shared.v2.b32", 2, loads("LDS.64")),
        16 => ("ld.shared.v4.b32", 4, loads("LDS.128")),
        _ => {
            let refusal =
                Refusal::new(Rule::OutOfRange, Verdict::Accepts).with("width_bytes", width);
            return Err(WIDTHS
                .iter()
                .fold(refusal, |refusal, legal| refusal.legal(legal.to_string())));
        }
    };
    let mut code = String::new();
    for chain in 0..CHAINS {
        let _ = writeln!(code, "  mad.lo.u32 %a{chain}, %r5, {chain}, %r4;");
    }
    code.push_str("  mov.u64 %d4, %clock64;\n");
    for _ in 0..LOADS_OF_A_CHAIN {
        for chain in 0..CHAINS {
            let list = match words {
                1 => format!("%x{}", 4 * chain),
                _ => super::registers_from("%x", 4 * chain, words),
            };
            let _ = writeln!(code, "  {load} {list}, [%a{chain}];");
        }
        for chain in 0..CHAINS {
            let first = 4 * chain;
            for word in 1..words {
                let _ = writeln!(code, "  or.b32 %x{first}, %x{first}, %x{};", first + word);
            }
            let _ = writeln!(code, "  add.u32 %a{chain}, %a{chain}, %x{first};");
        }
    }
    code.push_str("  mov.u64 %d5, %clock64;\n  sub.u64 %d5, %d5, %d4;\n");
    for chain in 1..CHAINS {
        let _ = writeln!(code, "  xor.b32 %a0, %a0, %a{chain};");
    }
    let body = format!(
        "
  .reg .pred %p<2>; .reg .b32 %r<10>; .reg .b32 %a<{CHAINS}>; .reg .b32 %x<{}>; .reg .b64 %d<9>;
  ld.param.u64 %d0, [p_offsets]; cvta.to.global.u64 %d0, %d0;
  ld.param.u64 %d1, [p_cycles]; cvta.to.global.u64 %d1, %d1;
  ld.param.u64 %d2, [p_sums]; cvta.to.global.u64 %d2, %d2;
  ld.param.u32 %r6, [p_bytes]; ld.param.u32 %r5, [p_step];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, smem; mov.b32 %r7, 0;
  shl.b32 %r3, %r0, 2; shl.b32 %r8, %r1, 2;
ZERO: setp.ge.u32 %p0, %r3, %r6; @%p0 bra ZEROED;
  add.u32 %r9, %r2, %r3; st.shared.b32 [%r9], %r7;
  add.u32 %r3, %r3, %r8; bra ZERO;
ZEROED: bar.sync 0;
  mad.wide.u32 %d3, %r0, 4, %d0; ld.global.b32 %r4, [%d3]; add.u32 %r4, %r4, %r2;
{code}  mad.wide.u32 %d6, %r0, 8, %d1; st.global.b64 [%d6], %d5;
  mad.wide.u32 %d7, %r0, 4, %d2; st.global.b32 [%d7], %a0;
  ret;
",
        4 * CHAINS
    );
    Ok(Module {
        version: "7.0",
        target: "sm_80",
        name: "bank_timing",
        parameters: parameters(&[
            ("u64", "p_offsets"),
            ("u64", "p_cycles"),
            ("u64", "p_sums"),
            ("u32", "p_bytes"),
            ("u32", "p_step"),
        ]),
        shared: true,
        threads: 1024,
        body,
        evidence: vec![evidence],
    }
    .kernel())
}

const fn loads(opcode: &'static str) -> Evidence {
    Evidence {
        opcode,
        least: (CHAINS * LOADS_OF_A_CHAIN) as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_load_is_chained_to_the_one_before() {
        let kernel = bank_kernel(16).unwrap();
        let count = |text: &str| kernel.text.matches(text).count();
        assert_eq!(count("ld.shared.v4.b32"), 128);
        assert_eq!(count("add.u32 %a"), 128);
        assert_eq!(count("or.b32 %x"), 3 * 128);
    }

    #[test]
    fn no_load_has_twelve_bytes() {
        let refusal = bank_kernel(12).unwrap_err();
        assert_eq!((refusal.rule, refusal.legal.len()), (Rule::OutOfRange, 5));
    }
}
