//! Launches of kernels: their configurations and parameters.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Function, Path, Span, UnaryOp};

use super::Interpreter;
use super::frame::{Fields, Frame, Given};
use super::tracing::LAUNCH_BOUNDS;
use crate::reason::Reason;
use crate::trace::{Bounds, Launch};
use crate::value::Value;
use crate::walk;

/// The class of the configurations of `cudaLaunchKernelEx`.
const CONFIGURATION: &str = "cudaLaunchConfig_t";
/// Its members, in order (CUDA runtime, `cudaLaunchConfig_t`).
const MEMBERS: &[&str] = &[
    "gridDim",
    "blockDim",
    "dynamicSmemBytes",
    "stream",
    "attrs",
    "numAttrs",
];

impl<'u> Interpreter<'u> {
    /// Notes the blocks that the attributes of a kernel let it be launched with.
    pub(super) fn trace_bounds(&mut self, function: &'u Function, frame: &mut Frame<'u>) {
        // A function that the kernel calls has none.
        let of_run = |run: &usize| {
            let run = self.computed.reports.runs.get(*run);
            run.is_some_and(|run| std::ptr::eq(run.function, function))
        };
        let Some(run) = frame.actions.run.filter(of_run) else {
            return;
        };
        let mut bounds = Bounds::default();
        let recording = frame.mode.pause();
        for decorator in &function.decorators {
            let ExprKind::Call(callee, args) = &decorator.kind else {
                continue;
            };
            match callee
                .as_path()
                .and_then(Path::last)
                .map(|last| last.name.name.as_str())
            {
                Some(LAUNCH_BOUNDS | "launch_bounds") => bounds.most = self.eval_all(args, frame),
                Some("launch_contract") => {
                    let block = args.iter().find_map(|arg| match &arg.kind {
                        ExprKind::Assign(part) if part.target.as_plain_name() == Some("block") => {
                            Some(&part.value)
                        }
                        _ => None,
                    });
                    bounds.only = block.map(|block| self.eval(block, frame));
                }
                // `#[spirv(compute(threads(64, 2)))]` of `rust-gpu`.
                Some("spirv") => {
                    let mut threads = None;
                    walk::subexpressions(decorator, &mut |part| {
                        if let ExprKind::Call(callee, args) = &part.kind
                            && callee.as_plain_name() == Some("threads")
                        {
                            threads = Some(args);
                        }
                    });
                    let threads = threads.map(|args| self.eval_all(args, frame));
                    bounds.only = threads.map(Value::Tuple);
                }
                _ => {}
            }
        }
        frame.mode.recording = recording;
        if let Some(run) = self.computed.reports.runs.get_mut(run) {
            run.bounds = bounds;
        }
    }

    /// Keeps the initialisers of `ClusterLaunchParams params = {grid, block, cluster, bytes}`: the variables in them
    /// may change before the launch.
    pub(super) fn note_launch_params(
        &mut self,
        binding: &'u Binding,
        declared: Span,
        frame: &mut Frame<'u>,
    ) {
        let ty = binding.ty.as_ref().and_then(Expr::as_path);
        let is_params = ty
            .and_then(Path::last)
            .is_some_and(|segment| segment.name.name == "ClusterLaunchParams");
        if is_params
            && let Some(init) = &binding.init
            && let Some(values) = self.launch_params(init, frame)
        {
            frame.locals.launch_params.insert(declared, values);
        }
    }

    /// The members of launch parameters that are written out.
    pub(super) fn launch_params(
        &mut self,
        params: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Vec<Value>> {
        let (ExprKind::Braced(parts) | ExprKind::Construct { args: parts, .. }) = &params.kind
        else {
            return None;
        };
        let recording = frame.mode.pause();
        let values = self.eval_all(parts, frame);
        frame.mode.recording = recording;
        Some(values)
    }

    /// The configuration of `launch_kernel_on_cluster({grid, block, cluster, bytes}, kernel, ..)`.
    pub(super) fn cluster_launch_of(
        &mut self,
        span: Span,
        params: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Launch> {
        let values = match params.as_plain_name() {
            Some(name) => {
                let declared = frame.find(name)?.declared;
                frame.locals.launch_params.get(&declared).cloned()?
            }
            None => self.launch_params(params, frame)?,
        };
        let [grid, block, cluster, bytes, ..] = values.as_slice() else {
            return None;
        };
        Some(Launch {
            span,
            grid: grid.clone(),
            block: block.clone(),
            cluster: Some(cluster.clone()),
            bytes: bytes.clone(),
            held: Vec::new(),
            guards: None,
            arguments: Vec::new(),
        })
    }

    /// Keeps the members that a configuration of `cudaLaunchKernelEx` is made with: those of its braces, or of the
    /// variable that it is a copy of.
    pub(super) fn note_configuration(
        &mut self,
        binding: &'u Binding,
        declared: Span,
        frame: &mut Frame<'u>,
    ) {
        if !is_configuration(binding) {
            return;
        }
        let mut fields = Fields::default();
        match binding.init.as_ref().map(|init| &init.kind) {
            None => {}
            Some(ExprKind::Braced(parts) | ExprKind::Construct { args: parts, .. }) => {
                let recording = frame.mode.pause();
                for (part, positional) in parts.iter().zip(MEMBERS) {
                    let (member, written) = match &part.kind {
                        ExprKind::Int(0) => continue,
                        ExprKind::Designated(member, written) => (&*member.name, &**written),
                        _ => (*positional, part),
                    };
                    let value = self.eval(written, frame);
                    fields
                        .assigned
                        .insert(member, Some(Given { value, written }));
                }
                frame.mode.recording = recording;
            }
            Some(ExprKind::Name(_)) => {
                let name = binding.init.as_ref().and_then(Expr::as_plain_name);
                let other = name.and_then(|name| frame.find(name)).map(|it| it.declared);
                let is_one = |other: &Span| {
                    let binding = frame.locals.written_types.get(other);
                    binding.is_some_and(|binding| is_configuration(binding))
                };
                match other.filter(is_one) {
                    Some(other) => {
                        let copied = frame.locals.fields.get(&other);
                        fields = copied.cloned().unwrap_or_default();
                    }
                    None => fields.is_lost = true,
                }
            }
            Some(_) => fields.is_lost = true,
        }
        frame.locals.fields.insert(declared, fields);
    }

    /// The configuration of `cudaLaunchKernelEx(&config, kernel, ..)`: a local variable whose members are known.
    pub(super) fn launch_config_of(
        span: Span,
        config: &'u Expr,
        frame: &Frame<'u>,
    ) -> Option<Launch> {
        let ExprKind::Unary(UnaryOp::AddressOf, config) = &config.kind else {
            return None;
        };
        let declared = frame.find(config.as_plain_name()?)?.declared;
        if !is_configuration(frame.locals.written_types.get(&declared)?) {
            return None;
        }
        let fields = frame.locals.fields.get(&declared)?;
        let given = |member: &str| fields.get(member).ok().flatten().map(|it| it.value.clone());
        let bytes = match fields.get("dynamicSmemBytes") {
            Ok(Some(given)) => given.value.clone(),
            Ok(None) => Value::Int(cute_algebra::Int::dynamic(0)),
            Err(()) => Value::Unknown(Reason::RunTime("the bytes of a launch".into())),
        };
        // Attributes may ask for clusters.
        let cluster = match fields.get("attrs") {
            Ok(None) => None,
            _ => Some(Value::Unknown(Reason::RunTime(
                "the attributes of a launch".into(),
            ))),
        };
        Some(Launch {
            span,
            grid: given("gridDim")?,
            block: given("blockDim")?,
            cluster,
            bytes,
            held: Vec::new(),
            guards: None,
            arguments: Vec::new(),
        })
    }
}

/// Whether a variable is a configuration of `cudaLaunchKernelEx`: by its type, or by that of its initialiser.
fn is_configuration(binding: &Binding) -> bool {
    let made = match binding.init.as_ref().map(|init| &init.kind) {
        Some(ExprKind::Construct { ty, .. }) => ty.as_path(),
        _ => None,
    };
    let written = binding.ty.as_ref().and_then(Expr::as_path);
    let mut types = [written, made].into_iter().flatten();
    types.any(|path| {
        path.last()
            .is_some_and(|last| last.name.name == CONFIGURATION)
    })
}

/// The configuration of `kernel<<<grid, block, bytes, stream>>>(..)`.
pub(super) fn launch_of(span: Span, config: &[Value]) -> Launch {
    let part = |index: usize| {
        config
            .get(index)
            .cloned()
            .unwrap_or(Value::Int(cute_algebra::Int::dynamic(0)))
    };
    Launch {
        span,
        grid: part(0),
        block: part(1),
        cluster: None,
        bytes: part(2),
        held: Vec::new(),
        guards: None,
        arguments: Vec::new(),
    }
}
