//! The text of a hint, within the room that a line has.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use cute_analysis::{Dialect, Value};

use crate::presentation::{abbreviation, meaning};

/// The class of a hint; each can be switched off by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Class {
    /// A layout, with or without a swizzle.
    #[default]
    Layout,
    /// A tensor.
    Tensor,
    /// A swizzle alone.
    Swizzle,
    /// A tuple: a shape, a stride, a tile.
    Tuple,
    /// A tiled MMA or a tiled copy.
    Tiled,
    /// An MMA atom or a copy atom.
    Atom,
    /// A copy by TMA, or its atom: the box.
    Tma,
    /// An integer that a function of CuTe computes or another class has: stages, bytes of a transaction, trips of a loop.
    Constant,
    /// A plain load or store.
    Access,
}

/// A name with the text of its hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The class.
    pub class: Class,
    /// The name.
    pub name: Arc<str>,
    /// The text about it.
    pub said: Said,
}

/// The text of a hint about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The value in the shown instance.
    Evaluated(Arc<Value>, Dialect),
    /// A text of another source: the print of a run of the program, or the layout of a plain access.
    Written {
        /// For a line of code.
        short: String,
        /// The whole print.
        full: String,
    },
}

impl Said {
    /// The whole of it, in CuTe's print.
    fn in_full(&self) -> String {
        match self {
            Self::Evaluated(value, dialect) => in_full(value, *dialect),
            Self::Written { full, .. } => full.clone(),
        }
    }

    /// The same in at most `width` characters.
    fn short(&self, width: usize) -> String {
        match self {
            Self::Evaluated(value, dialect) => short(value, *dialect, width),
            Self::Written { short, .. } => abbreviation::cut(short, width),
        }
    }
}

/// A hint that an editor shows behind a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    /// Its place: the end of a statement.
    pub byte_offset: usize,
    /// The place of the first name that it is about.
    pub declared: Range<usize>,
    /// The names that the statement declares; several for `auto [a, b] = ...`.
    pub shown: Vec<Shown>,
    /// Whether instances differ.
    pub differs: bool,
    /// Whether it is shown for an instance that no source makes.
    pub is_supposed: bool,
    /// Whether the statement was edited since its value was known.
    pub is_outdated: bool,
    /// The tooltip: name, kind, print; all instances where they differ.
    pub tooltip: String,
}

/// The end of a hint of a supposed instance.
const SUPPOSED_MARK: &str = " supposed";

/// Characters below which a value of several says too little.
const LEAST: usize = 8;

/// Characters in which a value of several begins to say something.
const ENOUGH: usize = 12;

impl Hint {
    /// The text in at most `width` characters; 0 means the whole of it, in CuTe's print.
    pub fn label(&self, width: usize) -> String {
        let outdated = if self.is_outdated { "…" } else { "" };
        let supposed = if self.is_supposed { SUPPOSED_MARK } else { "" };
        let mark = format!("{outdated}{supposed}");
        let (limit, written): (usize, fn(&Said, usize) -> String) = match width {
            0 => (usize::MAX, |said, _| said.in_full()),
            width => (width.saturating_sub(mark.chars().count()), Said::short),
        };
        let mut label = String::new();
        let told = self.told(limit);
        for (index, shown) in self.shown.iter().enumerate().take(told) {
            let name = match self.shown.len() {
                1 => String::new(),
                _ => format!("{} ", shown.name),
            };
            let separator = if index == 0 { "" } else { ", " };
            let used = label.chars().count() + separator.len() + name.chars().count();
            let left = limit.saturating_sub(used);
            let names = self.shown.iter().take(told).skip(index + 1);
            let others: usize = names.map(|next| next.name.chars().count() + 3).sum();
            let end = usize::from(told < self.shown.len());
            let share = left.saturating_sub(others + end) / (told - index);
            let _ = write!(
                label,
                "{separator}{name}{}",
                written(&shown.said, share.max(LEAST.min(left)))
            );
        }
        if told < self.shown.len() && !label.ends_with('…') {
            label.push('…');
        }
        abbreviation::cut(&label, limit) + &mark
    }

    /// The number of names that a label of at most `limit` characters tells: the first ones, so that each has room for the
    /// beginning of its value.
    fn told(&self, limit: usize) -> usize {
        let mut used = 0_usize;
        let fitting = self.shown.iter().take_while(|shown| {
            let name = shown.name.chars().count() + 3;
            let value = shown.said.short(ENOUGH).chars().count();
            used = used.saturating_add(name + value);
            used <= limit
        });
        fitting.count().max(1)
    }

    /// The hint of the names whose class is wanted; nothing where there is none.
    pub fn of_classes(mut self, is_wanted: impl Fn(Class) -> bool) -> Option<Self> {
        self.shown.retain(|shown| is_wanted(shown.class));
        (!self.shown.is_empty()).then_some(self)
    }
}

/// A value in at most `width` characters.
pub(super) fn short(value: &Value, dialect: Dialect, width: usize) -> String {
    let Some(text) = meaning::in_short(value) else {
        return abbreviation::label_within(value, dialect, width);
    };
    abbreviation::parts_within(&text, width)
}

/// A value in the words of its language. A tensor prints as its layout, after
/// the swizzle of its addresses where there is one: where the memory is, is in the tooltip.
fn in_full(value: &Value, dialect: Dialect) -> String {
    match (value, value.as_any_layout()) {
        // Its swizzle is part of where its elements are.
        (Value::Shared(shared), _) => shared.to_string(),
        (Value::Triton(_), Some(layout)) => layout.to_string(),
        (Value::Tensor(tensor), _) => {
            abbreviation::swizzled(tensor, dialect) + &dialect.text(&tensor.layout_value())
        }
        (value, Some(_)) => dialect.text(value),
        (value, None) => meaning::in_short(value).unwrap_or_else(|| dialect.text(value)),
    }
}
