//! Bulk copies: TMA tiles and plain bulk copies. The number of bits that one instruction moves is a template argument.

use super::{CopyAtom, CopyOperands, Parts, run_of_bits};
use crate::architecture::Architecture;
use crate::name::{Argument, TemplateId};
use crate::refusal::{Refusal, Rule};
use crate::thread_value::{Mode, consecutive_threads, thread_value};
use crate::tma::instruction::{Reduction, TmaKind};

pub(super) fn atom(id: &TemplateId, rest: &[Argument]) -> Result<Option<CopyAtom>, Refusal> {
    let Some(kind) = Kind::read(id) else {
        return Ok(None);
    };
    if kind.operands == CopyOperands::OfTheCompiler {
        let bit = thread_value(&Mode::Leaf(1, 0), &Mode::Leaf(1, 0))?;
        return Ok(Some(
            Parts {
                architecture: Architecture::portable(90),
                mnemonic: None,
                operands: kind.operands,
                thread_id: consecutive_threads(1),
                source: bit.clone(),
                destination: bit,
                refers_to_source: true,
            }
            .into_atom(),
        ));
    }
    let bits = rest
        .iter()
        .chain(id.args())
        .find_map(Argument::value)
        .ok_or_else(|| {
            Refusal::uncompilable(
                Rule::AtomParameters,
                "the number of bits of one instruction is missing",
            )
            .with("name", id.to_string())
            .legal(format!("{id}, Int<65536>"))
        })?;
    let data = if kind.ctas == 1 {
        run_of_bits(bits)?
    } else {
        thread_value(&Mode::Leaf(kind.ctas, bits), &Mode::Leaf(bits, 1))?
    };
    let mut atom = Parts {
        architecture: if kind.ctas == 2 {
            Architecture::specific(100)
        } else {
            Architecture::portable(90)
        },
        mnemonic: Some(kind.mnemonic.to_owned()),
        operands: kind.operands,
        thread_id: consecutive_threads(kind.ctas),
        source: data.clone(),
        destination: data,
        refers_to_source: true,
    }
    .into_atom();
    if bits <= 0 || bits % 128 != 0 {
        atom.not_issuable = Some(
            Refusal::asserted(
                Rule::AtomParameters,
                "Bulk Copy requires copy vector size align to 16B.",
            )
            .with("bits", bits),
        );
    }
    Ok(Some(atom))
}

/// The parts of the name.
struct Kind {
    ctas: i64,
    mnemonic: &'static str,
    operands: CopyOperands,
}

impl Kind {
    fn read(id: &TemplateId) -> Option<Self> {
        let path: Vec<&str> = id
            .path()
            .iter()
            .map(String::as_str)
            .filter(|s| *s != "cute")
            .collect();
        let (name, prefetch) = match path[..] {
            [name] => (name, false),
            [name, "PREFETCH"] => (name, true),
            _ => return None,
        };
        let (ctas, name) = match name.strip_prefix("SM100_TMA_2SM_") {
            Some(rest) => (2, format!("TMA_{rest}")),
            None => (1, name.strip_prefix("SM90_")?.to_owned()),
        };
        let name = name.strip_suffix("_OP").unwrap_or(&name);
        let tma = |kind, mnemonic| (CopyOperands::Tma(kind), mnemonic);
        let (operands, mnemonic) = match (name, prefetch) {
            ("TMA_LOAD", false) if ctas == 2 => tma(
                TmaKind::PairLoad,
                "cp.async.bulk.tensor.cta_group::2.shared::cluster.global",
            ),
            ("TMA_LOAD_MULTICAST", false) if ctas == 2 => tma(
                TmaKind::PairMulticastLoad,
                "cp.async.bulk.tensor.cta_group::2.shared::cluster.global.multicast::cluster",
            ),
            ("TMA_LOAD", false) => tma(
                TmaKind::Load,
                "cp.async.bulk.tensor.shared::cluster.global.tile",
            ),
            ("TMA_LOAD_MULTICAST", false) => tma(
                TmaKind::MulticastLoad,
                "cp.async.bulk.tensor.shared::cluster.global.tile.multicast::cluster",
            ),
            ("TMA_LOAD_IM2COL", false) => tma(
                TmaKind::Im2colLoad,
                "cp.async.bulk.tensor.shared::cluster.global.im2col",
            ),
            ("TMA_LOAD_IM2COL_MULTICAST", false) => tma(
                TmaKind::Im2colMulticastLoad,
                "cp.async.bulk.tensor.shared::cluster.global.im2col.multicast::cluster",
            ),
            ("TMA_LOAD" | "TMA_LOAD_IM2COL", true) if ctas == 1 => {
                tma(TmaKind::Prefetch, "cp.async.bulk.prefetch.tensor.L2.global")
            }
            ("TMA_STORE" | "TMA_STORE_PTR", false) if ctas == 1 => tma(
                TmaKind::Store,
                "cp.async.bulk.tensor.global.shared::cta.bulk_group",
            ),
            ("TMA_STORE_IM2COL", false) if ctas == 1 => tma(
                TmaKind::Im2colStore,
                "cp.async.bulk.tensor.global.shared::cta.im2col_no_offs.bulk_group",
            ),
            ("TMA_REDUCE_ADD", false) if ctas == 1 => tma(
                TmaKind::Reduce(Reduction::Add),
                "cp.reduce.async.bulk.tensor.global.shared::cta.add.bulk_group",
            ),
            ("BULK_COPY_G2S", false) if ctas == 1 => (
                CopyOperands::BulkLoad,
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
            ),
            ("BULK_COPY_G2S", true) if ctas == 1 => (
                CopyOperands::BulkPrefetch,
                "cp.async.bulk.prefetch.L2.global",
            ),
            ("BULK_COPY_S2G", false) if ctas == 1 => (
                CopyOperands::BulkStore,
                "cp.async.bulk.global.shared::cta.bulk_group",
            ),
            ("BULK_COPY_AUTO", false) if ctas == 1 => (CopyOperands::OfTheCompiler, ""),
            _ => return None,
        };
        Some(Kind {
            ctas,
            mnemonic,
            operands,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bulk_copy_needs_its_size() {
        assert_eq!(
            CopyAtom::named("SM90_TMA_LOAD").unwrap_err().rule,
            Rule::AtomParameters
        );
        let odd = CopyAtom::named("SM90_BULK_COPY_S2G, Int<100>").unwrap();
        assert_eq!(odd.not_issuable.unwrap().rule, Rule::AtomParameters);
    }
}
