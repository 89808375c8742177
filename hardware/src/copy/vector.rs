//! Copies of one thread: plain and vectorised loads and stores, `cp.async`, and the shuffles of SM50.

use super::{CopyAtom, CopyOperands, Parts, run_of_bits};
use crate::architecture::Architecture;
use crate::element::Element;
use crate::mma::element_arguments;
use crate::name::{Argument, TemplateId};
use crate::refusal::{Refusal, Rule};
use crate::thread_value::{Mode, consecutive_threads, thread_value};

pub(super) fn atom(id: &TemplateId, _rest: &[Argument]) -> Result<Option<CopyAtom>, Refusal> {
    match id.base() {
        "UniversalCopy" => {
            let form = (None, CopyOperands::OfTheCompiler);
            Ok(Some(single_thread(id, Architecture::ANY, form)?))
        }
        "DefaultCopy" | "AutoVectorizingCopy" | "AutoVectorizingCopyWithAssumedAlignment" => {
            Ok(Some(undecided()?))
        }
        "SM80_CP_ASYNC_CACHEALWAYS" | "SM80_CP_ASYNC_CACHEALWAYS_ZFILL" => {
            asynchronous(id, "ca", &[32, 64, 128]).map(Some)
        }
        "SM80_CP_ASYNC_CACHEGLOBAL" | "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL" => {
            asynchronous(id, "cg", &[128]).map(Some)
        }
        "SM100_LOAD_256bit_CACHE_NOALLOCATION" => Ok(Some(wide(
            "ld.global.L1::no_allocate.v8.f32",
            CopyOperands::Load,
        )?)),
        "SM100_STORE_256bit_CACHE_NOALLOCATION" => Ok(Some(wide(
            "st.global.L1::no_allocate.v8.f32",
            CopyOperands::Store,
        )?)),
        "SM50_Shuffle_U32_2x2Trans_XOR1" => shuffle(&[(2, 32), (16, 128)], 64).map(Some),
        "SM50_Shuffle_U32_2x2Trans_XOR4" => shuffle(&[(4, 64), (2, 32), (4, 512)], 256).map(Some),
        _ => Ok(None),
    }
}

/// One thread moves one value of the source type to one of the destination type.
fn single_thread(
    id: &TemplateId,
    architecture: Architecture,
    (mnemonic, operands): (Option<String>, CopyOperands),
) -> Result<CopyAtom, Refusal> {
    let types: Vec<Element> = element_arguments(id, id.args(), id.args().len().max(1))?;
    let source = types.first().map_or(0, |ty| ty.bits());
    let destination = types.get(1).map_or(source, |ty| ty.bits());
    let mut atom = Parts {
        architecture,
        mnemonic,
        operands,
        thread_id: consecutive_threads(1),
        source: run_of_bits(source)?,
        destination: run_of_bits(destination)?,
        refers_to_source: true,
    }
    .into_atom();
    if source != destination {
        atom.not_issuable = Some(
            Refusal::uncompilable(
                Rule::AtomParameters,
                "source and destination differ in size",
            )
            .with("source_bits", source)
            .with("destination_bits", destination),
        );
    }
    Ok(atom)
}

/// The width is chosen where the copy is called.
fn undecided() -> Result<CopyAtom, Refusal> {
    Ok(Parts {
        architecture: Architecture::ANY,
        mnemonic: None,
        operands: CopyOperands::OfTheCompiler,
        thread_id: consecutive_threads(1),
        source: run_of_bits(1)?,
        destination: run_of_bits(1)?,
        refers_to_source: true,
    }
    .into_atom())
}

fn asynchronous(id: &TemplateId, cache: &str, legal_bits: &[i64]) -> Result<CopyAtom, Refusal> {
    let mnemonic = format!("cp.async.{cache}.shared.global.L2::128B");
    let form = (Some(mnemonic), CopyOperands::Async);
    let mut atom = single_thread(id, Architecture::portable(80), form)?;
    let bits = atom.source.mode(1)?.size()?.value().unwrap_or(0);
    if atom.not_issuable.is_none() && !legal_bits.contains(&bits) {
        let refusal =
            Refusal::asserted(Rule::AtomParameters, "cp.async sizeof(TS) is not supported")
                .with("bytes", bits / 8);
        atom.not_issuable = Some(legal_bits.iter().fold(refusal, |refusal, bits| {
            refusal.legal(format!("uint{bits}_t"))
        }));
    }
    Ok(atom)
}

fn wide(mnemonic: &str, operands: CopyOperands) -> Result<CopyAtom, Refusal> {
    Ok(Parts {
        architecture: Architecture::portable(100),
        mnemonic: Some(mnemonic.to_owned()),
        operands,
        thread_id: consecutive_threads(1),
        source: run_of_bits(256)?,
        destination: run_of_bits(256)?,
        refers_to_source: true,
    }
    .into_atom())
}

/// Two registers of each lane, one of them exchanged with another lane.
fn shuffle(lanes: &[(i64, i64)], second_register: i64) -> Result<CopyAtom, Refusal> {
    Ok(Parts {
        architecture: Architecture::portable(50),
        mnemonic: Some("shfl.sync.bfly.b32".to_owned()),
        operands: CopyOperands::Shuffle,
        thread_id: consecutive_threads(32),
        source: thread_value(&Mode::Leaf(32, 64), &Mode::Leaf(64, 1))?,
        destination: thread_value(
            &Mode::group(lanes),
            &Mode::group(&[(32, 1), (2, second_register)]),
        )?,
        refers_to_source: true,
    }
    .into_atom())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cp_async_has_three_sizes() {
        let atom = CopyAtom::named("SM80_CP_ASYNC_CACHEALWAYS<uint16_t>").unwrap();
        assert_eq!(
            atom.not_issuable.unwrap().legal,
            ["uint32_t", "uint64_t", "uint128_t"]
        );
        assert_eq!(
            CopyAtom::named("SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>")
                .unwrap()
                .not_issuable,
            None
        );
    }
}
