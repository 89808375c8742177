//! Places of a kernel that are kept like accesses, as their conditions and loops matter: barriers, groups of copies, indices of
//! tensors, and addresses from which tensors begin.

use std::sync::Arc;

use cute_hardware::descriptor::Generation;
use cute_hardware::mma::Tcgen05Kind;
use tree_sitter_cute::tree::Span;

use super::Walker;
use super::held::Pointer;
use crate::access::beyond::Indexed;
use crate::access::terms::TermId;
use crate::access::{AccessKind, AccessSpace, GroupMark, GroupStep, INDEX, Memory, Met};
use crate::limits;

impl Walker<'_, '_> {
    /// Notes that all threads of the block wait for each other here.
    pub(super) fn barrier(&mut self, span: Span) {
        self.fence();
        if self.recording && self.out.barriers.len() < limits::ACCESSES {
            let nothing = self.terms().number(0, INDEX);
            let barrier = self.mark(span, 0, nowhere(), nothing);
            self.out.barriers.push(barrier);
        }
    }

    /// Keeps an index of a variable that may be a tensor.
    pub(super) fn indexed(&mut self, span: Span, index: TermId) {
        if self.recording && self.out.indices.len() < limits::ACCESSES {
            let met = self.mark(span, 1, nowhere(), index);
            self.out.indices.push(Indexed { met, mode: None });
        }
    }

    /// Keeps a number that an instruction takes as a matrix descriptor, where it is one of 64 bits.
    pub(super) fn describes(&mut self, span: Span, generation: Generation, term: TermId) {
        let marks = &self.out.marks.descriptors;
        let is_new = !marks
            .iter()
            .any(|(known, _, own)| (*known, *own) == (span, term));
        if self.recording
            && is_new
            && self.out.terms.kind(term).bits == 64
            && marks.len() < limits::ACCESSES
        {
            self.out.marks.descriptors.push((span, generation, term));
        }
    }

    /// Keeps a number that an instruction takes as its own descriptor, where it is one of 32 bits.
    pub(super) fn describes_itself(&mut self, span: Span, kind: Tcgen05Kind, term: TermId) {
        let is_word = self.out.terms.kind(term).bits == 32;
        let marks = &mut self.out.marks.instructions;
        let mark = (span, kind, term);
        if self.recording && is_word && marks.len() < limits::ACCESSES && !marks.contains(&mark) {
            marks.push(mark);
        }
    }

    /// Keeps an address from which a tensor in global memory begins.
    pub(super) fn begins_at(&mut self, span: Span, pointer: &Pointer) {
        let Some(memory) = pointer.memory.as_ref().filter(|_| self.recording) else {
            return;
        };
        if memory.space == AccessSpace::Global && self.out.pointers.len() < limits::ACCESSES {
            let begin = self.mark(span, 0, Arc::clone(memory), pointer.offset);
            self.out.pointers.push(begin);
        }
    }

    fn mark(&self, span: Span, bytes: i64, memory: Arc<Memory>, address: TermId) -> Met {
        Met {
            span,
            kind: AccessKind::Load,
            bytes,
            align: 0,
            size: None,
            is_number: false,
            address: Ok((memory, address)),
            stored: None,
            guards: self.course.guards.clone(),
            loops: self.course.loops.clone(),
            site: self.course.site,
            is_asynchronous: false,
        }
    }

    /// Keeps a store that arrives later.
    pub(super) fn copies(&mut self, span: Span, place: &Result<Pointer, Arc<str>>) {
        let before = self.out.met.len();
        self.met(span, AccessKind::Store, place, None);
        if let Some(kept) = self.out.met.get_mut(before) {
            kept.is_asynchronous = true;
        }
    }

    /// Notes a step of the groups of asynchronous copies.
    pub(super) fn grouped(&mut self, span: Span, step: GroupStep) {
        if self.recording && self.out.order.groups.len() < limits::ACCESSES {
            let mark = GroupMark {
                step,
                span: self.course.site.unwrap_or(span),
                before: self.out.met.len(),
                guards: self.course.guards.clone(),
                loops: self.course.loops.clone(),
            };
            self.out.order.groups.push(mark);
        }
    }
}

/// The memory of a place that accesses none.
fn nowhere() -> Arc<Memory> {
    Arc::new(Memory {
        name: "".into(),
        space: AccessSpace::Shared,
        element: None,
        extent: None,
        lengths: Arc::default(),
        declared: None,
        align: 1,
        is_dynamic: false,
    })
}
