//! Launches of kernels in Rust: the methods that `cuda-oxide` makes of them, its macro `cuda_launch!`, `launch!` of `cust`,
//! and the functions that `CubeCL` makes.

use cute_algebra::Int;
use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Item, ItemKind, MacroCall, Path, Segment, Span, UnaryOp,
};

use crate::interpret::Interpreter;
use crate::interpret::accesses::is_slice;
use crate::interpret::frame::{Frame, Scope};
use crate::interpret::ids::FunctionId;
use crate::interpret::launches::launch_of;
use crate::interpret::names::Meaning;
use crate::interpret::site::Site;
use crate::reason::Reason;
use crate::role::Role;
use crate::value::Value;
use crate::vocabulary::rust::passes_through;

/// Threads of a block of `LaunchConfig::for_num_elems` (`cuda_core`).
const THREADS_FOR_ELEMENTS: i64 = 256;

/// The parts of a configuration, in the order of `<<<grid, block, bytes>>>`.
const PARTS: [&str; 3] = ["grid_dim", "block_dim", "shared_mem_bytes"];

impl<'u> Interpreter<'u> {
    /// Keeps the configuration that a variable is declared with: what it is made of may change before the launch.
    pub(in crate::interpret) fn note_launch_config(
        &mut self,
        binding: &'u Binding,
        declared: Span,
        frame: &mut Frame<'u>,
    ) {
        if let Some(init) = &binding.init
            && binding.specifiers.constant
            && let Some(config) = self.launch_config(init, frame)
        {
            frame.locals.launch_params.insert(declared, config);
        }
    }

    /// Grid, block and bytes of a configuration.
    fn launch_config(&mut self, config: &'u Expr, frame: &mut Frame<'u>) -> Option<Vec<Value>> {
        let recording = frame.mode.pause();
        let parts = self.parts_of_config(config, frame);
        frame.mode.recording = recording;
        parts
    }

    fn parts_of_config(&mut self, config: &'u Expr, frame: &mut Frame<'u>) -> Option<Vec<Value>> {
        match &config.kind {
            ExprKind::Name(_) => {
                let declared = frame.find(config.as_plain_name()?)?.declared;
                frame.locals.launch_params.get(&declared).cloned()
            }
            ExprKind::Construct { ty, args, .. } => {
                if ty.as_path()?.last()?.name.name != "LaunchConfig" {
                    return None;
                }
                let parts = PARTS.iter().map(|part| match part_of(args, part) {
                    Some(written) => self.eval(written, frame),
                    None => Value::Unknown(Reason::RunTime("a part of a launch".into())),
                });
                Some(parts.collect())
            }
            ExprKind::Call(callee, args) => match &callee.kind {
                // `config.clone()`
                ExprKind::Member { object, member, .. }
                    if args.is_empty() && passes_through(&member.name.name) =>
                {
                    self.parts_of_config(object, frame)
                }
                ExprKind::Name(path) => self.made_config(path, args, frame),
                _ => None,
            },
            _ => None,
        }
    }

    /// `LaunchConfig::for_num_elems(n)`, `LaunchConfig2D::new(grid, block, bytes)`.
    fn made_config(
        &mut self,
        path: &'u Path,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Option<Vec<Value>> {
        let name = match self.meaning(path, frame) {
            Meaning::Library(name) => name,
            Meaning::Functions(ids) => {
                let made = self.nested(|it| it.config_of_function(&ids, args, frame));
                return made.flatten();
            }
            _ => return None,
        };
        match (name.names.as_slice(), args) {
            ([.., "LaunchConfig", "for_num_elems"], [_]) => Some(vec![
                Value::Unknown(Reason::RunTime("the number of elements".into())),
                Value::Int(Int::dynamic(THREADS_FOR_ELEMENTS)),
                Value::Int(Int::dynamic(0)),
            ]),
            (
                [
                    ..,
                    "LaunchConfig1D" | "LaunchConfig2D" | "LaunchConfig3D",
                    "new",
                ],
                [_, _, _],
            ) => Some(self.eval_all(args, frame)),
            _ => None,
        }
    }

    /// The configuration that a function of the source gives, where nothing but variables is before it.
    fn config_of_function(
        &mut self,
        ids: &[FunctionId],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Option<Vec<Value>> {
        let named = self.named_functions(ids);
        let [(_, function, module)] = named.as_slice() else {
            return None;
        };
        let (last, before) = function.body.as_deref()?.split_last()?;
        let ItemKind::Return(Some(config)) = &last.kind else {
            return None;
        };
        let is_binding = |item: &Item| matches!(item.kind, ItemKind::Binding(_));
        if !before.iter().all(is_binding) || function.params.len() != args.len() {
            return None;
        }
        let values = self.eval_all(args, frame);
        let site = Site {
            module: *module,
            record: None,
            this: None,
        };
        let mut inner = self.function_frame(function, &site, frame.steps);
        inner.mode.recording = false;
        inner.scopes.push(Scope::default());
        for (param, value) in function.params.iter().zip(values) {
            if let Some(name) = &param.name {
                self.declare(name, Role::Param, param.span, value, None, &mut inner);
            }
        }
        for item in before {
            self.exec(item, &mut inner);
        }
        let parts = self.parts_of_config(config, &mut inner);
        frame.steps = inner.steps;
        parts
    }

    /// `module.kernel(stream, config, ..)`, where there is a kernel of this name.
    pub(in crate::interpret) fn launched_by_method(
        &mut self,
        expr: &'u Expr,
        member: &'u Segment,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let [_, config, args @ ..] = args else {
            return None;
        };
        let kernel = self.kernel_named(&member.name.name)?;
        let config = self.launch_config(config, frame)?;
        let args = args.iter().collect();
        Some(self.launched(expr, (kernel, member), &config, args, frame))
    }

    /// `cuda_launch! { kernel: f, config: c, args: [a, b] }`.
    pub(in crate::interpret) fn launched_by_macro(
        &mut self,
        expr: &'u Expr,
        call: &'u MacroCall,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let name = call.path.last()?.name.name.as_str();
        let [whole] = call.args.as_deref()? else {
            return None;
        };
        let ExprKind::Construct { args, .. } = &whole.kind else {
            return None;
        };
        let part = |wanted: &str| part_of(args, wanted);
        if !matches!(name, "cuda_launch" | "cuda_launch_async") {
            return None;
        }
        let segment = part("kernel")?.as_path()?.last()?;
        let kernel = self.kernel_named(&segment.name.name)?;
        let config = self.launch_config(part("config")?, frame)?;
        let ExprKind::Braced(args) = &part("args")?.kind else {
            return None;
        };
        Some(self.launched(
            expr,
            (kernel, segment),
            &config,
            args.iter().collect(),
            frame,
        ))
    }

    /// `module.kernel<<<grid, block, bytes, stream>>>(..)`.
    pub(in crate::interpret) fn launched_by_angles(
        &mut self,
        expr: &'u Expr,
        (callee, config): (&'u Expr, &'u [Expr]),
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let segment = match &callee.kind {
            ExprKind::Member { member, .. } => member,
            _ => callee.as_path()?.last()?,
        };
        let variable = callee.as_plain_name().and_then(|name| frame.find(name));
        let declared = variable.and_then(|known| frame.locals.declaration(known.declared));
        let init = declared
            .filter(|binding| binding.specifiers.constant)
            .and_then(|binding| binding.init.as_ref());
        let name = init.and_then(loaded).unwrap_or(&segment.name.name);
        let kernel = self.kernel_named(name)?;
        let config = self.eval_all(config, frame);
        let function = self.program.functions.get(kernel)?.function;
        let args = without_lengths(&function.params, args);
        Some(self.launched(expr, (kernel, segment), &config, args, frame))
    }

    /// `kernel::launch::<R>(client, count, dim, ..)` of `CubeCL`.
    pub(in crate::interpret) fn launched_by_path(
        &mut self,
        expr: &'u Expr,
        path: &'u Path,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let [.., kernel, method] = path.segments.as_slice() else {
            return None;
        };
        let [_, count, dim, args @ ..] = args else {
            return None;
        };
        if !matches!(method.name.name.as_str(), "launch" | "launch_unchecked") {
            return None;
        }
        let id = self.kernel_named(&kernel.name.name)?;
        let recording = frame.mode.pause();
        let extents = [count, dim].map(|made| self.extents_of_cube(made, frame));
        frame.mode.recording = recording;
        let [grid, block] = extents;
        let config = [grid, block, Value::Int(Int::dynamic(0))];
        Some(self.launched(expr, (id, method), &config, args.iter().collect(), frame))
    }

    /// The extents of `CubeDim::new(16, 16, 1)`, `CubeDim { x: 16, y: 16, z: 1 }` and `CubeCount::Static(8, 8, 1)`.
    fn extents_of_cube(&mut self, made: &'u Expr, frame: &mut Frame<'u>) -> Value {
        let unknown = || Value::Unknown(Reason::RunTime("the extents of a launch".into()));
        match &made.kind {
            ExprKind::Call(callee, args) => {
                let last = callee.as_path().and_then(Path::last);
                match last.map(|last| last.name.name.as_str()) {
                    Some("new" | "new_1d" | "new_2d" | "new_3d" | "Static") => {
                        Value::Tuple(self.eval_all(args, frame))
                    }
                    _ => unknown(),
                }
            }
            ExprKind::Construct { args, .. } => {
                let axes = ["x", "y", "z"].map(|axis| match part_of(args, axis) {
                    Some(written) => self.eval(written, frame),
                    None => unknown(),
                });
                Value::Tuple(axes.to_vec())
            }
            _ => unknown(),
        }
    }

    /// The only kernel of a name.
    fn kernel_named(&self, name: &str) -> Option<FunctionId> {
        let functions = self.program.functions.iter().enumerate();
        let mut named = functions.filter(|(_, declared)| {
            declared.function.flags.global && declared.function.name.name == name
        });
        let (id, _) = named.next()?;
        named.next().is_none().then_some(id)
    }

    fn launched(
        &mut self,
        expr: &'u Expr,
        (kernel, named): (FunctionId, &'u Segment),
        config: &[Value],
        args: Vec<&'u Expr>,
        frame: &mut Frame<'u>,
    ) -> Value {
        let args = written_arguments(args);
        let values: Vec<Value> = args.iter().map(|arg| self.eval(arg, frame)).collect();
        self.computed.reports.launch = Some(launch_of(expr.span, config));
        self.call_kernel(expr, (kernel, named), &values, frame);
        self.computed.reports.launch = None;
        Value::Nothing
    }
}

/// The value of a named part: `block_dim: (16, 16, 1)`.
fn part_of<'u>(parts: &'u [Expr], wanted: &str) -> Option<&'u Expr> {
    parts.iter().find_map(|part| match &part.kind {
        ExprKind::Designated(name, value) if name.name == wanted => Some(&**value),
        _ => None,
    })
}

/// The arguments of a kernel, without the marks of `cuda_launch!`: `slice(a)`, `slice_mut(b)`.
fn written_arguments(args: Vec<&Expr>) -> Vec<&Expr> {
    let mut written = Vec::new();
    for arg in args {
        written.push(match &arg.kind {
            ExprKind::Call(callee, inner)
                if matches!(callee.as_plain_name(), Some("slice" | "slice_mut")) =>
            {
                inner.first().unwrap_or(arg)
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => inner,
            _ => arg,
        });
    }
    written
}

/// The kernel that `module.get_function("name")?` of `cust` loads.
fn loaded(init: &Expr) -> Option<&str> {
    match &init.kind {
        ExprKind::Unary(UnaryOp::Try, inner) => loaded(inner),
        ExprKind::Call(callee, args) => {
            let ExprKind::Member { object, member, .. } = &callee.kind else {
                return None;
            };
            match (member.name.name.as_str(), args.as_slice()) {
                ("unwrap", []) | ("expect", [_]) => loaded(object),
                ("get_function", [name]) => match &name.kind {
                    ExprKind::Str(name) => Some(name),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// The arguments of `launch!` of `cust` by parameter: a slice is given as its pointer and its length.
fn without_lengths<'u>(params: &[Binding], args: &'u [Expr]) -> Vec<&'u Expr> {
    let is_slice = |param: &Binding| param.ty.as_ref().is_some_and(is_slice);
    let slices = params.iter().filter(|param| is_slice(param)).count();
    if args.len() != params.len() + slices {
        return args.iter().collect();
    }
    let mut rest = args.iter();
    let mut taken = Vec::new();
    for param in params {
        taken.extend(rest.next());
        if is_slice(param) {
            rest.next();
        }
    }
    taken
}
