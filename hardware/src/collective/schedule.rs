//! The schedules that a builder takes, by name.

/// A schedule of the mainloop, and so the kind of kernel around it (`cutlass/gemm/dispatch_policy.hpp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelSchedule {
    /// The builder chooses.
    Auto,
    /// TMA without specialised warps.
    Tma,
    /// One warp group loads, one multiplies.
    WarpSpecialized,
    /// Two warp groups multiply a tile each, in turns.
    Pingpong,
    /// Two warp groups multiply the halves of one tile.
    Cooperative,
    /// [`KernelSchedule::WarpSpecialized`] that adds 8-bit floats in the tensor core only.
    WarpSpecializedFastAccum,
    /// [`KernelSchedule::Pingpong`] that adds 8-bit floats in the tensor core only.
    PingpongFastAccum,
    /// [`KernelSchedule::Cooperative`] that adds 8-bit floats in the tensor core only.
    CooperativeFastAccum,
    /// One SM for a tile (SM100).
    OneSm,
    /// Two SMs for a tile (SM100).
    TwoSm,
}

/// The inheritance of schedules: `Cooperative` is a base of `CooperativeFastAccum`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum KernelFamily {
    Auto,
    Tma,
    WarpSpecialized,
    Pingpong,
    Cooperative,
    Umma,
}

const KERNEL_SCHEDULES: [(&str, KernelSchedule); 10] = [
    ("KernelScheduleAuto", KernelSchedule::Auto),
    ("KernelTma", KernelSchedule::Tma),
    ("KernelTmaWarpSpecialized", KernelSchedule::WarpSpecialized),
    ("KernelTmaWarpSpecializedPingpong", KernelSchedule::Pingpong),
    (
        "KernelTmaWarpSpecializedCooperative",
        KernelSchedule::Cooperative,
    ),
    (
        "KernelTmaWarpSpecializedFP8FastAccum",
        KernelSchedule::WarpSpecializedFastAccum,
    ),
    (
        "KernelTmaWarpSpecializedPingpongFP8FastAccum",
        KernelSchedule::PingpongFastAccum,
    ),
    (
        "KernelTmaWarpSpecializedCooperativeFP8FastAccum",
        KernelSchedule::CooperativeFastAccum,
    ),
    ("KernelTmaWarpSpecialized1SmSm100", KernelSchedule::OneSm),
    ("KernelTmaWarpSpecialized2SmSm100", KernelSchedule::TwoSm),
];

impl KernelSchedule {
    /// The schedule of this name, without name spaces.
    pub fn named(name: &str) -> Option<Self> {
        KERNEL_SCHEDULES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, schedule)| *schedule)
    }

    /// Every name that a schedule has.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KERNEL_SCHEDULES.iter().map(|(name, _)| *name)
    }

    /// CUTLASS's name, without name spaces.
    pub fn name(self) -> &'static str {
        KERNEL_SCHEDULES
            .iter()
            .find(|(_, schedule)| *schedule == self)
            .map_or("", |(name, _)| name)
    }

    /// The schedule in words.
    pub fn words(self) -> &'static str {
        match self {
            KernelSchedule::Auto => "automatic",
            KernelSchedule::Tma => "TMA",
            KernelSchedule::WarpSpecialized => "warp-specialised TMA",
            KernelSchedule::Pingpong => "pingpong TMA",
            KernelSchedule::Cooperative => "cooperative TMA",
            KernelSchedule::WarpSpecializedFastAccum => "warp-specialised TMA, fast accumulation",
            KernelSchedule::PingpongFastAccum => "pingpong TMA, fast accumulation",
            KernelSchedule::CooperativeFastAccum => "cooperative TMA, fast accumulation",
            KernelSchedule::OneSm => "one-SM TMA",
            KernelSchedule::TwoSm => "two-SM TMA",
        }
    }

    pub(super) fn family(self) -> KernelFamily {
        match self {
            KernelSchedule::Auto => KernelFamily::Auto,
            KernelSchedule::Tma => KernelFamily::Tma,
            KernelSchedule::WarpSpecialized | KernelSchedule::WarpSpecializedFastAccum => {
                KernelFamily::WarpSpecialized
            }
            KernelSchedule::Pingpong | KernelSchedule::PingpongFastAccum => KernelFamily::Pingpong,
            KernelSchedule::Cooperative | KernelSchedule::CooperativeFastAccum => {
                KernelFamily::Cooperative
            }
            KernelSchedule::OneSm | KernelSchedule::TwoSm => KernelFamily::Umma,
        }
    }

    pub(super) fn is_fast_accumulation(self) -> bool {
        matches!(
            self,
            KernelSchedule::WarpSpecializedFastAccum
                | KernelSchedule::PingpongFastAccum
                | KernelSchedule::CooperativeFastAccum
        )
    }
}

/// A schedule of the epilogue (`cutlass/epilogue/dispatch_policy.hpp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EpilogueSchedule {
    /// The builder chooses.
    Auto,
    /// Registers to global memory, without shared memory (SM90).
    NoSmem,
    /// Through shared memory by TMA, one warp group for a tile (SM90).
    Tma,
    /// Through shared memory by TMA, two warp groups for a tile (SM90).
    TmaCooperative,
    /// Registers to global memory, an accumulator of one SM.
    NoSmemOneSm,
    /// Registers to global memory, an accumulator of two SMs.
    NoSmemTwoSm,
    /// Through shared memory by TMA, an accumulator of one SM.
    TmaOneSm,
    /// Through shared memory by TMA, an accumulator of two SMs.
    TmaTwoSm,
}

const EPILOGUE_SCHEDULES: [(&str, EpilogueSchedule); 8] = [
    ("EpilogueScheduleAuto", EpilogueSchedule::Auto),
    ("NoSmemWarpSpecialized", EpilogueSchedule::NoSmem),
    ("TmaWarpSpecialized", EpilogueSchedule::Tma),
    (
        "TmaWarpSpecializedCooperative",
        EpilogueSchedule::TmaCooperative,
    ),
    ("NoSmemWarpSpecialized1Sm", EpilogueSchedule::NoSmemOneSm),
    ("NoSmemWarpSpecialized2Sm", EpilogueSchedule::NoSmemTwoSm),
    ("TmaWarpSpecialized1Sm", EpilogueSchedule::TmaOneSm),
    ("TmaWarpSpecialized2Sm", EpilogueSchedule::TmaTwoSm),
];

impl EpilogueSchedule {
    /// The schedule of this name, without name spaces.
    pub fn named(name: &str) -> Option<Self> {
        EPILOGUE_SCHEDULES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, schedule)| *schedule)
    }

    /// Every name that a schedule has.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EPILOGUE_SCHEDULES.iter().map(|(name, _)| *name)
    }

    /// CUTLASS's name, without name spaces.
    pub fn name(self) -> &'static str {
        EPILOGUE_SCHEDULES
            .iter()
            .find(|(_, schedule)| *schedule == self)
            .map_or("", |(name, _)| name)
    }

    /// Whether two SMs share the accumulator.
    pub(super) fn is_two_sm(self) -> bool {
        matches!(
            self,
            EpilogueSchedule::NoSmemTwoSm | EpilogueSchedule::TmaTwoSm
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_names_its_schedule() {
        for name in KernelSchedule::names() {
            assert_eq!(
                KernelSchedule::named(name).map(KernelSchedule::name),
                Some(name)
            );
        }
        for name in EpilogueSchedule::names() {
            assert_eq!(
                EpilogueSchedule::named(name).map(EpilogueSchedule::name),
                Some(name)
            );
        }
        assert_eq!(KernelSchedule::named("KernelMultistage"), None);
    }
}
