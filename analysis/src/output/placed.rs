//! The values of a group of declarations, and its present place.

use std::sync::Arc;

use tree_sitter_cute::limits::SOURCE_BYTES;
use tree_sitter_cute::tree::Span;

use super::Output;
use crate::sources::SourceFile;

/// The place of a group of declarations in a version of its file.
#[derive(Debug, Clone)]
pub(crate) struct Standing {
    /// Its pieces, in order.
    pub(crate) pieces: Vec<Span>,
    /// Those of the environment, in order.
    pub(crate) environment: Arc<[Span]>,
}

impl Standing {
    /// The lines on which all of them begin.
    fn lines<'a>(&'a self, file: &'a SourceFile) -> impl Iterator<Item = usize> + 'a {
        let all = self.pieces.iter().chain(&*self.environment);
        all.map(|place| file.line(*place))
    }
}

/// The values of a group of declarations.
#[derive(Debug)]
pub(crate) struct GroupValues {
    /// Its earlier place.
    stood: Standing,
    /// The lines on which its pieces began, where something of it tells a line.
    lines: Option<Vec<usize>>,
    /// The steps that it took.
    pub(crate) steps: usize,
    output: Output,
}

impl GroupValues {
    /// The results of the evaluation in `file`.
    pub(crate) fn new(stood: Standing, file: &SourceFile, steps: usize, output: Output) -> Self {
        Self {
            lines: output.names_lines.then(|| stood.lines(file).collect()),
            stood,
            steps,
            output,
        }
    }

    /// Whether it tells the lines that its pieces are on now, or none.
    pub(crate) fn tells_lines_of(&self, now: &Standing, file: &SourceFile) -> bool {
        let lines = self.lines.as_deref();
        lines.is_none_or(|lines| now.lines(file).eq(lines.iter().copied()))
    }

    /// Whether these are its pieces and those of its environment.
    pub(crate) fn is_at_home(&self, now: &Standing) -> bool {
        Moves::new(&self.stood.pieces, &now.pieces).is_some()
            && Moves::new(&self.stood.environment, &now.environment).is_some()
    }
}

/// The values of a group of declarations, and its present place.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    known: Arc<GroupValues>,
    now: Standing,
}

impl Placed {
    pub(crate) fn new(known: &Arc<GroupValues>, now: Standing) -> Self {
        Self {
            known: Arc::clone(known),
            now,
        }
    }

    /// Its values, at the place of their evaluation.
    pub(super) fn output(&self) -> &Output {
        &self.known.output
    }

    /// Calls `act` with a function that gives the new place of a byte; `None` where it was removed.
    pub(super) fn moved<R>(
        &self,
        act: impl FnOnce(&dyn Fn(usize) -> Option<usize>) -> Option<R>,
    ) -> Option<R> {
        let own = Moves::new(&self.known.stood.pieces, &self.now.pieces)?;
        let others = Moves::new(&self.known.stood.environment, &self.now.environment)?;
        act(&|byte| {
            // Other files stay where they are.
            if byte > SOURCE_BYTES {
                return Some(byte);
            }
            own.byte(byte).or_else(|| others.byte(byte))
        })
    }
}

/// From where to where pieces moved.
struct Moves<'a> {
    from: &'a [Span],
    to: &'a [Span],
}

impl<'a> Moves<'a> {
    /// `None` where the pieces are not the same.
    fn new(from: &'a [Span], to: &'a [Span]) -> Option<Self> {
        let mut pairs = from.iter().zip(to);
        let same = from.len() == to.len() && pairs.all(|(from, to)| from.len() == to.len());
        same.then_some(Self { from, to })
    }

    fn byte(&self, byte: usize) -> Option<usize> {
        // Most islands are one piece.
        if let ([from], [to]) = (self.from, self.to) {
            let is_inside = from.start <= byte && byte <= from.end;
            return is_inside.then(|| byte - from.start + to.start);
        }
        let index = self.from.partition_point(|place| place.start <= byte);
        let index = index.checked_sub(1)?;
        let (from, to) = (self.from.get(index)?, self.to.get(index)?);
        (byte <= from.end).then(|| byte - from.start + to.start)
    }
}
