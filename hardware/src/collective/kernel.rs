//! The kernel around a mainloop and an epilogue: `cutlass::gemm::kernel::GemmUniversal`.

use super::blackwell_mainloop::SCHEDULER_STAGES;
use super::mainloop::unsupported;
use super::schedule::KernelFamily;
use super::storage::Extent;
use super::{Epilogue, Mainloop, NotBuilt, Policy, SHARED_MEMORY_BYTES, Target};
use crate::refusal::{Refusal, Rule};

/// The assignment of tiles to CTAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileScheduler {
    /// `void`: the default of the kernel.
    Default,
    /// `PersistentScheduler`.
    Persistent,
    /// `StreamKScheduler`.
    StreamK,
}

impl TileScheduler {
    /// The scheduler of CUTLASS's tag, without name spaces.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "void" => Some(TileScheduler::Default),
            "PersistentScheduler" => Some(TileScheduler::Persistent),
            "StreamKScheduler" => Some(TileScheduler::StreamK),
            _ => None,
        }
    }
}

/// The parts of a kernel, beside its mainloop and its epilogue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GemmKernel {
    /// `MaxThreadsPerBlock`.
    pub threads: i64,
    /// The registers of a thread that loads and of one that multiplies (`setmaxnreg`), where the kernel sets them.
    pub registers: Option<[i64; 2]>,
    /// `SharedStorageSize`, in bytes.
    pub shared_bytes: i64,
    /// The failed assertion of the class.
    pub class_assertion: Option<Refusal>,
    /// The compiler's error that appears only where the kernel is launched.
    pub launch_assertion: Option<Refusal>,
}

/// A warp group.
const WARP_GROUP: i64 = 128;
/// From this number of accumulator registers on, the threads that load give up more of theirs.
const HEAVY_REGISTERS: i64 = 208;

impl GemmKernel {
    /// The kernel that CUTLASS 4.2 takes for the schedule of the mainloop.
    ///
    /// # Errors
    /// An epilogue of another architecture.
    pub fn build(
        mainloop: &Mainloop,
        epilogue: &Epilogue,
        scheduler: TileScheduler,
    ) -> Result<Self, NotBuilt> {
        if mainloop.request.target != epilogue.request.target {
            return Err(NotBuilt::NotModelled(
                "a mainloop and an epilogue of different architectures",
            ));
        }
        let kernel = match mainloop.request.target {
            Target::Sm90 => hopper(mainloop, epilogue, scheduler)?,
            Target::Sm100 => blackwell(mainloop, epilogue),
        };
        Ok(kernel)
    }

    /// Whether the shared memory of one CTA suffices.
    pub fn fits(&self) -> bool {
        self.shared_bytes <= SHARED_MEMORY_BYTES
    }

    /// `SharedStorage` of the kernel.
    pub fn shared_storage(&self) -> Extent {
        Extent::new(self.shared_bytes, SHARED_ALIGNMENT)
    }

    /// The refusal of a kernel that needs more shared memory than a CTA can have; SM90's compiles all the same.
    pub fn exceeds(&self, mainloop: &Mainloop, epilogue: &Epilogue) -> Option<Refusal> {
        (!self.fits()).then(|| exceeds(self.shared_bytes, mainloop, epilogue))
    }

    /// The assertion of every kernel of this mainloop where it is launched.
    pub fn launch_assertion_of(mainloop: &Mainloop) -> Option<Refusal> {
        let [m, ..] = mainloop.request.tile;
        (mainloop.schedule.family() == KernelFamily::Cooperative && m < 128)
            .then(|| too_few_rows(m))
    }
}

/// The alignment of the tensors in shared memory, in bytes; those of a kernel have at least this.
const SHARED_ALIGNMENT: i64 = 128;

/// The refusal of a kernel that needs more shared memory than there is.
fn exceeds(shared_bytes: i64, mainloop: &Mainloop, epilogue: &Epilogue) -> Refusal {
    Refusal::asserted(Rule::SmemExceedsCapacity, "SMEM usage exceeded capacity.")
        .with("bytes", shared_bytes)
        .with("capacity", SHARED_MEMORY_BYTES)
        .with("stages", mainloop.stages)
        .with("stage_bytes", mainloop.stage_bytes())
        .with("epilogue_bytes", epilogue.storage.bytes)
        .legal(format!(
            "StageCountAutoCarveout<{}>",
            epilogue.storage.bytes
        ))
}

fn hopper(
    mainloop: &Mainloop,
    epilogue: &Epilogue,
    scheduler: TileScheduler,
) -> Result<GemmKernel, Refusal> {
    let mma_threads = mainloop.mma_threads()?;
    let [m, n, _] = mainloop.request.tile;
    let accumulator_bytes = mainloop.request.accumulator.bits() / 8;
    let no_special_scheduler = |text| {
        (scheduler == TileScheduler::StreamK)
            .then(|| unsupported(text).legal("PersistentScheduler"))
    };
    let registers = |accumulators: i64| {
        if accumulators >= HEAVY_REGISTERS {
            [24, 240]
        } else {
            [40, 232]
        }
    };
    Ok(match mainloop.schedule.family() {
        KernelFamily::Cooperative => GemmKernel {
            threads: mma_threads + WARP_GROUP,
            registers: Some(registers(m * n / mma_threads * accumulator_bytes / 4)),
            shared_bytes: persistent_storage(mainloop, epilogue, &[Extent::barriers(2)]).bytes,
            class_assertion: None,
            launch_assertion: GemmKernel::launch_assertion_of(mainloop),
        },
        KernelFamily::Pingpong => GemmKernel {
            threads: 2 * mma_threads + WARP_GROUP,
            registers: Some(registers(m * n * accumulator_bytes / (mma_threads * 4))),
            shared_bytes: persistent_storage(
                mainloop,
                epilogue,
                &[Extent::barriers(4), Extent::barriers(2)],
            )
            .bytes,
            class_assertion: no_special_scheduler(
                "Ping-pong kernel does not currently support stream-K scheduler.",
            ),
            launch_assertion: None,
        },
        KernelFamily::WarpSpecialized => {
            let tensors = Extent::union([mainloop.tensors, epilogue.tensors]);
            let pipelines = aligned_members(&[mainloop.pipeline, epilogue.pipeline]);
            GemmKernel {
                threads: mma_threads + WARP_GROUP,
                registers: None,
                shared_bytes: Extent::sequence([tensors, pipelines]).bytes,
                class_assertion: no_special_scheduler(
                    "TMA warp-specialized kernel does not support specializing the tile scheduler.",
                ),
                launch_assertion: None,
            }
        }
        KernelFamily::Tma | KernelFamily::Auto | KernelFamily::Umma => GemmKernel {
            threads: mma_threads,
            registers: None,
            shared_bytes: mainloop.storage.bytes.max(epilogue.storage.bytes),
            class_assertion: no_special_scheduler(
                "TMA kernel does not support specializing the tile scheduler.",
            ),
            launch_assertion: None,
        },
    })
}

fn too_few_rows(m: i64) -> Refusal {
    Refusal::asserted(
        Rule::CollectiveTile,
        "Cooperative kernel requires Tile Size to be greater than or equal to 128 along the M-dimension.",
    )
    .with("tile_m", m)
    .legal("128")
}

/// Members of a struct, each at a multiple of 16 bytes.
fn aligned_members(members: &[Extent]) -> Extent {
    Extent::sequence(members.iter().map(|member| member.aligned(16)))
}

/// The barriers, the (empty) storage of the scheduler, and the tensors of the epilogue before those of the mainloop.
fn persistent_storage(mainloop: &Mainloop, epilogue: &Epilogue, orders: &[Extent]) -> Extent {
    let mut pipelines = vec![mainloop.pipeline, epilogue.pipeline];
    pipelines.extend_from_slice(orders);
    Extent::sequence([
        aligned_members(&pipelines),
        Extent::empty().aligned(16),
        tensors(mainloop, epilogue),
    ])
}

fn tensors(mainloop: &Mainloop, epilogue: &Epilogue) -> Extent {
    Extent::sequence([epilogue.tensors, mainloop.tensors])
        .aligned(128)
        .closed()
}

fn blackwell(mainloop: &Mainloop, epilogue: &Epilogue) -> GemmKernel {
    let accumulator_stages = match mainloop.policy {
        Policy::TmaUmma(stages) => stages.accumulator,
        _ => 0,
    };
    let pipelines = aligned_members(&[
        mainloop.pipeline,
        epilogue.pipeline,
        Extent::barriers(2),
        Extent::pipeline(SCHEDULER_STAGES),
        Extent::pipeline(accumulator_stages),
        Extent::pipeline(SCHEDULER_STAGES),
        Extent::barriers(1),
    ]);
    let storage = Extent::sequence([
        pipelines,
        Extent::new(16 * SCHEDULER_STAGES, 16),
        Extent::new(4, 4),
        tensors(mainloop, epilogue),
    ]);
    GemmKernel {
        threads: 2 * WARP_GROUP,
        registers: None,
        shared_bytes: storage.bytes,
        class_assertion: (storage.bytes > SHARED_MEMORY_BYTES)
            .then(|| exceeds(storage.bytes, mainloop, epilogue)),
        launch_assertion: None,
    }
}
