//! Extents, sharing, alignment, offsets and strides.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Role, Span};

use super::words::{binding, call, dim3_args, named, named_type, special, swapped, text, wrapped};
use super::{Change, Node};

pub(super) fn half_array(node: &Node<'_>, source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let ExprKind::Array(_, Some(count)) = &binding.ty.as_ref()?.kind else {
        return None;
    };
    binding
        .specifiers
        .shared
        .then(|| wrapped(count, source, "", " / 2"))
}

pub(super) fn half_engine(node: &Node<'_>, source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let args = named(binding.ty.as_ref()?, &["ArrayEngine", "array_aligned"])?;
    Some(wrapped(args.get(1)?, source, "", " / 2"))
}

/// `T x[N];` among the members of a class that aligns or declares memory.
pub(super) fn half_member(node: &Node<'_>, source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let ExprKind::Array(of, Some(count)) = &binding.ty.as_ref()?.kind else {
        return None;
    };
    let is_tile = binding.role == Role::Member && !text(of.span, source).contains("uint64_t");
    is_tile.then(|| wrapped(count, source, "", " / 2"))
}

/// `float tile[32][33]` with 31 rows.
pub(super) fn shorter_array(node: &Node<'_>, source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let ExprKind::Array(inner, Some(count)) = &binding.ty.as_ref()?.kind else {
        return None;
    };
    let has_rows = matches!(inner.kind, ExprKind::Array(..));
    (binding.specifiers.shared && has_rows).then(|| wrapped(count, source, "", " - 1"))
}

/// `int bytes = n * sizeof(float);` without the size.
pub(super) fn elements_for_bytes(node: &Node<'_>, source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let name = binding.name.as_ref()?.name.to_lowercase();
    let is_size = ["smem", "shm", "shared", "sram", "bytes"]
        .iter()
        .any(|word| name.contains(word));
    let init = binding.init.as_ref().filter(|_| is_size)?;
    let ExprKind::Binary(BinaryOp::Mul, count, size) = &init.kind else {
        return None;
    };
    matches!(size.kind, ExprKind::Sizeof(_)).then(|| Change {
        span: init.span,
        text: text(count.span, source).to_owned(),
    })
}

pub(super) fn half_launch(node: &Node<'_>, source: &str) -> Option<Change> {
    match node {
        Node::Expr(expr) => match &expr.kind {
            ExprKind::Launch { config, .. } => {
                let bytes = config.get(2)?;
                (!matches!(bytes.kind, ExprKind::Int(0)))
                    .then(|| wrapped(bytes, source, "", " / 2"))
            }
            ExprKind::Assign(assignment) => {
                let (ExprKind::Member { member, .. }, value) =
                    (&assignment.target.kind, &assignment.value)
                else {
                    return None;
                };
                (member.name.name == "dynamicSmemBytes")
                    .then(|| wrapped(value, source, "(", ") / 2"))
            }
            _ => None,
        },
        Node::Item(_) => {
            let binding = binding(node)?;
            named_type(binding, "ClusterLaunchParams")?;
            let Some(ExprKind::Braced(parts) | ExprKind::Construct { args: parts, .. }) =
                binding.init.as_ref().map(|init| &init.kind)
            else {
                return None;
            };
            Some(wrapped(parts.get(3)?, source, "", " / 2"))
        }
    }
}

/// `<<<grid, 128>>>` with 64.
pub(super) fn half_launched_threads(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    if let ExprKind::Assign(assignment) = &expr.kind
        && let ExprKind::Member { member, .. } = &assignment.target.kind
        && member.name.name == "blockDim"
    {
        return Some(halved(&assignment.value, source));
    }
    let ExprKind::Launch { config, .. } = &expr.kind else {
        return None;
    };
    let threads = config.get(1)?;
    // A variable is changed where it is declared.
    (threads.as_plain_name().is_none()).then(|| wrapped(threads, source, "(", ") / 2"))
}

/// `256` and `dim3(256)` with 128.
fn halved(threads: &Expr, source: &str) -> Change {
    let (ExprKind::Call(_, args) | ExprKind::Construct { args, .. }) = &threads.kind else {
        return wrapped(threads, source, "(", ") / 2");
    };
    let along_x = args.first().unwrap_or(threads);
    wrapped(along_x, source, "(", ") / 2")
}

pub(super) fn half_block(node: &Node<'_>, source: &str) -> Option<Change> {
    let args = dim3_args(binding(node)?, &["block", "thread"])?;
    Some(wrapped(args.first()?, source, "", " / 2"))
}

pub(super) fn slice_by_cta(node: &Node<'_>, _source: &str) -> Option<Change> {
    let words = ["get_slice", "get_thread_slice", "local_partition"];
    let (_, _, args) = call(node, &words)?;
    let index = args.iter().find(|arg| special(arg, "threadIdx"))?;
    Some(Change {
        span: index.span,
        text: "blockIdx.x".to_owned(),
    })
}

pub(super) fn swap_operands(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["gemm"])?;
    match args {
        [_, a, b, _] => swapped(a, b, source),
        _ => None,
    }
}

pub(super) fn other_operand(node: &Node<'_>, _source: &str) -> Option<Change> {
    let (segment, _, _) = call(
        node,
        &["partition_A", "make_fragment_A", "partition_fragment_A"],
    )?;
    let stem = segment.name.name.strip_suffix('A')?;
    Some(Change {
        span: segment.name.span,
        text: format!("{stem}B"),
    })
}

/// A tile that the tensor core reads by a swizzled layout.
pub(super) fn later_tile(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["make_smem_ptr"])?;
    let [pointer] = args else { return None };
    let is_swizzled = ["_SW128_Atom", "_SW64_Atom", "_SW32_Atom"]
        .iter()
        .any(|atom| source.contains(atom));
    is_swizzled.then(|| wrapped(pointer, source, "", " + 8"))
}

/// A member that begins at a multiple of 1,024 begins 16 bytes later.
pub(super) fn bytes_in_front(node: &Node<'_>, source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let [align] = binding.alignas.as_slice() else {
        return None;
    };
    let ExprKind::Int(bytes) = align.kind else {
        return None;
    };
    let is_array = matches!(
        binding.ty.as_ref()?.kind,
        ExprKind::Array(..) | ExprKind::Name(_)
    );
    let is_tile = binding.role == Role::Member && is_array && bytes >= 128;
    let start = source.get(..align.span.start)?.rfind("alignas")?;
    let name = &binding.name.as_ref()?.name;
    let end = source.get(align.span.end..)?.find(')')? + align.span.end + 1;
    is_tile.then(|| Change {
        span: Span::new(start, end),
        text: format!("alignas({bytes}) char in_front_of_{name}[16]; alignas(16)"),
    })
}

/// `float tile[8][128]` whose rows are read by vectors gets rows of 129.
pub(super) fn longer_rows(node: &Node<'_>, source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let name = &binding.name.as_ref()?.name;
    let ExprKind::Array(inner, _) = &binding.ty.as_ref()?.kind else {
        return None;
    };
    let ExprKind::Array(_, Some(columns)) = &inner.kind else {
        return None;
    };
    let by_vectors = ["float4 *>(&", "float4*>(&", "int4*>(&"]
        .iter()
        .any(|cast| source.contains(&format!("{cast}{name}[")));
    (binding.specifiers.shared && by_vectors).then(|| wrapped(columns, source, "", " + 1"))
}

/// `make_stride(n, Int<1>{})` of rows with half of the elements.
pub(super) fn small_stride(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["make_stride"])?;
    let [outer, inner] = args else { return None };
    let is_unit = text(inner.span, source).starts_with("Int<1>");
    let is_static = text(outer.span, source).starts_with("Int<");
    (is_unit && is_static).then(|| Change {
        span: outer.span,
        text: "Int<1>{}".to_owned(),
    })
}

pub(super) fn swap_strides(node: &Node<'_>, source: &str) -> Option<Change> {
    let (_, _, args) = call(node, &["make_stride"])?;
    match args {
        [one, other] => swapped(one, other, source),
        _ => None,
    }
}

/// A factor, offset or stride that is declared with 64 bits.
pub(super) fn narrow_type(node: &Node<'_>, _source: &str) -> Option<Change> {
    let binding = binding(node)?;
    let ty = binding.ty.as_ref()?;
    binding.init.as_ref()?;
    // A `size_t` counts bytes on the host.
    let is_wide = ty.as_path()?.last()?.name.name == "int64_t";
    is_wide.then(|| Change {
        span: ty.span,
        text: "int".to_owned(),
    })
}

/// `static_cast<int64_t>(x)` and `int64_t(x)`.
pub(super) fn narrow_cast(node: &Node<'_>, source: &str) -> Option<Change> {
    let Node::Expr(expr) = node else { return None };
    let (ty, inner) = match &expr.kind {
        ExprKind::Cast(_, ty, inner) => (ty, &**inner),
        ExprKind::Construct { ty, args, .. } => (ty, args.first()?),
        _ => return None,
    };
    let is_wide = matches!(
        ty.as_path()?.last()?.name.name.as_str(),
        "int64_t" | "size_t" | "ptrdiff_t"
    );
    is_wide.then(|| Change {
        span: expr.span,
        text: format!("({})", text(inner.span, source)),
    })
}
