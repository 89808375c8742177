//! The place in memory that a pointer points to.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

/// The place of something in memory: an object and the members that lead to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// The object that it is a part of.
    pub(crate) root: Root,
    /// The members on the way, the outermost first.
    pub(crate) path: Vec<Arc<str>>,
    /// The element of the array at that place.
    pub(crate) index: Option<Index>,
}

/// The element of an array.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Index {
    /// A known number.
    Known(i64),
    /// The present value of the variable declared there.
    Variable(Span),
    /// Anything else, as it is written.
    Other(Arc<str>),
}

impl std::fmt::Display for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Known(number) => write!(f, "{number}"),
            Self::Variable(declared) => write!(f, "@{}", declared.start),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// The object that a place is in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// An object of a class instance: a kernel has one shared object of each.
    Record(usize),
    /// The memory that a variable points to, by the place of its declaration.
    Variable(Span),
    /// A place of shared memory that pointers lead to: all of them mean the same by it.
    Byte {
        /// The declaration of the first of these pointers.
        named: Span,
        /// The variable or object in which it is; nothing for dynamic shared memory.
        of: Option<Box<Root>>,
        /// Bits from its start.
        bits: i64,
    },
}

impl Place {
    /// The whole of an object.
    pub(crate) fn of(root: Root) -> Self {
        Self {
            root,
            path: Vec::new(),
            index: None,
        }
    }

    /// A member of it.
    #[must_use]
    pub(crate) fn member(mut self, name: &str) -> Self {
        if let Some(index) = self.index.take() {
            self.path.push(format!("[{index}]").into());
        }
        self.path.push(name.into());
        self
    }

    /// An element of it.
    #[must_use]
    pub(crate) fn element(mut self, index: Index) -> Self {
        if let Some(outer) = self.index.take() {
            self.path.push(format!("[{outer}]").into());
        }
        self.index = Some(index);
        self
    }

    /// The array that it is an element of.
    pub(crate) fn array(&self) -> (&Root, &[Arc<str>]) {
        (&self.root, &self.path)
    }
}

/// The origin of a pointer. It is not part of the pointer's value: two pointers to different memory of one type have
/// the same value.
#[derive(Clone, Default)]
pub(crate) struct Origin(pub(crate) Option<Arc<Place>>);

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Origin {}

impl std::hash::Hash for Origin {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
