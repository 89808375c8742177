//! Evaluations that are put off until all functions of a translation unit have been evaluated: the report on a class that
//! is used, and an instance that is only named.

use std::sync::Arc;

/// One of them, and the one in which it was requested.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deferred {
    /// The name of the class or of the function.
    pub(crate) name: Arc<str>,
    /// The method of the class that is evaluated.
    pub(crate) method: Option<Arc<str>>,
    /// The instance of it, by its arguments or by the place where it is named.
    pub(crate) instance: Arc<str>,
    /// The deferred evaluation in which it was requested; `None` for a request by a function that is evaluated at once.
    pub(crate) within: Option<Arc<Self>>,
}

impl Deferred {
    /// This one, that in which it was requested, and so on.
    pub(crate) fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |deferred| deferred.within.as_deref())
    }

    /// The same with other names of instances.
    pub(crate) fn renamed(&self, renamed: &mut dyn FnMut(&str) -> Arc<str>) -> Self {
        let within = self.within.as_ref();
        Self {
            name: Arc::clone(&self.name),
            instance: renamed(&self.instance),
            method: self.method.clone(),
            within: within.map(|within| Arc::new(within.renamed(renamed))),
        }
    }

    /// The last one of the chain, which a function requested.
    pub(crate) fn outermost(&self) -> &Self {
        self.chain().last().unwrap_or(self)
    }
}
