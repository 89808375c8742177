//! Effects of the kernel by code of the analysed file: copies, products, memory that is taken, launches.

use tree_sitter_cute::tree::Span;

use super::dsl::leaf;
use super::effect::{Effect, EffectKind, Launch};
use super::machine::Machine;
use super::native::Given;
use super::value::Py;
use crate::cost::{What, three};
use crate::tensor::Space;
use crate::value::{Dialect, Value};

/// Effects that are kept of one analysis.
const EFFECTS: usize = 1 << 15;

/// Functions that make a tensor that a thread owns.
const MAKERS: [&str; 7] = [
    "cutlass.cute.make_rmem_tensor",
    "cutlass.cute.make_fragment",
    "cutlass.cute.make_fragment_like",
    "cutlass.cute.make_rmem_tensor_like",
    "MmaAtom.make_fragment_A",
    "MmaAtom.make_fragment_B",
    OF_PRODUCT,
];

/// The method that makes the accumulator of a product.
const OF_PRODUCT: &str = "MmaAtom.make_fragment_C";

/// Functions that make an operation of TMA and the tensor of its coordinates.
const TMA_MAKERS: [&str; 2] = ["_cute.make_tma_atom", "_cute.make_tma_atom_of_mma"];

/// The place of an effect, as the analysed file has it.
struct Doer {
    activation: usize,
    span: Span,
    /// The name that is called.
    callee: Span,
    /// Whether the call itself is in the file.
    is_own: bool,
}

impl Machine<'_> {
    /// The innermost call of the file that is analysed that is under way.
    fn doer(&self, span: Span, callee: Span) -> Option<Doer> {
        let (mut span, mut callee, mut is_own) = (span, callee, true);
        for frame in self.frames.iter().rev() {
            let file = self.files.get(frame.file);
            if !file.is_some_and(|file| file.is_focus) {
                (span, callee) = (frame.called_at, frame.called_name);
                is_own = false;
            } else if let Some(activation) = frame.activation {
                return Some(Doer {
                    activation,
                    span,
                    callee,
                    is_own,
                });
            }
        }
        None
    }

    fn keep_effect(&mut self, activation: usize, span: Span, kind: EffectKind) {
        let call = self.record.activations.get(activation);
        let is_one_call = call.is_some_and(|call| !call.is_of_several);
        if is_one_call && self.kernel.effects.len() < EFFECTS {
            self.kernel.effects.push(Effect {
                activation,
                span,
                kind,
            });
        }
    }

    /// Keeps the effects of the call that is under way.
    pub(super) fn does(&mut self, span: Span, kind: EffectKind) {
        if let Some(doer) = self.doer(span, Span::default()) {
            self.keep_effect(doer.activation, doer.span, kind);
        }
    }

    /// Keeps a copy or a product of the file's own: `operands` are the places of its arguments in the order of C++.
    pub(super) fn issues(&mut self, what: What, given: &Given, operands: &[usize]) {
        let Some(doer) = self
            .doer(given.span, given.callee)
            .filter(|doer| doer.is_own)
        else {
            return;
        };
        let values = operands.iter().map(|at| leaf(self, given.arg(*at)));
        let kind = EffectKind::Issued {
            what,
            anchor: doer.callee,
            values: values.collect(),
            names: operands.iter().map(|at| self.written(given, *at)).collect(),
            made: Value::Nothing,
        };
        self.keep_effect(doer.activation, doer.span, kind);
    }

    /// An argument that the file writes as a name, or as an attribute of one.
    fn written(&self, given: &Given, at: usize) -> Option<String> {
        let text = self.focus.slice(*given.places.get(at)?);
        let is_name = !text.is_empty()
            && text
                .chars()
                .all(|it| it == '_' || it == '.' || it.is_alphanumeric());
        is_name.then(|| text.to_owned())
    }

    /// Keeps the result of a function that is built in, where a thread owns it or TMA uses it.
    pub(super) fn note_made(&mut self, given: &Given, made: &Py) {
        match made {
            Py::Leaf(Value::Tensor(_)) => self.note_kept(given.name, given.span, made),
            Py::Tuple(_) if TMA_MAKERS.contains(&given.name) => self.note_tma(given, made),
            _ => {}
        }
    }

    /// Keeps a tensor that a thread owns.
    pub(super) fn note_kept(&mut self, name: &str, span: Span, made: &Py) {
        let Py::Leaf(Value::Tensor(tensor)) = made else {
            return;
        };
        let is_owned = matches!(tensor.engine.space, Space::Registers | Space::TensorMemory);
        if is_owned && MAKERS.contains(&name) {
            let kind = EffectKind::Kept {
                tensor: tensor.clone(),
                is_of_product: name == OF_PRODUCT,
            };
            self.does(span, kind);
        }
    }

    fn note_tma(&mut self, given: &Given, made: &Py) {
        let Some(doer) = self.doer(given.span, given.callee) else {
            return;
        };
        let Py::Tuple(items) = made else { return };
        let Some(Py::Leaf(atom)) = items.first() else {
            return;
        };
        let kind = EffectKind::Issued {
            what: What::MakeTma,
            anchor: doer.callee,
            values: (0..3).map(|at| leaf(self, given.arg(at))).collect(),
            // The name is that of the tensor in the file: helpers call it otherwise.
            names: vec![None; 3],
            made: atom.clone(),
        };
        self.keep_effect(doer.activation, doer.span, kind);
    }

    /// Keeps how a kernel of the file is launched.
    pub(super) fn launches(&mut self, activation: Option<usize>, given: &Given) {
        let Some(activation) = activation else {
            return;
        };
        let number = |value: &Py| value.as_index();
        let launch = Launch {
            grid: Dialect::Dsl.text(&leaf(self, given.arg(1))),
            axes: [leaf(self, given.arg(1)), leaf(self, given.arg(2))],
            block: three(&leaf(self, given.arg(2))),
            cluster: match given.arg(3) {
                Py::None => None,
                cluster => three(&leaf(self, cluster)),
            },
            bytes: number(given.arg(4)),
            blocks: number(given.arg(5)).filter(|blocks| *blocks > 0),
        };
        let is_own = self.is_in_focus();
        let span = if is_own { given.span } else { Span::default() };
        self.keep_effect(activation, span, EffectKind::Launch(launch));
    }
}
