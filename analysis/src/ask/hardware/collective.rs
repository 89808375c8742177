//! The choices of a collective builder, as a compiler prints them.

use super::{Field, HardwareAnswer, Inputs, NoAnswer, text};
use cute_algebra::ops::recast::recast_layout;
use cute_algebra::{Int, Shape};
use cute_hardware::collective::{
    Epilogue, EpilogueRequest, EpilogueSchedule, Fusion, FusionKind, GemmKernel, KernelSchedule,
    Mainloop, MainloopRequest, MemoryOrder, NotBuilt, OperandRequest, OutputRequest, Policy,
    StageCount, Target, TileScheduler, cutlass_type,
};
use cute_hardware::element::Element;
use cute_hardware::name::{Argument, TemplateId};
use cute_hardware::refusal::Refusal;
use cute_hardware::tiled::{Operand, TiledMma};

impl From<NotBuilt> for NoAnswer {
    fn from(reason: NotBuilt) -> Self {
        match reason {
            NotBuilt::Refused(refusal) => NoAnswer::Refused(refusal),
            NotBuilt::NotModelled(_) => NoAnswer::Malformed(reason.to_string()),
        }
    }
}

/// A mainloop, an epilogue and the kernel of both.
///
/// The stages are `Auto`, `AutoCarveout(epilogue)` for the rest that the epilogue leaves, `AutoCarveout(<bytes>)`, or a
/// number.
pub(super) fn builder(inputs: &Inputs<'_>) -> Result<HardwareAnswer, NoAnswer> {
    let target = named(inputs, "arch", Target::named)?;
    let tile = extents(inputs, "tile_shape")?;
    let epilogue = Epilogue::build(&EpilogueRequest {
        target,
        tile,
        cluster: Some(match inputs.optional("cluster_epilogue") {
            Some(_) => extents(inputs, "cluster_epilogue")?,
            None => extents(inputs, "cluster")?,
        }),
        epilogue_tile: match inputs.optional("epilogue_tile_asked").as_deref() {
            None | Some("EpilogueTileAuto") => None,
            Some(_) => Some(extents(inputs, "epilogue_tile_asked")?),
        },
        accumulator: inputs.element("element_acc")?,
        c: match inputs.text("element_c")?.as_str() {
            "void" => None,
            _ => Some(output(inputs, "element_c", "layout_c")?),
        },
        d: output(inputs, "element_d", "layout_d")?,
        schedule: named(inputs, "epilogue_schedule_asked", EpilogueSchedule::named)?,
        fusion: fusion(inputs)?,
    })?;
    let mainloop = Mainloop::build(&MainloopRequest {
        target,
        a: operand(inputs, "element_a", "layout_a")?,
        b: operand(inputs, "element_b", "layout_b")?,
        accumulator: inputs.element("element_acc")?,
        tile,
        cluster: Some(extents(inputs, "cluster")?),
        stages: stages(&inputs.text("stages_asked")?, &epilogue)?,
        schedule: named(inputs, "schedule_asked", KernelSchedule::named)?,
        extended_shapes: false,
    })?;
    let scheduler = match inputs.optional("tile_scheduler") {
        Some(_) => named(inputs, "tile_scheduler", TileScheduler::named)?,
        None => TileScheduler::Default,
    };
    let kernel = GemmKernel::build(&mainloop, &epilogue, scheduler)?;
    if let Some(refusal) = &kernel.class_assertion {
        return Err(refusal.clone().into());
    }
    let mut fields = mainloop_fields(&mainloop)?;
    fields.extend(epilogue_fields(&epilogue));
    fields.extend(accumulator_fields(&mainloop)?);
    fields.extend(kernel_fields(&kernel));
    Ok(HardwareAnswer {
        fields,
        ..HardwareAnswer::default()
    })
}

/// A name with or without its name spaces.
fn named<T>(
    inputs: &Inputs<'_>,
    input: &str,
    of: impl Fn(&str) -> Option<T>,
) -> Result<T, NoAnswer> {
    let text = inputs.text(input)?;
    let id = TemplateId::parse(&text)?;
    of(id.base()).ok_or_else(|| NoAnswer::Malformed(format!("`{input}`: `{text}` is not known")))
}

fn extents<const N: usize>(inputs: &Inputs<'_>, name: &str) -> Result<[i64; N], NoAnswer> {
    let shape: Shape = inputs.parsed(name)?;
    let known: Option<Vec<i64>> = shape.leaves().iter().map(Int::value).collect();
    known
        .and_then(|known| known.try_into().ok())
        .ok_or_else(|| NoAnswer::Malformed(format!("`{name}` has {N} extents")))
}

fn order(inputs: &Inputs<'_>, name: &str) -> Result<MemoryOrder, NoAnswer> {
    match inputs.text(name)?.as_str() {
        "row" | "RowMajor" => Ok(MemoryOrder::Row),
        "col" | "ColumnMajor" => Ok(MemoryOrder::Column),
        other => Err(NoAnswer::Malformed(format!(
            "`{name}`: `{other}` is not `row` or `col`"
        ))),
    }
}

/// 16 bytes; elements of less than a byte in groups of 128.
fn alignment(element: Element) -> i64 {
    match element.bits() {
        bits @ 8.. => (128 / bits).max(1),
        _ => 128,
    }
}

fn operand(inputs: &Inputs<'_>, element: &str, layout: &str) -> Result<OperandRequest, NoAnswer> {
    let element = inputs.element(element)?;
    Ok(OperandRequest {
        element,
        order: order(inputs, layout)?,
        alignment: alignment(element),
    })
}

fn output(inputs: &Inputs<'_>, element: &str, layout: &str) -> Result<OutputRequest, NoAnswer> {
    let element = inputs.element(element)?;
    Ok(OutputRequest {
        element,
        order: order(inputs, layout)?,
        alignment: alignment(element),
    })
}

/// A linear combination, unless a second matrix is written (`element_aux`, `layout_aux`). A tree of visitors that keeps
/// nothing in shared memory is given like a linear combination.
fn fusion(inputs: &Inputs<'_>) -> Result<Fusion, NoAnswer> {
    if inputs.optional("element_aux").is_none() {
        return Ok(Fusion::default());
    }
    Ok(Fusion {
        kind: FusionKind::Operation,
        auxiliary: Some(output(inputs, "element_aux", "layout_aux")?),
        ..Fusion::default()
    })
}

fn stages(asked: &str, epilogue: &Epilogue) -> Result<StageCount, NoAnswer> {
    let malformed = || NoAnswer::Malformed(format!("`stages_asked`: `{asked}` is not known"));
    if asked == "Auto" {
        return Ok(StageCount::Auto { carveout: 0 });
    }
    let inner = asked
        .strip_prefix("AutoCarveout(")
        .and_then(|rest| rest.strip_suffix(')'));
    match inner {
        Some("epilogue") => Ok(StageCount::Auto {
            carveout: epilogue.storage.bytes,
        }),
        Some(bytes) => bytes
            .parse()
            .map(|carveout| StageCount::Auto { carveout })
            .map_err(|_| malformed()),
        None => super::integer(asked)
            .map(StageCount::Fixed)
            .ok_or_else(malformed),
    }
}

type Fields = Vec<(&'static str, Field)>;

fn mainloop_fields(mainloop: &Mainloop) -> Result<Fields, Refusal> {
    let number = |value: i64| Field::Number(value);
    let name = |name: &str| Field::Text(format!("cute::{name}"));
    let (a, b) = (&mainloop.a, &mainloop.b);
    let mut fields = vec![("stages", number(mainloop.stages))];
    fields.extend(
        mainloop
            .policy_type()
            .map(|policy| ("dispatch_policy", Field::Text(policy))),
    );
    fields.extend([
        ("tiled_mma", Field::Text(print_tiled_mma(&mainloop.mma))),
        ("mma_op", Field::Text(operation(&mainloop.mma.atom().name)?)),
        ("smem_layout_a", text(&a.layout)),
        ("smem_layout_b", text(&b.layout)),
        ("smem_layout_atom_a", text(&a.atom)),
        ("smem_layout_atom_b", text(&b.atom)),
        ("gmem_tiled_copy_a", name(a.load.name())),
        ("gmem_tiled_copy_b", name(b.load.name())),
        ("stride_a", strides(a.request.order == MemoryOrder::Row)),
        ("stride_b", strides(b.request.order == MemoryOrder::Column)),
        ("mainloop_smem_bytes", number(mainloop.storage.bytes)),
        ("mainloop_tensor_bytes", number(mainloop.tensors.bytes)),
        ("mainloop_pipeline_bytes", number(mainloop.pipeline.bytes)),
        ("tma_transaction_bytes", number(mainloop.transaction_bytes)),
    ]);
    if let Some([m, n, k]) = mainloop.cta_shape {
        fields.push((
            "mainloop_CtaShape_MNK",
            Field::Text(format!("(_{m},_{n},_{k})")),
        ));
    }
    fields.push(("mma_threads", number(mainloop.mma_threads()?)));
    Ok(fields)
}

/// The strides of an operand: (M or N, K, batch).
fn strides(is_k_contiguous: bool) -> Field {
    Field::Text(
        if is_k_contiguous {
            "cute::tuple<long, cute::C<1>, long>"
        } else {
            "cute::tuple<cute::C<1>, long, long>"
        }
        .to_owned(),
    )
}

/// CuTe's print of a tiled MMA.
fn print_tiled_mma(mma: &TiledMma) -> String {
    let atom = mma.atom();
    format!(
        "TiledMMA\n  ThrLayoutVMNK:  {}\n  PermutationMNK: (_,_,_)\nMMA_Atom\n  ThrID:      {}\n  Shape_MNK:  {}\n  \
         LayoutA_TV: {}\n  LayoutB_TV: {}\n  LayoutC_TV: {}",
        mma.thread_layout(),
        atom.thread_id,
        atom.shape_tuple(),
        atom.a.layout,
        atom.b.layout,
        atom.c.layout,
    )
}

/// The instruction as a compiler prints it: enumerators as numbers of their type.
fn operation(name: &str) -> Result<String, Refusal> {
    let list = TemplateId::parse_list(name)?;
    let Some(Argument::Name(id)) = list.first() else {
        return Ok(name.to_owned());
    };
    if !id.base().starts_with("SM100") {
        return Ok(super::demangled(id));
    }
    let arguments: Vec<String> = id
        .args()
        .iter()
        .map(|argument| match (argument.enumerator(), argument) {
            (Some(("Major", major)), _) => {
                format!("(cute::UMMA::Major){}", u8::from(major == "MN"))
            }
            (Some(("ScaleIn", scale)), _) => {
                format!("(cute::UMMA::ScaleIn){}", u8::from(scale == "Neg"))
            }
            (_, Argument::Name(ty)) => {
                Element::of_id(ty).map_or_else(|_| ty.to_string(), cutlass_type)
            }
            (_, Argument::Integer(value)) => value.to_string(),
        })
        .collect();
    // The operation of integers saturates or not; the builder says nothing of it, and so it does not.
    let saturate = id.base().starts_with("SM100_MMA_S8");
    let arguments: Vec<String> = arguments
        .into_iter()
        .chain(saturate.then(|| "(cute::UMMA::Saturate)0".to_owned()))
        .collect();
    Ok(if arguments.is_empty() {
        format!("cute::{}", id.base())
    } else {
        format!("cute::{}<{}>", id.base(), arguments.join(", "))
    })
}

fn epilogue_fields(epilogue: &Epilogue) -> Fields {
    let number = |value: i64| Field::Number(value);
    let mut fields = vec![
        ("epilogue_dispatch", Field::Text(epilogue.policy_type())),
        ("epilogue_smem_bytes", number(epilogue.storage.bytes)),
    ];
    if let Some(tma) = &epilogue.tma {
        let operation = |name: &str| Field::Text(format!("cute::{name}"));
        fields.extend([
            ("stages_c", number(tma.stages_c)),
            ("stages_d", number(tma.stages_d)),
            ("epilogue_fragment_size", number(tma.fragment_size)),
            ("reuse_smem_c", number(tma.reuses_c.into())),
            ("delay_tma_store", number(tma.delays_store.into())),
            ("smem_layout_atom_c", text(&tma.atom_c)),
            ("smem_layout_atom_d", text(&tma.atom_d)),
            ("copy_op_r2s", operation(tma.to_shared)),
            ("copy_op_s2r", operation(tma.from_shared)),
            ("copy_op_g2s", operation("SM90_TMA_LOAD")),
            ("copy_op_s2g", operation("SM90_TMA_STORE")),
        ]);
    } else if epilogue.request.target == Target::Sm100 {
        fields.extend([
            ("stages_c", number(1)),
            ("stages_d", number(1)),
            ("epilogue_fragment_size", number(1)),
        ]);
    }
    fields.extend(
        epilogue
            .tile
            .as_ref()
            .map(|tile| ("epilogue_tile", text(tile))),
    );
    fields.extend(epilogue.tensor_memory_load.as_ref().map(|load| {
        (
            "copy_op_t2r",
            Field::Text(format!("cute::SM100::TMEM::LOAD::{load}")),
        )
    }));
    fields
}

fn accumulator_fields(mainloop: &Mainloop) -> Result<Fields, Refusal> {
    let layout = mainloop.accumulator()?;
    let size = layout.size()?.value().unwrap_or_default();
    let mut fields = vec![("acc_layout", text(&layout))];
    let Policy::TmaUmma(stages) = mainloop.policy else {
        fields.push(("acc_regs_per_thread", Field::Number(size)));
        return Ok(fields);
    };
    let [m, n, _] = mainloop.request.tile;
    let tile: Shape = cute_algebra::Tuple::flat([m, n].map(Int::fixed))?;
    let accumulator = mainloop.request.accumulator;
    let words = recast_layout(&layout, accumulator.bits(), 32)?;
    let columns = words.cosize()?.value().unwrap_or_default() & 0xffff;
    let ctas = mainloop.mma_threads()?;
    fields.extend([
        (
            "acc_tmem_shape",
            text(&mainloop.mma.partition_shape(Operand::C, &tile)?),
        ),
        ("acc_per_epilogue_thread", Field::Number(size / 128)),
        ("acc_tmem_columns", Field::Number(columns)),
        (
            "frg_type_c",
            Field::Text(format!(
                "cute::UMMA::tmem_frg<{}, unsigned int, {ctas}, (cute::UMMA::TmemAllocMode)0>",
                cutlass_type(accumulator)
            )),
        ),
        ("acc_pipeline_stages", Field::Number(stages.accumulator)),
    ]);
    Ok(fields)
}

fn kernel_fields(kernel: &GemmKernel) -> Fields {
    let mut fields = vec![
        ("shared_storage_bytes", Field::Number(kernel.shared_bytes)),
        ("threads", Field::Number(kernel.threads)),
    ];
    if let Some([load, mma]) = kernel.registers {
        fields.extend([
            ("load_register_requirement", Field::Number(load)),
            ("mma_register_requirement", Field::Number(mma)),
        ]);
    }
    fields.push(("fits_smem", Field::Truth(kernel.fits())));
    let assertion = kernel.launch_assertion.as_ref();
    fields.extend(assertion.and_then(|refusal| match refusal.cute {
        cute_algebra::Verdict::StaticAssert(said) => {
            Some(("kernel_static_assert", Field::Text(said.to_owned())))
        }
        _ => None,
    }));
    fields
}
