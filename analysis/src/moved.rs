//! Results for a text, carried to a later one with the same code: all of them at their new places.

use std::ops::Range;

use tree_sitter_cute::tree::Span;
use tree_sitter_cute::{Host, SameCode, Syntax};

use crate::fact::Analysis;
use crate::finding::Finding;
use crate::moves::Moves;

impl Analysis {
    /// The analysis of `after`, where this is one of `before` and they differ in comments that state nothing and in
    /// white space alone: nothing is evaluated for that. `None` where they may mean different things. `syntax` is as
    /// [`SameCode::of`] wants it.
    ///
    /// The other files are those that this analysis has read: who changes one of them has to analyse again.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use cute_analysis::{Alone, Options, SourceFile, analyse};
    /// # use tree_sitter_cute::{Budget, Host, Syntax};
    /// let before = "void f() { auto x = cute::make_layout(8); } // one";
    /// let syntax = Arc::new(Syntax::parse(Host::CudaCpp, before, None, Budget::unlimited()).unwrap());
    /// let file = SourceFile::parsed("x.cu", before, Arc::clone(&syntax));
    /// let known = analyse(&file, &Alone, &Options::default());
    /// let after = "void f() { auto x = cute::make_layout(8); } // one, two";
    /// let (now, _) = known.carried(Host::CudaCpp, before, after, &syntax).unwrap();
    /// assert_eq!(now.facts[0].name_span.text(after), "x");
    /// let other = "void f() {  auto x = cute::make_layout(9); }";
    /// assert!(known.carried(Host::CudaCpp, before, other, &syntax).is_none());
    /// ```
    pub fn carried(
        &self,
        host: Host,
        before: &str,
        after: &str,
        syntax: &Syntax,
    ) -> Option<(Self, SameCode)> {
        let same = SameCode::of(host, before, after, syntax)?;
        Some((self.moved(&Moves::between(before, after))?, same))
    }

    /// Takes the costs of an earlier version for those bytes that are `looked_at`, where the ones of now were not computed. `now`
    /// says where a span of then is; those in edited text are left out.
    pub fn take_costs(
        &mut self,
        before: &Self,
        looked_at: &Range<usize>,
        now: &dyn Fn(Span) -> Option<Span>,
    ) {
        let is_seen = |span: Span| {
            let seen = now(span);
            seen.is_some_and(|span| span.start < looked_at.end && looked_at.start < span.end)
        };
        let notes = before.notes.iter().filter(|note| is_seen(note.anchor));
        self.notes = notes.filter_map(|note| note.moved(now)).collect();
        let budgets = before.budgets.iter().filter(|budget| is_seen(budget.span));
        self.budgets = budgets.filter_map(|budget| budget.moved(now)).collect();
        let accesses = before.accesses.iter().filter(|access| is_seen(access.span));
        self.accesses = accesses.filter_map(|access| access.moved(now)).collect();
    }

    /// The same at the new places; `None` where a part of it was replaced.
    fn moved(&self, moves: &Moves) -> Option<Self> {
        let at = |span: Span| moves.now_span(span);
        let mut moved = self.clone();
        for fact in &mut moved.facts {
            fact.name_span = at(fact.name_span)?;
            fact.span = at(fact.span)?;
        }
        for finding in moved.findings.iter_mut().chain(&mut moved.preconditions) {
            move_finding(finding, &at)?;
        }
        for nominal in &mut moved.nominals {
            nominal.span = at(nominal.span)?;
        }
        for inclusion in &mut moved.inclusions {
            inclusion.span = at(inclusion.span)?;
        }
        for order in &mut moved.orders {
            order.span = at(order.span)?;
            order.line = at(order.line)?;
        }
        for names in &mut moved.mode_names {
            names.declared = at(names.declared)?;
        }
        for note in &mut moved.notes {
            *note = note.moved(&at)?;
        }
        for budget in &mut moved.budgets {
            *budget = budget.moved(&at)?;
        }
        for access in &mut moved.accesses {
            *access = access.moved(&at)?;
        }
        moved.makers.move_to(&at)?;
        moved.uses = self.uses.moved(moves);
        Some(moved)
    }
}

/// Moves a finding with the operands that cause it and the edits that remove it.
fn move_finding(finding: &mut Finding, at: &dyn Fn(Span) -> Option<Span>) -> Option<()> {
    finding.span = at(finding.span)?;
    for related in &mut finding.related {
        related.span = at(related.span)?;
    }
    for remedy in &mut finding.remedies {
        for edit in &mut remedy.edits {
            edit.span = at(edit.span)?;
        }
    }
    Some(())
}
