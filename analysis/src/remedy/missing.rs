//! A barrier, wait or fence that is missing, put where it belongs.

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{Function, Item, ItemKind, Span};

use super::Search;
use crate::access::wraps;
use crate::finding::{Edit, Finding, Remedy};
use crate::walk;

/// The place for a new statement.
#[derive(Debug, Clone, Copy)]
enum Insertion {
    /// Before the statement of the finding.
    Before,
    /// Behind the statement of the first related place.
    BehindRelated,
    /// At the end of the function.
    AtEnd,
}

/// The barrier of a block, in CUDA C++.
const BLOCK_BARRIER: &str = "__syncthreads();";

/// The barrier of a block in Rust, by the first name of a path that a source of the crate uses.
const BLOCK_BARRIERS: &[(&str, &str)] = &[
    ("cuda_device", "cuda_device::thread::sync_threads();"),
    ("cuda_std", "cuda_std::thread::sync_threads();"),
    ("cubecl", "sync_cube();"),
];

/// Missing statements, by rule: the first that is proved is offered.
const MISSING: &[(&str, Insertion, &str)] = &[
    ("async-copy-wait", Insertion::Before, "cp_async_wait<0>();"),
    ("barrier-not-visible", Insertion::Before, BLOCK_BARRIER),
    ("cluster-exit", Insertion::AtEnd, "cute::cluster_sync();"),
    (
        "grid-dependency",
        Insertion::Before,
        "cudaGridDependencySynchronize();",
    ),
    (
        "proxy-fence",
        Insertion::BehindRelated,
        "tma_store_fence();",
    ),
    ("shared-race", Insertion::Before, BLOCK_BARRIER),
    ("tma-store-wait", Insertion::Before, "tma_store_wait<0>();"),
    ("tmem-lifetime", Insertion::Before, BLOCK_BARRIER),
    ("tmem-lifetime", Insertion::Before, "cute::cluster_sync();"),
    (
        "tmem-wait",
        Insertion::Before,
        "cutlass::arch::fence_view_async_tmem_load();",
    ),
    (
        "tmem-wait",
        Insertion::Before,
        "cutlass::arch::fence_view_async_tmem_store();",
    ),
    ("wgmma-arrive", Insertion::Before, "warpgroup_arrive();"),
    ("wgmma-wait", Insertion::Before, "warpgroup_wait<0>();"),
];

impl Search<'_> {
    /// The statement that is missing, where it removes the finding and brings no other.
    pub(super) fn with_what_is_missing(&mut self, finding: &Finding) -> Option<Remedy> {
        let missing = MISSING.iter().filter(|(rule, ..)| *rule == finding.rule);
        for (_, place, statement) in missing {
            let Some(statement) = self.in_host(statement) else {
                continue;
            };
            let Some(at) = self.place(finding, *place) else {
                continue;
            };
            let edit = self.inserted(at, statement)?;
            let title = format!("Insert `{statement}`");
            let remedy = self.proved(finding, edit, title);
            if remedy.is_some() {
                return remedy;
            }
        }
        None
    }

    /// A statement of CUDA C++ in the language of the file.
    fn in_host(&self, statement: &'static str) -> Option<&'static str> {
        match self.options.host {
            Host::Rust if statement == BLOCK_BARRIER => self.block_barrier_of_rust(),
            Host::Rust => None,
            _ => Some(statement),
        }
    }

    /// The barrier of a block by the names that the file uses.
    fn block_barrier_of_rust(&self) -> Option<&'static str> {
        let mut used: Vec<(&str, &str)> = Vec::new();
        walk::items(&self.file.unit().items, &mut |item: &Item| {
            if let ItemKind::Using(using) = &item.kind
                && let Some(path) = using.path.as_path()
                && let (Some(first), Some(last)) = (path.segments.first(), path.last())
            {
                used.push((&first.name.name, &last.name.name));
            }
        });
        let known = |(name, _): &&(&str, &str)| used.iter().any(|(first, _)| first == name);
        let (library, whole) = BLOCK_BARRIERS.iter().find(known)?;
        let imports = |name: &str| used.contains(&(*library, name));
        Some(if imports("sync_threads") {
            "sync_threads();"
        } else if imports("thread") {
            "thread::sync_threads();"
        } else {
            whole
        })
    }

    /// The factor, extent or stride that decides on the type, in 64 bits.
    pub(super) fn widened(&mut self, finding: &Finding) -> Option<Remedy> {
        let narrow = finding
            .related
            .first()
            .filter(|_| finding.rule == wraps::RULE)?
            .span;
        let written = narrow.text(self.file.text());
        let wide = match self.options.host {
            Host::Rust => format!("({written} as i64)"),
            _ => format!("int64_t({written})"),
        };
        let title = format!("Compute it in 64 bits: {wide}");
        let edit = Edit {
            span: narrow,
            new_text: wide,
        };
        self.proved(finding, edit, title)
    }

    pub(super) fn proved(
        &mut self,
        finding: &Finding,
        edit: Edit,
        title: String,
    ) -> Option<Remedy> {
        if self.budget == 0 || self.options.stop.is_wanted() {
            return None;
        }
        self.budget -= 1;
        let edits = vec![edit];
        self.is_proved(&edits, finding, &|_, _, _| true)
            .then_some(Remedy {
                title,
                edits,
                preferred: true,
            })
    }

    /// The byte at which a statement begins that an edit puts something before.
    fn place(&self, finding: &Finding, place: Insertion) -> Option<usize> {
        match place {
            Insertion::Before => Some(self.statement_around(finding.span)?.start),
            Insertion::BehindRelated => {
                let related = self.statement_around(finding.related.first()?.span)?;
                let behind = self.file.text().get(related.end..)?;
                // The next statement of the same block.
                let blanks = behind.len() - behind.trim_start().len();
                Some(related.end + blanks)
            }
            Insertion::AtEnd => {
                let body = self.function_around(finding.span)?.body.as_deref()?;
                let last = body.last()?.span.end;
                let behind = self.file.text().get(last..)?;
                Some(last + (behind.len() - behind.trim_start().len()))
            }
        }
    }

    /// The innermost statement around a place.
    pub(super) fn statement_around(&self, place: Span) -> Option<Span> {
        let mut found: Option<Span> = None;
        walk::items(&self.file.unit().items, &mut |item: &Item| {
            let is_statement = matches!(
                item.kind,
                ItemKind::Expr(_)
                    | ItemKind::Binding(_)
                    | ItemKind::StructuredBinding(_)
                    | ItemKind::Return(_)
            );
            if is_statement && item.span.encloses(place) {
                found = Some(item.span);
            }
        });
        found
    }

    fn function_around(&self, place: Span) -> Option<&Function> {
        let mut found: Option<&Function> = None;
        walk::items(&self.file.unit().items, &mut |item| {
            if let ItemKind::Function(function) = &item.kind
                && item.span.encloses(place)
            {
                found = Some(function);
            }
        });
        found
    }

    /// A statement on a separate line before a place, where a statement may begin.
    fn inserted(&self, at: usize, statement: &str) -> Option<Edit> {
        let text = self.file.text();
        let before = text.get(..at)?;
        let ends = before.trim_end().chars().last()?;
        // Behind `if (..)` it would be the only statement of the branch.
        if !matches!(ends, ';' | '{' | '}') {
            return None;
        }
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let indent = before.get(line..)?;
        let is_own_line = indent.chars().all(char::is_whitespace);
        let closes = text.get(at..)?.starts_with('}');
        let new_text = if closes && is_own_line {
            format!("  {statement}\n{indent}")
        } else if is_own_line {
            format!("{statement}\n{indent}")
        } else {
            format!("{statement} ")
        };
        Some(Edit {
            span: Span::new(at, at),
            new_text,
        })
    }
}
