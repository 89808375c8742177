//! Choices of collective builders, as values of a source: mainloops, epilogues and the kernels of both.

use std::fmt;
use std::sync::Arc;

use cute_algebra::Int;
use cute_hardware::collective::{
    Epilogue, EpilogueTile, Extent, Fusion, GemmKernel, Mainloop, MemoryOrder, StageCount, Target,
};
use cute_hardware::{Element, SharedLayout};

use crate::matrix_strides::MatrixStrides;
use crate::types::{Scalar, Type};
use crate::value::Value;

/// A type that a collective builder makes, or that it takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Collective {
    /// `CollectiveBuilder<...>` of a mainloop.
    MainloopBuilder(Arc<Mainloop>),
    /// `CollectiveBuilder<...>` of an epilogue.
    EpilogueBuilder(Arc<Epilogue>),
    /// The mainloop: `CollectiveMma<...>`.
    Mainloop(Arc<Mainloop>),
    /// The epilogue: `CollectiveEpilogue<...>` and its relatives.
    Epilogue(Arc<Epilogue>),
    /// The kernel: `GemmUniversal<...>`.
    Kernel(Arc<Gemm>),
    /// The launcher of the kernel: `GemmUniversalAdapter<...>`.
    Adapter(Arc<Gemm>),
    /// `DispatchPolicy` of a mainloop.
    Policy(Arc<Mainloop>),
    /// `DispatchPolicy` of an epilogue.
    EpiloguePolicy(Arc<Epilogue>),
    /// A class in shared memory: `SharedStorage`, `TensorStorage`, `PipelineStorage`.
    Storage(Storage),
    /// `StageCountAuto` and its relatives.
    Stages(StageCount),
    /// `fusion::LinearCombination` and its relatives.
    Fusion(Fusion),
}

/// A kernel with the collectives that it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Gemm {
    /// Its mainloop.
    pub mainloop: Arc<Mainloop>,
    /// Its epilogue.
    pub epilogue: Arc<Epilogue>,
    /// The kernel itself.
    pub kernel: GemmKernel,
}

/// A class in shared memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Storage {
    /// Its name in the form `whose.name`.
    pub name: &'static str,
    /// Its size and alignment, in bytes.
    pub extent: Extent,
}

impl Collective {
    /// The value of a collective as a type.
    pub(crate) fn into_type(self) -> Value {
        Value::Type(Box::new(Type::Of(Box::new(Value::Collective(Arc::new(
            self,
        ))))))
    }

    /// A member: a type, or a constant.
    pub(crate) fn member(&self, name: &str) -> Option<Value> {
        match self {
            Collective::MainloopBuilder(mainloop) if name == "CollectiveOp" => {
                Some(Collective::Mainloop(Arc::clone(mainloop)).into_type())
            }
            Collective::EpilogueBuilder(epilogue) if name == "CollectiveOp" => {
                Some(Collective::Epilogue(Arc::clone(epilogue)).into_type())
            }
            Collective::Mainloop(mainloop) => of_mainloop(mainloop, name),
            Collective::Epilogue(epilogue) => of_epilogue(epilogue, name),
            Collective::Adapter(gemm) if name == "GemmKernel" => {
                Some(Collective::Kernel(Arc::clone(gemm)).into_type())
            }
            Collective::Kernel(gemm) | Collective::Adapter(gemm) => of_kernel(gemm, name),
            Collective::Policy(mainloop) => match name {
                "Stages" => Some(constant(mainloop.stages)),
                "ClusterShape" => Some(shape(&mainloop.request.cluster?)),
                // On Blackwell it is the kernel's own tag, with its stages, not the argument of the builder.
                "Schedule" if mainloop.request.target == Target::Sm90 => {
                    Some(tag(mainloop.schedule.name()))
                }
                _ => None,
            },
            Collective::EpiloguePolicy(epilogue) => {
                let tma = epilogue.tma.as_ref()?;
                match name {
                    "StagesC" => Some(constant(tma.stages_c)),
                    "StagesD" => Some(constant(tma.stages_d)),
                    "FragmentSize" => Some(constant(tma.fragment_size)),
                    _ => None,
                }
            }
            Collective::Stages(StageCount::Auto { carveout }) if name == "bytes" => {
                Some(constant(*carveout))
            }
            Collective::Stages(StageCount::Fixed(stages)) if name == "value" => {
                Some(constant(*stages))
            }
            _ => None,
        }
    }
}

fn constant(value: i64) -> Value {
    Value::Int(Int::dynamic(value))
}

fn of_static(value: Value) -> Value {
    Value::Type(Box::new(Type::Of(Box::new(value))))
}

fn shape(extents: &[i64]) -> Value {
    let items = extents.iter().map(|extent| Value::Int(Int::fixed(*extent)));
    of_static(Value::Tuple(items.collect()))
}

fn tag(name: &str) -> Value {
    Value::Type(Box::new(Type::Named(name.into())))
}

fn element(element: Element) -> Option<Value> {
    let scalar = Scalar::of_spelling(element.cutlass_name())?;
    Some(Value::Type(Box::new(Type::Scalar(scalar))))
}

fn shared(layout: &SharedLayout) -> Value {
    of_static(Value::Shared(Arc::new(layout.clone())))
}

fn storage(name: &'static str, extent: Extent) -> Value {
    Collective::Storage(Storage { name, extent }).into_type()
}

/// The strides (M or N, K, batch) of operand A or B. B is `N x K`, so its rows are columns of the matrix.
fn strides(order: MemoryOrder, is_a: bool) -> Value {
    let strides = MatrixStrides {
        is_first_contiguous: (order == MemoryOrder::Column) == is_a,
        is_array: false,
    };
    Value::Type(Box::new(strides.into_type()))
}

fn of_mainloop(mainloop: &Arc<Mainloop>, name: &str) -> Option<Value> {
    let request = &mainloop.request;
    let (a, b) = (&mainloop.a, &mainloop.b);
    match name {
        "DispatchPolicy" => Some(Collective::Policy(Arc::clone(mainloop)).into_type()),
        "TileShape" => Some(shape(&request.tile)),
        "CtaShape_MNK" => Some(shape(&mainloop.cta_shape?)),
        "TiledMma" => Some(of_static(Value::TiledMma(Arc::new(mainloop.mma.clone())))),
        "ElementA" => element(a.request.element),
        "ElementB" => element(b.request.element),
        "ElementAccumulator" => element(request.accumulator),
        "StrideA" => Some(strides(a.request.order, true)),
        "StrideB" => Some(strides(b.request.order, false)),
        "GmemTiledCopyA" => Some(tag(a.load.name())),
        "GmemTiledCopyB" => Some(tag(b.load.name())),
        "SmemLayoutAtomA" => Some(shared(&a.atom)),
        "SmemLayoutAtomB" => Some(shared(&b.atom)),
        "SmemLayoutA" => Some(shared(&a.layout)),
        "SmemLayoutB" => Some(shared(&b.layout)),
        "ArchTag" => Some(tag(request.target.name())),
        "TmaTransactionBytes" => Some(constant(mainloop.transaction_bytes)),
        "SharedStorage" => Some(storage(
            "CollectiveMainloop::SharedStorage",
            mainloop.storage,
        )),
        "TensorStorage" => Some(storage(
            "CollectiveMainloop::TensorStorage",
            mainloop.tensors,
        )),
        "PipelineStorage" => Some(storage(
            "CollectiveMainloop::PipelineStorage",
            mainloop.pipeline,
        )),
        _ => None,
    }
}

fn of_epilogue(epilogue: &Arc<Epilogue>, name: &str) -> Option<Value> {
    let request = &epilogue.request;
    let source = request.c.unwrap_or(request.d);
    match name {
        "DispatchPolicy" => Some(Collective::EpiloguePolicy(Arc::clone(epilogue)).into_type()),
        "EpilogueTile" => Some(of_static(tile(epilogue.tile.as_ref()?))),
        "ElementC" => match request.c {
            Some(c) => element(c.element),
            None => Some(Value::Type(Box::new(Type::Scalar(Scalar::of_spelling(
                "void",
            )?)))),
        },
        "ElementD" | "ElementOutput" => element(request.d.element),
        "StrideC" => Some(strides(source.order, true)),
        "StrideD" => Some(strides(request.d.order, true)),
        "SmemLayoutAtomC" => Some(shared(&epilogue.tma.as_ref()?.atom_c)),
        "SmemLayoutAtomD" => Some(shared(&epilogue.tma.as_ref()?.atom_d)),
        "SharedStorage" => Some(storage(
            "CollectiveEpilogue::SharedStorage",
            epilogue.storage,
        )),
        "TensorStorage" => Some(storage(
            "CollectiveEpilogue::TensorStorage",
            epilogue.tensors,
        )),
        "PipelineStorage" => Some(storage(
            "CollectiveEpilogue::PipelineStorage",
            epilogue.pipeline,
        )),
        _ => None,
    }
}

/// M and N of the tile that an epilogue stores at a time.
fn tile(tile: &EpilogueTile) -> Value {
    Value::Tuple(match tile {
        EpilogueTile::Shape(extents) => extents
            .iter()
            .map(|extent| Value::Int(Int::fixed(*extent)))
            .collect(),
        EpilogueTile::Layouts(layouts) => layouts
            .iter()
            .map(|layout| Value::from(layout.clone()))
            .collect(),
    })
}

fn of_kernel(gemm: &Arc<Gemm>, name: &str) -> Option<Value> {
    match name {
        "CollectiveMainloop" => Some(Collective::Mainloop(Arc::clone(&gemm.mainloop)).into_type()),
        "CollectiveEpilogue" => Some(Collective::Epilogue(Arc::clone(&gemm.epilogue)).into_type()),
        "ClusterShape" => Some(shape(&gemm.mainloop.request.cluster?)),
        "SharedStorage" => Some(storage(
            "GemmKernel::SharedStorage",
            gemm.kernel.shared_storage(),
        )),
        "SharedStorageSize" => Some(constant(gemm.kernel.shared_bytes)),
        "MaxThreadsPerBlock" => Some(constant(gemm.kernel.threads)),
        "ElementC" | "ElementD" | "StrideC" | "StrideD" | "EpilogueTile" => {
            of_epilogue(&gemm.epilogue, name)
        }
        "DispatchPolicy" | "TileShape" | "TiledMma" | "ElementA" | "ElementB"
        | "ElementAccumulator" | "StrideA" | "StrideB" | "ArchTag" => {
            of_mainloop(&gemm.mainloop, name)
        }
        _ => None,
    }
}

impl fmt::Display for Collective {
    /// CUTLASS's name with the numbers that were picked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Collective::MainloopBuilder(mainloop)
            | Collective::Mainloop(mainloop)
            | Collective::Policy(mainloop) => {
                write!(f, "{}<{}", mainloop.policy.name(), mainloop.stages)?;
                if let Some([m, n, k]) = mainloop.request.cluster {
                    write!(f, ", (_{m},_{n},_{k})")?;
                }
                write!(f, ", {}>", mainloop.schedule.name())
            }
            Collective::EpilogueBuilder(epilogue)
            | Collective::Epilogue(epilogue)
            | Collective::EpiloguePolicy(epilogue) => f.write_str(&epilogue.policy_name()),
            Collective::Kernel(gemm) | Collective::Adapter(gemm) => {
                let mainloop = Collective::Mainloop(Arc::clone(&gemm.mainloop));
                write!(
                    f,
                    "GemmUniversal<{mainloop}, {}>",
                    gemm.epilogue.policy_name()
                )
            }
            Collective::Storage(storage) => f.write_str(storage.name),
            Collective::Stages(StageCount::Auto { carveout: 0 }) => f.write_str("StageCountAuto"),
            Collective::Stages(StageCount::Auto { carveout }) => {
                write!(f, "StageCountAutoCarveout<{carveout}>")
            }
            Collective::Stages(StageCount::Fixed(stages)) => write!(f, "StageCount<{stages}>"),
            Collective::Fusion(_) => f.write_str("fusion"),
        }
    }
}

/// The parts of a collective, by CUTLASS's names.
pub(crate) fn parts(collective: &Collective) -> Vec<(&'static str, String)> {
    match collective {
        Collective::Mainloop(mainloop) => mainloop_parts(mainloop),
        Collective::Epilogue(epilogue) => epilogue_parts(epilogue),
        Collective::Kernel(gemm) | Collective::Adapter(gemm) => {
            let mut parts = vec![
                ("SharedStorageSize", gemm.kernel.shared_bytes.to_string()),
                ("MaxThreadsPerBlock", gemm.kernel.threads.to_string()),
            ];
            if let Some([load, mma]) = gemm.kernel.registers {
                parts.push(("LoadRegisterRequirement", load.to_string()));
                parts.push(("MmaRegisterRequirement", mma.to_string()));
            }
            parts
        }
        Collective::Storage(storage) => vec![
            ("sizeof", storage.extent.bytes.to_string()),
            ("alignof", storage.extent.align.to_string()),
        ],
        _ => Vec::new(),
    }
}

fn mainloop_parts(mainloop: &Mainloop) -> Vec<(&'static str, String)> {
    let (a, b) = (&mainloop.a, &mainloop.b);
    vec![
        ("Stages", mainloop.stages.to_string()),
        ("Schedule", mainloop.schedule.name().to_owned()),
        ("MmaAtom", mainloop.mma.atom().name.clone()),
        ("SmemLayoutAtomA", a.atom.to_string()),
        ("SmemLayoutAtomB", b.atom.to_string()),
        ("SmemLayoutA", a.layout.to_string()),
        ("SmemLayoutB", b.layout.to_string()),
        ("GmemTiledCopyA", a.load.name().to_owned()),
        ("GmemTiledCopyB", b.load.name().to_owned()),
        (
            "TmaTransactionBytes",
            mainloop.transaction_bytes.to_string(),
        ),
        ("SharedStorageBytes", mainloop.storage.bytes.to_string()),
    ]
}

fn epilogue_parts(epilogue: &Epilogue) -> Vec<(&'static str, String)> {
    let mut parts = vec![
        ("Schedule", epilogue.schedule.name().to_owned()),
        ("SharedStorageBytes", epilogue.storage.bytes.to_string()),
    ];
    parts.extend(
        epilogue
            .tile
            .as_ref()
            .map(|tile| ("EpilogueTile", tile.to_string())),
    );
    if let Some(tma) = &epilogue.tma {
        parts.extend([
            ("StagesC", tma.stages_c.to_string()),
            ("StagesD", tma.stages_d.to_string()),
            ("SmemLayoutAtomC", tma.atom_c.to_string()),
            ("SmemLayoutAtomD", tma.atom_d.to_string()),
            ("CopyOpR2S", tma.to_shared.to_owned()),
            ("CopyOpS2R", tma.from_shared.to_owned()),
        ]);
    }
    parts.extend(
        epilogue
            .tensor_memory_load
            .as_ref()
            .map(|load| ("CopyOpT2R", load.clone())),
    );
    parts
}
