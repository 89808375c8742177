//! Sets of the threads of a CTA.

/// Threads of a warp.
pub(super) const WARP: i64 = 32;

/// The threads, from 0 on, that come through some branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Threads(Vec<i64>);

impl Threads {
    /// These threads, in rising order.
    pub(super) fn of(threads: Vec<i64>) -> Self {
        Self(threads)
    }

    /// Number of threads.
    pub(super) fn count(&self) -> Option<i64> {
        i64::try_from(self.0.len()).ok()
    }

    /// The last one.
    pub(super) fn last(&self) -> Option<i64> {
        self.0.last().copied()
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = i64> {
        self.0.iter().copied()
    }

    /// Those of the first warp, and the others if there are any.
    pub(super) fn by_first_warp(&self) -> Vec<Self> {
        self.apart(|thread| Some(thread < WARP)).unwrap_or_default()
    }

    /// Those that have the same of something; nothing where a thread has none.
    pub(super) fn apart<T: PartialEq>(&self, of: impl Fn(i64) -> Option<T>) -> Option<Vec<Self>> {
        let mut found: Vec<(T, Self)> = Vec::new();
        for thread in &self.0 {
            let own = of(*thread)?;
            match found.iter_mut().find(|(known, _)| *known == own) {
                Some((_, threads)) => threads.0.push(*thread),
                None => found.push((own, Self(vec![*thread]))),
            }
        }
        Some(found.into_iter().map(|(_, threads)| threads).collect())
    }

    /// Whether one of them is this thread.
    pub(super) fn has(&self, thread: i64) -> bool {
        self.0.binary_search(&thread).is_ok()
    }

    /// The first group of `width` threads of which some come and others do not: its first thread, and the number of
    /// those that come.
    pub(super) fn divided_group(&self, width: i64, launched: i64) -> Option<(i64, i64)> {
        (0..launched)
            .step_by(usize::try_from(width).ok()?)
            .find_map(|first| {
                let group = first..launched.min(first + width);
                let coming = self
                    .0
                    .iter()
                    .filter(|thread| group.contains(*thread))
                    .count();
                let coming = i64::try_from(coming).ok()?;
                (coming > 0 && coming < group.end - group.start).then_some((first, coming))
            })
    }

    /// Whether all of them are in one warp.
    pub(super) fn is_in_one_warp(&self) -> bool {
        match (self.0.first(), self.0.last()) {
            (Some(first), Some(last)) => first / WARP == last / WARP,
            _ => false,
        }
    }
}
