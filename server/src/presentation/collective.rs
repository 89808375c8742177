//! The choices of a collective builder, in words.

use cute_analysis::{Analysis, Collective, Gemm, Value};
use cute_hardware::Element;
use cute_hardware::collective::{
    Epilogue, EpilogueSchedule, KernelSchedule, Mainloop, MemoryOrder, Policy, SHARED_MEMORY_BYTES,
    StageCount, TmaLoad,
};

use super::number::grouped;

/// Sentences about a collective.
pub fn of(collective: &Collective) -> Vec<String> {
    match collective {
        Collective::Mainloop(mainloop) | Collective::MainloopBuilder(mainloop) => {
            of_mainloop(mainloop)
        }
        Collective::Epilogue(epilogue) | Collective::EpilogueBuilder(epilogue) => {
            vec![of_epilogue(epilogue), kept(epilogue)]
        }
        Collective::Kernel(gemm) | Collective::Adapter(gemm) => {
            let mut lines = of_mainloop(&gemm.mainloop);
            lines.push(of_epilogue(&gemm.epilogue));
            lines.push(of_kernel(gemm));
            lines
        }
        Collective::Storage(storage) => vec![format!(
            "{} B, aligned to {} B",
            grouped(storage.extent.bytes),
            storage.extent.align
        )],
        Collective::Policy(_)
        | Collective::EpiloguePolicy(_)
        | Collective::Stages(_)
        | Collective::Fusion(_) => Vec::new(),
    }
}

/// The results of the kernels of the file for a separate mainloop or epilogue.
pub fn in_kernels(analysis: &Analysis, value: &Value) -> Vec<String> {
    let kernels = kernels(analysis);
    let mut lines: Vec<String> = match value {
        Value::Collective(collective) => match &**collective {
            Collective::Mainloop(mainloop) => kernels
                .filter(|gemm| gemm.mainloop == *mainloop)
                .map(|gemm| format!("{}; {}", of_epilogue(&gemm.epilogue), of_kernel(gemm)))
                .collect(),
            Collective::Epilogue(epilogue) => kernels
                .filter(|gemm| gemm.epilogue == *epilogue)
                .map(of_kernel)
                .collect(),
            _ => Vec::new(),
        },
        Value::Type(ty) => match ty.as_static() {
            Some(value @ Value::Collective(_)) => in_kernels(analysis, value),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    lines.dedup();
    lines
}

/// The kernels that the file names.
fn kernels(analysis: &Analysis) -> impl Iterator<Item = &Gemm> {
    analysis.facts.iter().filter_map(|fact| match &*fact.value {
        Value::Collective(collective) => match &**collective {
            Collective::Kernel(gemm) => Some(&**gemm),
            _ => None,
        },
        _ => None,
    })
}

fn of_mainloop(mainloop: &Mainloop) -> Vec<String> {
    let request = &mainloop.request;
    let asked = match request.stages {
        StageCount::Auto { carveout: 0 } => " (StageCountAuto reserves nothing for the epilogue)",
        _ => "",
    };
    let schedule = match request.schedule {
        KernelSchedule::Auto => " (Auto)",
        _ => "",
    };
    let mut lines = vec![
        format!(
            "{} stages x {} B, {} of {} B{asked}",
            mainloop.stages,
            grouped(mainloop.stage_bytes()),
            grouped(mainloop.storage.bytes),
            grouped(SHARED_MEMORY_BYTES)
        ),
        format!(
            "{} schedule{schedule}, {}",
            mainloop.schedule.words(),
            instruction(mainloop)
        ),
        copies(mainloop),
    ];
    if let Policy::TmaUmma(stages) = mainloop.policy {
        lines.push(format!(
            "accumulators in tensor memory: {} stages",
            stages.accumulator
        ));
    }
    if mainloop.is_swapped {
        lines.push("B goes through registers, so the kernel computes B x A".to_owned());
    }
    lines
}

/// `m64n128k8 tf32`.
pub(super) fn instruction(mainloop: &Mainloop) -> String {
    let [m, n, k] = mainloop.mma.atom().shape_mnk();
    let (a, b) = (mainloop.a.mma_element, mainloop.b.mma_element);
    let types = if a == b {
        a.ptx().to_owned()
    } else {
        format!("{} x {}", a.ptx(), b.ptx())
    };
    let source = match mainloop.policy {
        Policy::RegisterA | Policy::RegisterAMixedInput => ", A from registers",
        _ => "",
    };
    format!("m{m}n{n}k{k} {types}{source}")
}

/// The way of A and B to shared memory.
pub(super) fn copies(mainloop: &Mainloop) -> String {
    let load = |load: TmaLoad| match load {
        TmaLoad::Load => "TMA",
        TmaLoad::Multicast => "TMA multicast",
        TmaLoad::Load2Sm => "TMA of two SMs",
        TmaLoad::Multicast2Sm => "TMA multicast of two SMs",
    };
    let (a, b) = (load(mainloop.a.load), load(mainloop.b.load));
    let of = if a == b {
        format!("A and B by {a}")
    } else {
        format!("A by {a}, B by {b}")
    };
    format!(
        "{of}: {} B per stage expected by its barrier",
        grouped(mainloop.transaction_bytes)
    )
}

/// `epilogue Auto = no smem, no TMA store`.
fn of_epilogue(epilogue: &Epilogue) -> String {
    match epilogue.request.schedule {
        EpilogueSchedule::Auto => format!("epilogue {}", picked_epilogue(epilogue)),
        _ => format!("epilogue: {}", picked_epilogue(epilogue)),
    }
}

/// `Auto = no smem, no TMA store`.
pub(super) fn picked_epilogue(epilogue: &Epilogue) -> String {
    let asked = match epilogue.request.schedule {
        EpilogueSchedule::Auto => "Auto = ",
        _ => "",
    };
    let Some(tma) = &epilogue.tma else {
        return format!("{asked}no smem, no TMA store");
    };
    let tile = epilogue
        .tile
        .as_ref()
        .map(|tile| format!(" of {tile}"))
        .unwrap_or_default();
    let source = match (epilogue.request.c, tma.reuses_c) {
        (None, _) => "no source".to_owned(),
        (Some(_), true) => format!("{} tiles of C, which D overwrites", tma.stages_c),
        (Some(_), false) => format!("{} tiles of C", tma.stages_c),
    };
    format!(
        "{asked}TMA store, tiles{tile}, {source}, {} of D in flight, {}",
        tma.stages_d, tma.to_shared
    )
}

fn kept(epilogue: &Epilogue) -> String {
    format!("{} B of shared memory", grouped(epilogue.storage.bytes))
}

fn of_kernel(gemm: &Gemm) -> String {
    format!("kernel: {}", kernel_needs(gemm))
}

/// The resources of an SM that the kernel needs.
pub(super) fn kernel_needs(gemm: &Gemm) -> String {
    let kernel = &gemm.kernel;
    let registers = match kernel.registers {
        Some([load, mma]) => format!(", {load} registers to load and {mma} to multiply"),
        None => String::new(),
    };
    format!(
        "{} of {} B, {} threads{registers}",
        grouped(kernel.shared_bytes),
        grouped(SHARED_MEMORY_BYTES),
        kernel.threads
    )
}

/// `f16 row-major`.
pub(super) fn matrix(element: Element, order: MemoryOrder) -> String {
    let order = match order {
        MemoryOrder::Row => "row-major",
        MemoryOrder::Column => "column-major",
    };
    format!("{} {order}", element.ptx())
}
