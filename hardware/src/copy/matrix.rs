//! `ldmatrix`, `stmatrix` and `movmatrix`: 8x8 (16x16, 8x16) matrices between shared memory and the registers of a warp.

use super::{CopyAtom, CopyOperands, Parts};
use crate::architecture::Architecture;
use crate::name::{Argument, TemplateId};
use crate::refusal::Refusal;
use crate::thread_value::{Mode, consecutive_threads, thread_value};
use cute_algebra::Layout;

pub(super) fn atom(id: &TemplateId, _rest: &[Argument]) -> Result<Option<CopyAtom>, Refusal> {
    let words: Vec<&str> = id.base().split('_').collect();
    let (architecture, data, direction) = match words[..] {
        ["SM75", data, "LDSM", order] => (75, (data, order), Direction::Load),
        ["SM90", data, "STSM", order] => (90, (data, order), Direction::Store),
        ["SM100", data, "LDSM", order] => (100, (data, order), Direction::Load),
        ["SM100", data, "STSM", order] => (100, (data, order), Direction::Store),
        ["SM75", "U32x1", "MOVM", "T"] => return movmatrix().map(Some),
        [
            "SM100",
            format @ ("SU4" | "SU6"),
            "DU8x16",
            count,
            "LDSM",
            "N",
        ] => {
            let Some(count) = matrix_count(count.strip_prefix('x')) else {
                return Ok(None);
            };
            return unpacking_load(format, count).map(Some);
        }
        _ => return Ok(None),
    };
    let Some(matrices) = Matrices::read(architecture, data, direction) else {
        return Ok(None);
    };
    let rows = matrices.rows()?;
    let registers = matrices.registers()?;
    let (source, destination) = match direction {
        Direction::Load => (rows, registers),
        Direction::Store => (registers, rows),
    };
    Ok(Some(
        Parts {
            architecture: if architecture == 100 {
                Architecture::specific(100)
            } else {
                Architecture::portable(architecture)
            },
            mnemonic: Some(matrices.mnemonic(direction)),
            operands: match direction {
                Direction::Load => CopyOperands::MatrixLoad,
                Direction::Store => CopyOperands::MatrixStore,
            },
            thread_id: consecutive_threads(32),
            source,
            destination,
            // The registers are the side with a separate value for every thread.
            refers_to_source: direction == Direction::Store,
        }
        .into_atom(),
    ))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Load,
    Store,
}

/// The matrices that one instruction moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matrices {
    /// `count` matrices of 8x8 16-bit elements, in row order.
    Plain { count: i64 },
    /// The same, transposed on the way.
    Transposed { count: i64 },
    /// Matrices of 8-bit elements with `registers` 32-bit registers for each thread, transposed on the way (`sm_100a`).
    Bytes {
        registers: i64,
        direction: Direction,
    },
}

impl Matrices {
    /// Reads `U32x4` of `_N` or `U16x8` of `_T`: the data that each thread has in registers.
    fn read(architecture: u16, (data, order): (&str, &str), direction: Direction) -> Option<Self> {
        let (unit, count) = data.split_once('x')?;
        match (architecture, unit, order) {
            (75 | 90, "U32", "N") => Some(Matrices::Plain {
                count: matrix_count(Some(count))?,
            }),
            (75 | 90, "U16", "T") => {
                let count: i64 = count.parse().ok()?;
                Some(Matrices::Transposed {
                    count: [1, 2, 4].into_iter().find(|n| n * 2 == count)?,
                })
            }
            (100, "U8", "T") => {
                let bytes: i64 = count.parse().ok()?;
                let registers = [1, 2, 4].into_iter().find(|n| n * 4 == bytes)?;
                (direction == Direction::Store || registers > 1).then_some(Matrices::Bytes {
                    registers,
                    direction,
                })
            }
            _ => None,
        }
    }

    /// The shared-memory side: each matrix row is 128 bits, its address given by one lane; with fewer matrices the
    /// addresses of the other lanes are not used (stride 0).
    fn rows(self) -> Result<Layout, Refusal> {
        let count = match self {
            Matrices::Plain { count } | Matrices::Transposed { count } => count,
            Matrices::Bytes {
                registers,
                direction: Direction::Store,
            } => registers,
            Matrices::Bytes {
                registers,
                direction: Direction::Load,
            } => {
                // A 16x16 matrix of bytes: sixteen rows of 128 bits, in the order of two 8x16 halves.
                let second = if registers == 4 { 2048 } else { 0 };
                let lanes = Mode::group(&[(2, 128), (2, 1024), (4, 256), (2, second)]);
                return thread_value(&lanes, &Mode::Leaf(128, 1));
            }
        };
        row_addresses(count)
    }

    /// The register side.
    fn registers(self) -> Result<Layout, Refusal> {
        match self {
            Matrices::Plain { count } => plain_registers(count),
            Matrices::Transposed { count } => {
                let values = Mode::squeezed(&[(16, 1), (2, 128), (count, 1024)]);
                thread_value(&Mode::group(&[(4, 256), (8, 16)]), &values)
            }
            Matrices::Bytes { registers, .. } => {
                let values = Mode::squeezed(&[(8, 1), (2, 128), (2, 64), (registers, 1024)]);
                thread_value(&Mode::group(&[(4, 256), (8, 8)]), &values)
            }
        }
    }

    fn mnemonic(self, direction: Direction) -> String {
        let opcode = match direction {
            Direction::Load => "ldmatrix",
            Direction::Store => "stmatrix",
        };
        match self {
            Matrices::Plain { count } => format!("{opcode}.sync.aligned.m8n8.x{count}.shared.b16"),
            Matrices::Transposed { count } => {
                format!("{opcode}.sync.aligned.m8n8.x{count}.trans.shared.b16")
            }
            Matrices::Bytes {
                registers,
                direction: Direction::Load,
            } => {
                format!(
                    "{opcode}.sync.aligned.m16n16.x{}.trans.shared.b8",
                    registers / 2
                )
            }
            Matrices::Bytes {
                registers,
                direction: Direction::Store,
            } => {
                format!("{opcode}.sync.aligned.m16n8.x{registers}.trans.shared.b8")
            }
        }
    }
}

fn matrix_count(text: Option<&str>) -> Option<i64> {
    text?.parse().ok().filter(|count| [1, 2, 4].contains(count))
}

fn row_addresses(count: i64) -> Result<Layout, Refusal> {
    let lanes = if count == 4 {
        Mode::Leaf(32, 128)
    } else {
        Mode::group(&[(8 * count, 128), (4 / count, 0)])
    };
    thread_value(&lanes, &Mode::Leaf(128, 1))
}

fn plain_registers(count: i64) -> Result<Layout, Refusal> {
    thread_value(
        &Mode::Leaf(32, 32),
        &Mode::squeezed(&[(32, 1), (count, 1024)]),
    )
}

/// `ldmatrix` that widens packed 4- or 6-bit elements to bytes.
fn unpacking_load(format: &str, count: i64) -> Result<CopyAtom, Refusal> {
    let packing = if format == "SU4" {
        "b4x16_p64"
    } else {
        "b6x16_p32"
    };
    Ok(Parts {
        architecture: Architecture::specific(100),
        mnemonic: Some(format!(
            "ldmatrix.sync.aligned.m8n16.x{count}.shared.b8x16.{packing}"
        )),
        operands: CopyOperands::MatrixLoad,
        thread_id: consecutive_threads(32),
        source: row_addresses(count)?,
        destination: plain_registers(count)?,
        refers_to_source: false,
    }
    .into_atom())
}

/// `movmatrix`, which CuTe describes as if nothing moved.
fn movmatrix() -> Result<CopyAtom, Refusal> {
    Ok(Parts {
        architecture: Architecture::portable(75),
        mnemonic: Some("movmatrix.sync.aligned.m8n8.trans.b16".to_owned()),
        operands: CopyOperands::MatrixMove,
        thread_id: consecutive_threads(32),
        source: plain_registers(1)?,
        destination: plain_registers(1)?,
        refers_to_source: false,
    }
    .into_atom())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ldmatrix_gives_lane_l_the_row_l_over_4() {
        let atom = CopyAtom::named("SM75_U32x4_LDSM_N").unwrap();
        // Lane 5, register 2: matrix 2, row 1, the 32 bits of columns 2 and 3.
        assert_eq!(
            atom.destination.eval_number(5 + 32 * (32 * 2)).unwrap(),
            2 * 1024 + 128 + 32
        );
        assert_eq!(atom.source.eval_number(17).unwrap(), 17 * 128);
    }

    #[test]
    fn a_store_mirrors_its_load() {
        let load = CopyAtom::named("SM75_U16x8_LDSM_T").unwrap();
        let store = CopyAtom::named("SM90_U16x8_STSM_T").unwrap();
        assert_eq!(
            (store.source, store.destination),
            (load.destination, load.source)
        );
        assert_eq!(
            store.mnemonic.unwrap(),
            "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
        );
    }
}
