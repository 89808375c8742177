//! A launch with numbers for the sizes that the host gives: conditions on sizes are decided, and each address is a number.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cute_algebra::{Expression, Int};
use tree_sitter_cute::tree::Span;

use super::describe::{Describer, Pass};
use super::lanes::Cell;
use super::terms::{Repeat, SymbolId, SymbolKind, TermId, Terms};
use super::{Met, text};
use crate::held::Held;

/// Sizes that are tried, the most usual first.
const SIZES: [i64; 6] = [4096, 1024, 512, 256, 128, 64];
/// Passes of a loop that are looked at where not all of them are known.
const PASSES_TAKEN: i64 = 3;
/// Passes of all loops around an access that are looked at.
const PLACES: usize = 256;

/// A launch of a kernel, in symbols of the host.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    /// The launching expression.
    pub(crate) span: Span,
    /// CTAs in each direction.
    pub(crate) grid: Vec<Int>,
    /// Bytes of dynamic shared memory.
    pub(crate) bytes: Option<i64>,
    /// The arguments of integer parameters, by the names of these.
    pub(crate) arguments: Vec<(Arc<str>, Int)>,
    /// Conditions that the host has checked before.
    pub(crate) held: Vec<Held>,
}

/// The block of a launch that depends on sizes of the host.
#[derive(Debug, Clone)]
pub(crate) struct SizedBlock {
    /// Its threads in each direction.
    pub(crate) block: [i64; 3],
    /// The sizes, as a finding names them: `n = 1024`.
    pub(crate) sizes: String,
}

impl SizedBlock {
    /// The blocks of a launch with usual sizes that its host lets through, the same for all of them: each block once.
    pub(crate) fn of(extents: &[Int], held: &[Held]) -> Vec<Self> {
        let symbols = symbols_in(extents.iter());
        let mut found: Vec<Self> = Vec::new();
        if symbols.is_empty() {
            return found;
        }
        for size in SIZES {
            let mut own = symbols.iter();
            let sizes: Sizes = symbols
                .iter()
                .map(|symbol| (Arc::clone(symbol), size))
                .collect();
            let extents = extents.iter().map(|extent| number(extent, &sizes));
            let Some(extents) = extents.collect::<Option<Vec<i64>>>() else {
                continue;
            };
            let mut block = [1; 3];
            for (own, extent) in block.iter_mut().zip(extents) {
                *own = extent;
            }
            let is_new = found.iter().all(|known| known.block != block);
            let is_let_through =
                own.all(|symbol| lets_through(held, symbol, size)) && !relates(held, &sizes);
            if is_new && is_a_block(&block) && is_let_through {
                let said = symbols.iter().map(|symbol| format!("{symbol} = {size}"));
                found.push(Self {
                    block,
                    sizes: said.collect::<Vec<String>>().join(", "),
                });
            }
        }
        found
    }
}

/// Whether a block has threads, and no more than there may be.
pub(crate) fn is_a_block(block: &[i64; 3]) -> bool {
    let threads = block
        .iter()
        .try_fold(1_i64, |all, extent| all.checked_mul(*extent));
    block.iter().all(|extent| *extent > 0)
        && threads.is_some_and(|threads| threads <= cute_hardware::multiprocessor::THREADS_OF_A_CTA)
}

/// Numbers for symbols of the host.
pub(super) type Sizes = BTreeMap<Arc<str>, i64>;

/// Numbers of the symbols of a CTA.
pub(super) type Cta = Pass;

/// A CTA of a launch with known sizes.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    /// The numbers of the kernel's symbols.
    pub(super) fixed: Pass,
    /// Those of them that another launch may give another number.
    free: BTreeSet<SymbolId>,
}

impl Trial {
    /// Whether another launch may give a symbol another number.
    pub(super) fn is_free(&self, symbol: SymbolId) -> bool {
        self.free.contains(&symbol)
    }
}

impl Given {
    /// The symbols of the sizes.
    pub(super) fn symbols(&self) -> Vec<Arc<str>> {
        let arguments = self.arguments.iter().map(|(_, argument)| argument);
        symbols_in(self.grid.iter().chain(arguments))
    }

    /// Sizes that the host lets through, as large as usual ones.
    pub(super) fn usual(&self) -> Option<Sizes> {
        let symbols = self.symbols().into_iter();
        let sizes = symbols.map(|symbol| {
            let mut usual = SIZES.into_iter();
            let size = usual.find(|size| self.allows(&symbol, *size))?;
            Some((symbol, size))
        });
        sizes
            .collect::<Option<Sizes>>()
            .filter(|sizes| self.is_free(sizes))
    }

    /// Whether no check of the host compares two of the sizes.
    pub(super) fn is_free(&self, sizes: &Sizes) -> bool {
        !relates(&self.held, sizes)
    }

    /// Whether no check of the host excludes a size.
    pub(super) fn allows(&self, symbol: &str, size: i64) -> bool {
        lets_through(&self.held, symbol, size)
    }

    /// CTAs in each direction.
    pub(super) fn ctas(&self, sizes: &Sizes) -> Option<[i64; 3]> {
        let mut ctas = [1; 3];
        for (extent, of_grid) in ctas.iter_mut().zip(&self.grid) {
            *extent = number(of_grid, sizes).filter(|extent| *extent > 0)?;
        }
        Some(ctas)
    }

    /// A CTA of the launch.
    pub(super) fn trial(&self, terms: &Terms, sizes: &Sizes, cta: [i64; 3]) -> Option<Trial> {
        let mut fixed = Pass::new();
        let mut free = BTreeSet::new();
        let ctas = self.ctas(sizes)?;
        let mut fix = |name: &str, value: i64, is_free: bool| {
            let symbol = terms.named(name);
            let of_host = symbol
                .and_then(|id| terms.symbol(id))
                .is_some_and(|symbol| symbol.is_lasting && symbol.kind == SymbolKind::Uniform);
            if let (Some(symbol), true) = (symbol, of_host) {
                fixed.insert(symbol, value);
                if is_free {
                    free.insert(symbol);
                }
            }
        };
        for (name, argument) in &self.arguments {
            if let Some(value) = number(argument, sizes) {
                fix(name, value, argument.value().is_none());
            }
        }
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let extent = ctas.get(axis).copied().unwrap_or(1);
            let index = cta.get(axis).copied().unwrap_or(0);
            let is_free = self
                .grid
                .get(axis)
                .is_some_and(|extent| extent.value().is_none());
            fix(&format!("gridDim.{name}"), extent, is_free);
            fix(&format!("blockIdx.{name}"), index, false);
        }
        Some(Trial { fixed, free })
    }

    /// The last CTAs of a launch whose sizes are known without a trial, with their indices: in all directions, and in one of
    /// them. `assumed` are values of parameters.
    pub(super) fn last_ctas(
        &self,
        terms: &Terms,
        assumed: &[(Arc<str>, i64)],
    ) -> Vec<(Cta, [i64; 3])> {
        let mut sizes = Sizes::new();
        for (name, argument) in &self.arguments {
            let value = assumed.iter().find(|(known, _)| known == name);
            let symbol = argument.as_expression().map(Expression::symbols);
            if let (Some((_, value)), Some([symbol])) = (value, symbol.as_deref())
                && argument.to_string() == **symbol
            {
                sizes.insert(Arc::clone(symbol), *value);
            }
        }
        let mut common = Cta::new();
        let lasting = |name: &str| {
            let symbol = terms.named(name);
            symbol.filter(|id| terms.symbol(*id).is_some_and(|symbol| symbol.is_lasting))
        };
        for (name, argument) in &self.arguments {
            common.extend(lasting(name).zip(number(argument, &sizes)));
        }
        let mut extents = [Some(1); 3];
        for (extent, of_grid) in extents.iter_mut().zip(&self.grid) {
            *extent = number(of_grid, &sizes).filter(|extent| *extent > 0);
        }
        let last = extents.map(|extent| extent.map_or(0, |extent| extent - 1));
        let [x, y, z] = last;
        let mut indices = vec![last, [x, 0, 0], [0, y, 0], [0, 0, z]];
        indices.dedup();
        let ctas = indices.into_iter().map(|index| {
            let mut cta = common.clone();
            for ((axis, extent), index) in ["x", "y", "z"].into_iter().zip(extents).zip(index) {
                let Some(extent) = extent else { continue };
                cta.extend(lasting(&format!("gridDim.{axis}")).map(|symbol| (symbol, extent)));
                cta.extend(lasting(&format!("blockIdx.{axis}")).map(|symbol| (symbol, index)));
            }
            (cta, index)
        });
        ctas.collect()
    }

    /// The first CTA of a launch with usual sizes, and the one that comes after it in each direction.
    pub(super) fn usual_trials(&self, terms: &Terms) -> Vec<Trial> {
        let Some((sizes, ctas)) = self.usual().and_then(|sizes| {
            let ctas = self.ctas(&sizes)?;
            Some((sizes, ctas))
        }) else {
            return Vec::new();
        };
        let mut places = vec![ctas.map(|extent| i64::from(extent > 1)), [0; 3]];
        places.dedup();
        let trials = places.into_iter();
        trials
            .filter_map(|cta| self.trial(terms, &sizes, cta))
            .collect()
    }
}

/// The symbols of some numbers of the host, each once.
fn symbols_in<'i>(ints: impl Iterator<Item = &'i Int>) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    for symbol in ints.flat_map(|int| {
        let symbols = int.as_expression().map(Expression::symbols);
        symbols.unwrap_or_default()
    }) {
        if !found.contains(&symbol) {
            found.push(symbol);
        }
    }
    found
}

/// Whether no check of a host excludes a size.
fn lets_through(held: &[Held], symbol: &str, size: i64) -> bool {
    !held.iter().any(|held| held.may_exclude(symbol, size))
}

/// Whether a check of a host compares two of the sizes.
fn relates(held: &[Held], sizes: &Sizes) -> bool {
    held.iter().any(|held| {
        let mut pairs = sizes
            .keys()
            .flat_map(|one| sizes.keys().map(move |other| (one, other)));
        pairs.any(|(one, other)| one != other && held.relates(one, other))
    })
}

/// The value of a number of the host.
fn number(int: &Int, sizes: &Sizes) -> Option<i64> {
    if let Some(value) = int.value() {
        return Some(value);
    }
    let known = |name: &str| sizes.get(name).map(|size| Expression::known(*size));
    int.as_expression()?.substitute(&known)?.as_known()
}

/// The passes of the loops around an access.
pub(super) struct Places {
    /// The numbers of symbols at each.
    pub(super) fixed: Vec<Pass>,
    /// Whether the access has no other address at passes that are not among them.
    pub(super) is_all: bool,
}

/// The numbers of a loop that an address is made of.
#[derive(Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// Variables that follow a separate rule, such as the stage of a ring, with those that they follow from.
    Followed(Vec<SymbolId>),
    /// The number of its passes.
    Count,
}

impl Takes {
    /// The numbers of a loop among the symbols of an address.
    fn of(terms: &Terms, repeat: &Repeat, symbols: &BTreeSet<SymbolId>) -> Self {
        if symbols.contains(&repeat.trip) {
            return Self::Count;
        }
        let mut ring: Vec<SymbolId> = Vec::new();
        let mut seen: Vec<SymbolId> = symbols.iter().copied().collect();
        while let Some(symbol) = seen.pop() {
            let followed = repeat.followed.iter().find(|(own, _, _)| *own == symbol);
            if let Some((_, _, next)) = followed
                && !ring.contains(&symbol)
            {
                ring.push(symbol);
                seen.extend(terms.symbols_of(*next));
            }
            if symbol == repeat.trip {
                return Self::Count;
            }
        }
        if ring.is_empty() {
            Self::Nothing
        } else {
            Self::Followed(ring)
        }
    }
}

impl Describer<'_> {
    /// The passes of the loops around an access at which its address may differ, in a CTA with these numbers.
    pub(super) fn places(&mut self, met: &Met, offset: TermId, fixed: &Pass) -> Places {
        self.places_in(met, offset, fixed, false)
    }

    /// The passes that have all addresses of an access: where the stage of a ring decides, those until it comes back. A
    /// condition on the number of the pass may hold at others only.
    pub(super) fn addresses(&mut self, met: &Met, offset: TermId, fixed: &Pass) -> Places {
        self.places_in(met, offset, fixed, true)
    }

    fn places_in(&mut self, met: &Met, offset: TermId, fixed: &Pass, once_around: bool) -> Places {
        let mut found = Places {
            fixed: vec![fixed.clone()],
            is_all: true,
        };
        let terms = &self.walked().terms;
        let of_offset = terms.symbols_of(offset);
        for index in &met.loops {
            let Some(repeat) = self.walked().loops.get(*index) else {
                found.is_all = false;
                continue;
            };
            let takes = match Takes::of(terms, repeat, &of_offset) {
                Takes::Followed(_) if !once_around => Takes::Count,
                takes => takes,
            };
            let mut next = Vec::new();
            for outer in std::mem::take(&mut found.fixed) {
                let (mut passes, is_whole) = self.passes_in(*index, &outer, &takes);
                if takes != Takes::Nothing {
                    found.is_all &= is_whole;
                }
                passes.truncate(PLACES);
                next.extend(passes);
            }
            // The first and the last ones are the farthest.
            if next.len() > PLACES {
                found.is_all = false;
                let last = next.split_off(next.len() - PLACES / 2);
                next.truncate(PLACES / 2);
                next.extend(last);
            }
            found.fixed = next;
        }
        found
    }

    /// The passes of a loop after these numbers; all of them, or the first ones.
    fn passes_in(&mut self, index: usize, outer: &Pass, takes: &Takes) -> (Vec<Pass>, bool) {
        let Some(repeat) = self.walked().loops.get(index).cloned() else {
            return (vec![outer.clone()], false);
        };
        let mut fixed = outer.clone();
        for (symbol, first, _) in &repeat.followed {
            if let Some(value) = self.number_at(*first, &fixed) {
                fixed.insert(*symbol, value);
            }
        }
        let most = match takes {
            Takes::Nothing => 1,
            Takes::Followed(_) | Takes::Count => crate::limits::ACCESS_PASSES,
        };
        let mut passes = Vec::new();
        let mut is_known = true;
        let mut states: Vec<Vec<i64>> = Vec::new();
        for trip in 0..=most {
            // A ring has come back to where it was: the other passes have these addresses.
            if let Takes::Followed(ring) = takes {
                let state = ring.iter().map(|symbol| fixed.get(symbol).copied());
                let state: Option<Vec<i64>> = state.collect();
                if state.as_ref().is_some_and(|state| states.contains(state)) {
                    return (passes, is_known);
                }
                states.extend(state);
            }
            fixed.insert(repeat.trip, trip);
            match repeat
                .condition
                .and_then(|condition| self.any_at(condition, &fixed))
            {
                Some(false) => return (passes, is_known),
                Some(true) => {}
                None => is_known = false,
            }
            if trip == most || !is_known && trip == PASSES_TAKEN {
                break;
            }
            passes.push(fixed.clone());
            let mut next = outer.clone();
            for (symbol, _, following) in &repeat.followed {
                if let Some(value) = self.number_at(*following, &fixed) {
                    next.insert(*symbol, value);
                }
            }
            fixed = next;
        }
        (passes, false)
    }

    /// The value of a term that is the same for all threads.
    fn number_at(&mut self, term: TermId, fixed: &Pass) -> Option<i64> {
        match self.lanes_of(fixed)?.column(term).at(0) {
            Cell::Known(value) => Some(*value),
            Cell::Open(_) | Cell::Unknown(_) => None,
        }
    }

    /// Whether a condition holds for one of the threads; nothing where this is not known.
    pub(super) fn any_at(&mut self, condition: TermId, fixed: &Pass) -> Option<bool> {
        let lanes = self.lanes_of(fixed)?;
        let column = lanes.column(condition);
        let mut is_unknown = false;
        for thread in 0..lanes.threads() {
            match column.at(thread) {
                Cell::Known(0) => {}
                Cell::Known(_) => return Some(true),
                Cell::Open(_) | Cell::Unknown(_) => is_unknown = true,
            }
        }
        (!is_unknown).then_some(false)
    }

    /// Whether other sizes may keep an access inside of its array: its address is made of them, or grows with the passes of a
    /// loop that they bound.
    pub(super) fn depends_on_sizes(&mut self, met: &Met, offset: TermId, trial: &Trial) -> bool {
        let of_offset = self.walked().terms.symbols_of(offset);
        if of_offset.iter().any(|symbol| trial.free.contains(symbol)) {
            return true;
        }
        for index in &met.loops {
            let Some(repeat) = self.walked().loops.get(*index).cloned() else {
                return true;
            };
            let terms = &self.walked().terms;
            let moves = Takes::of(terms, &repeat, &of_offset) != Takes::Nothing;
            let is_bound_by_size = repeat.condition.is_none_or(|condition| {
                let symbols = self.walked().terms.symbols_of(condition);
                symbols.iter().any(|symbol| trial.free.contains(symbol))
            });
            if !moves || !is_bound_by_size {
                continue;
            }
            let mut base = trial.fixed.clone();
            for other in met.loops.iter().filter(|other| *other != index) {
                if let Some(first) = self
                    .passes_in(*other, &base, &Takes::Nothing)
                    .0
                    .into_iter()
                    .next()
                {
                    base = first;
                }
            }
            let (passes, _) = self.passes_in(*index, &base, &Takes::Count);
            let offsets: Option<Vec<i64>> = passes
                .iter()
                .map(|pass| self.number_at(offset, pass))
                .collect();
            // A stage of a ring comes back.
            let comes_back = offsets.is_some_and(|offsets| {
                offsets
                    .iter()
                    .zip(offsets.iter().skip(1))
                    .any(|(one, next)| next < one)
            });
            if !comes_back {
                return true;
            }
        }
        false
    }

    /// Whether sizes of the launch may be there to keep threads from an access: `threadIdx.x < n`.
    fn keeps_threads(&self, condition: TermId, trial: &Trial) -> bool {
        let terms = &self.walked().terms;
        let symbols = terms.symbols_of(condition);
        let is_of_cta = |symbol: &SymbolId| {
            terms
                .symbol(*symbol)
                .is_some_and(|symbol| symbol.name.starts_with("blockIdx."))
        };
        terms.varies(condition)
            && symbols.iter().any(|symbol| trial.free.contains(symbol))
            && !symbols.iter().any(is_of_cta)
    }

    /// The offset of each thread at a place, and whether it comes there; nothing where one of the two is not known.
    pub(super) fn threads_at(
        &mut self,
        met: &Met,
        offset: TermId,
        fixed: &Pass,
        trial: &Trial,
    ) -> Vec<(Option<i64>, Option<bool>)> {
        let mut found = Vec::new();
        let open: Vec<bool> = met
            .guards
            .iter()
            .map(|guard| self.keeps_threads(guard.condition, trial))
            .collect();
        if let Some(lanes) = self.lanes_of(fixed) {
            let offsets = lanes.column(offset);
            let mut comes = vec![Some(true); lanes.threads()];
            for (guard, is_open) in met.guards.iter().zip(open) {
                let column = lanes.column(guard.condition);
                for (thread, comes) in comes.iter_mut().enumerate() {
                    *comes = match (column.at(thread), *comes) {
                        (_, Some(false)) | (Cell::Known(0), _) => Some(false),
                        (Cell::Known(_), comes) if !is_open => comes,
                        _ => None,
                    };
                }
            }
            found = comes
                .into_iter()
                .enumerate()
                .map(|(thread, comes)| match offsets.at(thread) {
                    Cell::Known(offset) => (Some(*offset), comes),
                    Cell::Open(_) | Cell::Unknown(_) => (None, comes),
                })
                .collect();
        }
        self.works(found.len() * (1 + met.guards.len()));
        found
    }

    /// The sizes that the conditions of an access ask for, as a line of text: `with K = 4096`.
    pub(super) fn sizes_of(&self, met: &Met, trial: &Trial) -> String {
        let terms = &self.walked().terms;
        let mut named: Vec<String> = Vec::new();
        for guard in &met.guards {
            for symbol in terms.symbols_of(guard.condition) {
                if let (Some(value), Some(known)) = (trial.fixed.get(&symbol), terms.symbol(symbol))
                    && !known.name.contains('.')
                {
                    let said = format!("{} = {value}", known.name);
                    if !named.contains(&said) {
                        named.push(said);
                    }
                }
            }
        }
        if named.is_empty() {
            String::new()
        } else {
            format!("\nwith {}", named.join(", "))
        }
    }

    /// A term as a person writes it.
    pub(super) fn said(&self, term: TermId) -> String {
        text::of(&self.walked().terms, term)
    }
}
