//! The resources of one streaming multiprocessor, and the number of its resident CTAs (CUDA C++ programming guide,
//! "Compute Capabilities", table of technical specifications; CCCL 3.3, `cuda/__device/arch_traits.h`).
//!
//! Every capacity of shared and tensor memory that this project knows is a row of the table here.

/// The resources of a streaming multiprocessor of one compute capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiprocessor {
    /// Ten times the compute capability: 90 for 9.0.
    pub number: u16,
    /// The most shared memory that one CTA can ask for, in bytes.
    pub shared_of_a_cta: i64,
    /// The same for a kernel that is allowed oversized shared memory, in bytes; on most machines no more.
    pub oversized_of_a_cta: i64,
    /// Its shared memory, in bytes.
    pub shared: i64,
    /// Shared memory that the system takes of each CTA, in bytes.
    pub reserved_of_a_cta: i64,
    /// The most resident threads.
    pub threads: i64,
    /// The most resident CTAs.
    pub ctas: i64,
    /// Columns of tensor memory; 0 where there is none.
    pub columns: i64,
    /// Columns that one CTA can allocate where no other CTA shares the multiprocessor (an exclusive allocation).
    pub exclusive_columns: i64,
}

/// 32-bit registers of a streaming multiprocessor.
pub const REGISTERS: i64 = 65_536;
/// The most registers of one thread.
pub const REGISTERS_OF_A_THREAD: i64 = 255;
/// Registers are given to warps in units of this many (8 for each thread).
pub const REGISTER_UNIT: i64 = 256;
/// Bytes of a barrier in shared memory: one word of 64 bits (PTX ISA, "mbarrier").
pub const BARRIER_BYTES: i64 = 8;
/// The most threads of one CTA.
pub const THREADS_OF_A_CTA: i64 = 1_024;
/// Bytes of dynamic shared memory that a kernel gets without `cudaFuncAttributeMaxDynamicSharedMemorySize` (CUDA C++
/// programming guide, "Compute Capabilities").
pub const SHARED_WITHOUT_ATTRIBUTE: i64 = 48 * 1_024;
/// The most CTAs of a cluster that every GPU with clusters runs.
pub const PORTABLE_CLUSTER: i64 = 8;
/// The most CTAs of a cluster that a kernel can be allowed (`cudaFuncAttributeNonPortableClusterSizeAllowed`).
pub const LARGEST_CLUSTER: i64 = 16;

const KIB: i64 = 1_024;

/// The known multiprocessors by compute capability; rows of the programming guide.
const TABLE: &[Multiprocessor] = &[
    row(70, 96, 96, 0, 2_048, 32, 0),
    row(72, 96, 96, 0, 2_048, 32, 0),
    row(75, 64, 64, 0, 1_024, 16, 0),
    row(80, 163, 164, 1, 2_048, 32, 0),
    row(86, 99, 100, 1, 1_536, 16, 0),
    row(87, 163, 164, 1, 1_536, 16, 0),
    row(88, 99, 100, 1, 1_536, 16, 0),
    row(89, 99, 100, 1, 1_536, 24, 0),
    row(90, 227, 228, 1, 2_048, 32, 0),
    row(100, 227, 228, 1, 2_048, 32, 512),
    row(103, 227, 228, 1, 2_048, 32, 512),
    RUBIN,
    row(110, 227, 228, 1, 1_536, 24, 512),
    row(120, 99, 100, 1, 1_536, 24, 0),
    row(121, 99, 100, 1, 1_536, 24, 0),
];

/// Compute capability 10.7. A kernel that is allowed oversized shared memory has 327 KiB a CTA, and an exclusive
/// allocation of tensor memory has 576 columns (release notes of CUTLASS 4.8).
const RUBIN: Multiprocessor = Multiprocessor {
    oversized_of_a_cta: 327 * KIB,
    exclusive_columns: 576,
    ..row(107, 227, 228, 1, 1_024, 16, 512)
};

const fn row(
    number: u16,
    shared_of_a_cta: i64,
    shared: i64,
    reserved: i64,
    threads: i64,
    ctas: i64,
    columns: i64,
) -> Multiprocessor {
    Multiprocessor {
        number,
        shared_of_a_cta: shared_of_a_cta * KIB,
        oversized_of_a_cta: shared_of_a_cta * KIB,
        shared: shared * KIB,
        reserved_of_a_cta: reserved * KIB,
        threads,
        ctas,
        columns,
        exclusive_columns: columns,
    }
}

/// The most shared memory that a CTA can ask for on a machine of the table, in bytes; 0 for one that is not there.
///
/// ```
/// use cute_hardware::multiprocessor::shared_of_a_cta;
/// assert_eq!((shared_of_a_cta(90), shared_of_a_cta(120)), (232_448, 101_376));
/// ```
pub const fn shared_of_a_cta(number: u16) -> i64 {
    match Multiprocessor::of(number) {
        Some(machine) => machine.shared_of_a_cta,
        None => 0,
    }
}

/// The columns of tensor memory of a machine of the table; 0 for one that is not there.
pub(crate) const fn columns(number: u16) -> i64 {
    match Multiprocessor::of(number) {
        Some(machine) => machine.columns,
        None => 0,
    }
}

/// The resource that limits the number of CTAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Shared memory.
    Shared,
    /// Resident threads.
    Threads,
    /// Registers.
    Registers,
    /// Columns of tensor memory.
    Columns,
    /// The number of CTAs itself.
    Ctas,
}

impl Limit {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Shared => "shared memory",
            Limit::Threads => "threads",
            Limit::Registers => "registers",
            Limit::Columns => "tensor memory",
            Limit::Ctas => "the number of CTAs",
        }
    }
}

/// The demand of one CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Demand {
    /// Threads.
    pub threads: i64,
    /// Shared memory, static and dynamic, in bytes.
    pub shared: i64,
    /// Registers of one thread; 0 where nothing is known of them.
    pub registers: i64,
    /// Columns of tensor memory.
    pub columns: i64,
}

impl Multiprocessor {
    /// All that are known, by compute capability.
    pub fn all() -> &'static [Self] {
        TABLE
    }

    /// The multiprocessor of a compute capability, ten times its number; `None` where it is not in the table.
    ///
    /// ```
    /// use cute_hardware::multiprocessor::Multiprocessor;
    /// let hopper = Multiprocessor::of(90).unwrap();
    /// assert_eq!((hopper.shared_of_a_cta, hopper.threads), (232_448, 2_048));
    /// assert_eq!(Multiprocessor::of(91), None);
    /// ```
    pub const fn of(number: u16) -> Option<Self> {
        let mut rest = TABLE;
        while let [row, later @ ..] = rest {
            if row.number == number {
                return Some(*row);
            }
            rest = later;
        }
        None
    }

    /// Number of CTAs resident at once, and the resource that limits them; 0 where one does not fit.
    ///
    /// ```
    /// use cute_hardware::multiprocessor::{Demand, Limit, Multiprocessor};
    /// let demand = Demand { threads: 128, shared: 98_432, ..Demand::default() };
    /// let hopper = Multiprocessor::of(90).unwrap();
    /// assert_eq!(hopper.resident(demand), (2, Limit::Shared));
    /// ```
    pub fn resident(self, demand: Demand) -> (i64, Limit) {
        let of = |have: i64, need: i64| if need > 0 { have / need } else { i64::MAX };
        let shared = if demand.shared > self.oversized_of_a_cta {
            0
        } else if demand.shared > self.shared_of_a_cta {
            1
        } else if demand.shared == 0 {
            i64::MAX
        } else {
            of(self.shared, demand.shared + self.reserved_of_a_cta)
        };
        let warps = (demand.threads + 31) / 32;
        let of_a_warp = (demand.registers * 32 + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
        [
            (of(self.threads, warps * 32), Limit::Threads),
            (shared, Limit::Shared),
            (of(REGISTERS, warps * of_a_warp), Limit::Registers),
            (self.sharing_columns(demand.columns), Limit::Columns),
            (self.ctas, Limit::Ctas),
        ]
        .into_iter()
        .min_by_key(|(ctas, _)| *ctas)
        .unwrap_or((0, Limit::Ctas))
    }

    /// Number of CTAs that find columns of tensor memory.
    fn sharing_columns(self, of_a_cta: i64) -> i64 {
        if of_a_cta <= 0 {
            i64::MAX
        } else if of_a_cta > self.columns {
            i64::from(of_a_cta <= self.exclusive_columns)
        } else {
            self.columns / of_a_cta
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scarcest_resource_limits() {
        let hopper = Multiprocessor::of(90).unwrap();
        let demand = |threads, shared, registers| Demand {
            threads,
            shared,
            registers,
            columns: 0,
        };
        assert_eq!(hopper.resident(demand(256, 0, 0)), (8, Limit::Threads));
        assert_eq!(hopper.resident(demand(32, 0, 0)), (32, Limit::Ctas));
        assert_eq!(hopper.resident(demand(128, 232_448, 0)), (1, Limit::Shared));
        assert_eq!(hopper.resident(demand(128, 232_449, 0)), (0, Limit::Shared));
        assert_eq!(hopper.resident(demand(256, 0, 255)), (1, Limit::Registers));
    }

    #[test]
    fn tensor_memory_is_shared_among_ctas() {
        let blackwell = Multiprocessor::of(100).unwrap();
        let demand = Demand {
            threads: 128,
            columns: 512,
            ..Demand::default()
        };
        assert_eq!(blackwell.resident(demand), (1, Limit::Columns));
    }

    #[test]
    fn rubin_has_more_for_one_cta_that_has_the_multiprocessor_to_itself() {
        let rubin = Multiprocessor::of(107).unwrap();
        let demand = |shared, columns| Demand {
            threads: 128,
            shared,
            columns,
            ..Demand::default()
        };
        assert_eq!(rubin.resident(demand(0, 576)), (1, Limit::Columns));
        assert_eq!(rubin.resident(demand(0, 577)), (0, Limit::Columns));
        assert_eq!(rubin.resident(demand(334_848, 0)), (1, Limit::Shared));
        assert_eq!(rubin.resident(demand(334_849, 0)), (0, Limit::Shared));
        for number in [100, 103, 110] {
            let machine = Multiprocessor::of(number).unwrap();
            assert_eq!(machine.resident(demand(0, 576)).0, 0);
            assert_eq!(machine.resident(demand(232_449, 0)).0, 0);
        }
        assert_eq!(
            Multiprocessor::of(120).unwrap().resident(demand(0, 32)).0,
            0
        );
    }
}
