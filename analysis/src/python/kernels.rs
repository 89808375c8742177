//! Kernels of a trace as the rules about order, threads and the grid read them: each is lowered to the tree of C++, with the
//! names that CuTe C++ has for its functions, so that one rule judges both.

mod actions;
mod calls;
mod expressions;
mod statements;

use std::sync::Arc;

use tree_sitter_cute::script::{Function, Script, Stmt, StmtKind};
use tree_sitter_cute::tree::{self, FunctionFlags, Ident, Item, Span};

use super::dsl::leaf;
use super::effect::EffectKind;
use super::entries::Shown;
use super::machine::Machine;
use crate::cost::{self, Costs};
use crate::fact::{DeclaredValue, Fact};
use crate::hash::HashMap;
use crate::origin::Root;
use crate::output::Output;
use crate::trace::{Bounds, Constants, Launch, Run, SharedLayout, SharedObject};
use crate::value::Value;
use statements::Lowering;

/// Findings about the kernels among the shown calls.
pub(super) fn judge(machine: &Machine<'_>, shown: &[Shown<'_>], costs: &mut Costs) {
    let script = machine.focus.script();
    let kernels = shown
        .iter()
        .filter(|shown| shown.call.is_kernel && shown.call.supposed.is_none());
    for kernel in kernels {
        let Some(function) = function_at(&script, kernel.call.code) else {
            continue;
        };
        let found = findings(machine, kernel, function);
        for finding in found {
            let is_known = |known: &crate::finding::Finding| {
                known.rule == finding.rule && known.span == finding.span
            };
            if !costs.findings.iter().any(is_known) {
                costs.findings.push(finding);
            }
        }
    }
}

/// The function whose code is at a place.
fn function_at(script: &Script, place: Span) -> Option<&Function> {
    let mut open: Vec<&[Stmt]> = vec![&script.body];
    while let Some(block) = open.pop() {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Function(function) if function.span == place => return Some(function),
                StmtKind::Function(function) => open.push(&function.body),
                StmtKind::Class(class) => open.push(&class.body),
                StmtKind::If(_, body, orelse) => open.extend([body.as_slice(), orelse]),
                StmtKind::With(_, body) | StmtKind::Try { body, .. } => open.push(body),
                _ => {}
            }
        }
    }
    None
}

fn findings(
    machine: &Machine<'_>,
    kernel: &Shown<'_>,
    function: &Function,
) -> Vec<crate::finding::Finding> {
    let lowered = Lowering::of(machine, kernel, function);
    let body = tree::Function {
        name: Ident {
            name: kernel.call.function.to_string(),
            span: function.name.span,
        },
        scope: None,
        tparams: Vec::new(),
        special_args: None,
        requires: None,
        params: lowered.params,
        ret: None,
        member_inits: Vec::new(),
        body: Some(lowered.items),
        flags: FunctionFlags {
            global: true,
            ..FunctionFlags::default()
        },
        decorators: Vec::new(),
    };
    let items: &[Item] = body.body.as_deref().unwrap_or_default();
    let mut output = Output::default();
    output.facts = facts(machine, kernel);
    output.declarations.extend(lowered.declarations);
    let initialisers = actions::initialisers(items);
    let run = Run {
        function: &body,
        instance: kernel.instance.clone(),
        is_uncertain: false,
        target: None,
        actions: actions::actions(items, &lowered.acts),
        followed: Vec::new(),
        bodies: Vec::new(),
        arguments: HashMap::default(),
        shared: shared(machine, kernel.at),
        launches: launches(machine, kernel.at),
        constants: Constants::default(),
        bounds: Bounds::default(),
        counters: Vec::new(),
        states: Vec::new(),
        remote_pipelines: Vec::new(),
        accesses: None,
    };
    cost::of_traced(&run, &output, &initialisers, machine.focus)
}

/// The values of the names of a call.
fn facts(machine: &Machine<'_>, kernel: &Shown<'_>) -> Vec<Fact> {
    let bindings = kernel.call.bindings.iter();
    let facts = bindings.map(|binding| {
        let content = DeclaredValue {
            name: Arc::clone(&binding.name),
            role: binding.role,
            function: Some(Arc::clone(&kernel.call.function)),
            value: Arc::new(leaf(machine, &binding.value)),
            instance: kernel.instance.clone(),
        };
        Fact::new(binding.span, binding.declaration, content)
    });
    facts.collect()
}

/// The dynamic shared memory of a kernel as one object.
fn shared(machine: &Machine<'_>, activation: usize) -> Vec<SharedObject> {
    let effects = machine.kernel.effects.iter();
    let own = effects.filter(|effect| effect.activation == activation);
    let mut size: i64 = 0;
    let mut last = None;
    for effect in own {
        let EffectKind::Stored {
            is_dynamic: true,
            gap,
            size: bytes,
            ..
        } = &effect.kind
        else {
            continue;
        };
        let Some(more) = bytes
            .as_ref()
            .ok()
            .and_then(|bytes| gap.checked_add(*bytes))
        else {
            return Vec::new();
        };
        size = size.saturating_add(more);
        last = Some(effect.span);
    }
    let (Some(span), Ok(size)) = (last, u64::try_from(size)) else {
        return Vec::new();
    };
    vec![SharedObject {
        name: "shared memory".into(),
        span,
        root: Root::Variable(span),
        is_dynamic: true,
        layout: Ok(SharedLayout {
            size,
            align: 1,
            parts: Vec::new(),
        }),
    }]
}

/// The launches of a kernel. Its arguments are the tensors of the host itself, and so are the symbols in them.
fn launches(machine: &Machine<'_>, activation: usize) -> Vec<Launch> {
    let effects = machine.kernel.effects.iter();
    let own = effects.filter(|effect| effect.activation == activation);
    let launches = own.filter_map(|effect| match &effect.kind {
        EffectKind::Launch(launch) => Some(Launch {
            span: effect.span,
            grid: launch.axes[0].clone(),
            block: launch.axes[1].clone(),
            cluster: launch.cluster.map(|sizes| {
                let sizes = sizes.map(|size| Value::Int(cute_algebra::Int::fixed(size)));
                Value::Tuple(sizes.to_vec())
            }),
            bytes: match launch.bytes {
                Some(bytes) => Value::Int(cute_algebra::Int::fixed(bytes)),
                None => Value::Nothing,
            },
            held: Vec::new(),
            guards: None,
            arguments: Vec::new(),
        }),
        _ => None,
    });
    launches.collect()
}
