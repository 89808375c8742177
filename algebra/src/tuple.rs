//! Hierarchical tuples (paper §2.1): a leaf, or a tuple of hierarchical tuples.
//!
//! A [`Tuple`] is flat in memory: its [`Profile`] says how the leaves are grouped, and the leaves are in one array. Up
//! to eight leaves need no allocation.

use crate::int::Int;
use crate::limits;
use crate::refusal::{Refusal, Rule};
use core::fmt;
use smallvec::SmallVec;

/// Marks a leaf among the ranks of a profile.
pub(crate) const LEAF: u16 = u16::MAX;

pub(crate) type Nodes = SmallVec<[u16; 12]>;
pub(crate) type Leaves<T> = SmallVec<[T; 8]>;

/// The grouping of the leaves of a tuple: the ranks of its groups in preorder.
///
/// Invariants: (1) the nodes are exactly one tree; (2) no rank is above [`limits::RANK`]; (3) the depth is at most
/// [`limits::DEPTH`]; (4) there are at most [`limits::NODES`] nodes. The builder checks 2 to 4.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    nodes: Nodes,
}

impl Profile {
    /// The profile of a single leaf.
    pub fn leaf() -> Self {
        Profile {
            nodes: smallvec::smallvec![LEAF],
        }
    }

    /// The profile `(*,*,...,*)` of `rank` leaves.
    pub fn flat(rank: usize) -> Result<Self, Refusal> {
        let rank = checked_rank(rank)?;
        let mut nodes = Nodes::with_capacity(usize::from(rank) + 1);
        nodes.push(rank);
        nodes.resize(usize::from(rank) + 1, LEAF);
        Ok(Profile { nodes })
    }

    pub(crate) fn from_nodes(nodes: Nodes) -> Result<Self, Refusal> {
        check_limits(&nodes)?;
        Ok(Profile { nodes })
    }

    pub(crate) fn nodes(&self) -> &[u16] {
        &self.nodes
    }

    /// Whether it is a single leaf.
    pub fn is_leaf(&self) -> bool {
        self.nodes.first() == Some(&LEAF)
    }

    /// The number of modes; 1 for a leaf.
    pub fn rank(&self) -> usize {
        rank_of(&self.nodes)
    }

    /// The deepest nesting; 0 for a leaf.
    pub fn depth(&self) -> usize {
        depth_of(&self.nodes)
    }

    /// The number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.nodes.iter().filter(|n| **n == LEAF).count()
    }
}

pub(crate) fn checked_rank(rank: usize) -> Result<u16, Refusal> {
    match u16::try_from(rank) {
        Ok(r) if rank <= limits::RANK => Ok(r),
        _ => Err(Refusal::limit("rank", limits::RANK).with("rank", rank)),
    }
}

/// Checks the depth and the node count of a tree, for which a small tree needs no work.
fn check_limits(nodes: &[u16]) -> Result<(), Refusal> {
    if nodes.len() > limits::NODES {
        return Err(Refusal::limit("tuple nodes", limits::NODES));
    }
    if nodes.len() > limits::DEPTH && depth_of(nodes) > limits::DEPTH {
        return Err(Refusal::limit("depth", limits::DEPTH));
    }
    Ok(())
}

pub(crate) fn rank_of(nodes: &[u16]) -> usize {
    match nodes.first() {
        Some(&LEAF) | None => 1,
        Some(&rank) => usize::from(rank),
    }
}

pub(crate) fn depth_of(nodes: &[u16]) -> usize {
    let mut open: Vec<u16> = Vec::new();
    let mut deepest = 0;
    for &node in nodes {
        if node != LEAF {
            deepest = deepest.max(open.len() + 1);
        }
        close_finished(&mut open, node);
    }
    deepest
}

/// Enters `node` into the stack of groups that still miss members.
fn close_finished(open: &mut Vec<u16>, node: u16) {
    if node != LEAF && node > 0 {
        open.push(node);
        return;
    }
    while let Some(missing) = open.last_mut() {
        *missing -= 1;
        if *missing > 0 {
            break;
        }
        open.pop();
    }
}

/// The number of nodes and of leaves of the first tree in `nodes`.
pub(crate) fn first_tree(nodes: &[u16]) -> (usize, usize) {
    let (mut missing, mut count, mut leaves) = (1_usize, 0, 0);
    for &node in nodes {
        count += 1;
        missing -= 1;
        if node == LEAF {
            leaves += 1;
        } else {
            missing += usize::from(node);
        }
        if missing == 0 {
            break;
        }
    }
    (count, leaves)
}

/// An owned hierarchical tuple.
///
/// ```
/// use cute_algebra::Shape;
/// let shape: Shape = "((_2,_2),M)".parse()?;
/// assert_eq!((shape.rank(), shape.depth()), (2, 2));
/// assert_eq!(shape.size()?.to_string(), "4*M");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tuple<T> {
    pub(crate) profile: Profile,
    pub(crate) leaves: Leaves<T>,
}

/// A hierarchical tuple of integers: a shape, a coordinate without `_`, an offset of any integer codomain.
pub type IntTuple = Tuple<Int>;
/// The extents of a layout (paper §2.2).
pub type Shape = Tuple<Int>;

/// A borrowed hierarchical tuple: a mode of a larger one, without a copy.
#[derive(Debug)]
pub struct TupleView<'a, T> {
    pub(crate) nodes: &'a [u16],
    pub(crate) leaves: &'a [T],
}

impl<T> Clone for TupleView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TupleView<'_, T> {}

impl<'a, T> TupleView<'a, T> {
    /// The leaf, when it is one.
    pub fn as_leaf(self) -> Option<&'a T> {
        if self.is_leaf() {
            self.leaves.first()
        } else {
            None
        }
    }

    /// Whether it is a leaf.
    pub fn is_leaf(self) -> bool {
        self.nodes.first() == Some(&LEAF)
    }

    /// The number of modes; 1 for a leaf.
    pub fn rank(self) -> usize {
        rank_of(self.nodes)
    }

    /// The deepest nesting; 0 for a leaf.
    pub fn depth(self) -> usize {
        depth_of(self.nodes)
    }

    /// All leaves from left to right.
    pub fn leaves(self) -> &'a [T] {
        self.leaves
    }

    /// The modes from left to right; a leaf is its only mode.
    pub fn modes(self) -> Modes<'a, T> {
        let nodes = if self.is_leaf() {
            self.nodes
        } else {
            self.nodes.get(1..).unwrap_or_default()
        };
        Modes {
            nodes,
            leaves: self.leaves,
        }
    }

    /// Mode `index`; a leaf is its own mode 0.
    pub fn get(self, index: usize) -> Option<TupleView<'a, T>> {
        self.modes().nth(index)
    }

    /// The mode at `path`, outermost index first.
    pub fn get_path(self, path: &[usize]) -> Option<TupleView<'a, T>> {
        path.iter().try_fold(self, |tuple, &index| tuple.get(index))
    }

    /// Whether both have the same profile (paper §2.2, congruence).
    pub fn is_congruent<U>(self, other: TupleView<'_, U>) -> bool {
        self.nodes == other.nodes
    }

    /// Whether every profile node of `self` is refined by `other` (paper §2.2, weak congruence `self <= other`).
    pub fn is_weakly_congruent<U>(self, other: TupleView<'_, U>) -> bool {
        if self.is_leaf() {
            return true;
        }
        !other.is_leaf()
            && self.rank() == other.rank()
            && self
                .modes()
                .zip(other.modes())
                .all(|(a, b)| a.is_weakly_congruent(b))
    }
}

impl<T: Clone> TupleView<'_, T> {
    /// An owned copy.
    pub fn to_tuple(self) -> Tuple<T> {
        Tuple {
            profile: Profile {
                nodes: self.nodes.into(),
            },
            leaves: self.leaves.iter().cloned().collect(),
        }
    }
}

/// The modes of a tuple, from left to right.
#[derive(Clone, Debug)]
pub struct Modes<'a, T> {
    nodes: &'a [u16],
    leaves: &'a [T],
}

impl<'a, T> Iterator for Modes<'a, T> {
    type Item = TupleView<'a, T>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.nodes.is_empty() {
            return None;
        }
        let (nodes, leaves) = first_tree(self.nodes);
        let (own_nodes, other_nodes) = self.nodes.split_at_checked(nodes)?;
        let (own_leaves, other_leaves) = self.leaves.split_at_checked(leaves)?;
        self.nodes = other_nodes;
        self.leaves = other_leaves;
        Some(TupleView {
            nodes: own_nodes,
            leaves: own_leaves,
        })
    }
}

impl<T> Tuple<T> {
    /// A single leaf.
    pub fn leaf(leaf: T) -> Self {
        Tuple {
            profile: Profile::leaf(),
            leaves: smallvec::smallvec![leaf],
        }
    }

    /// The flat tuple `(a,b,...)` of these leaves; rank 1 for a single one.
    pub fn flat(leaves: impl IntoIterator<Item = T>) -> Result<Self, Refusal> {
        let leaves: Leaves<T> = leaves.into_iter().collect();
        Ok(Tuple {
            profile: Profile::flat(leaves.len())?,
            leaves,
        })
    }

    /// The leaves under this profile.
    pub fn new(profile: Profile, leaves: impl IntoIterator<Item = T>) -> Result<Self, Refusal> {
        let leaves: Leaves<T> = leaves.into_iter().collect();
        if profile.leaf_count() != leaves.len() {
            return Err(
                Refusal::uncompilable(Rule::NotCongruent, "profile and leaves differ")
                    .with("profile_leaves", profile.leaf_count())
                    .with("leaves", leaves.len()),
            );
        }
        Ok(Tuple { profile, leaves })
    }

    /// The tuple of these tuples.
    pub fn group(modes: impl IntoIterator<Item = Tuple<T>>) -> Result<Self, Refusal> {
        let mut nodes: Nodes = smallvec::smallvec![0];
        let mut leaves = Leaves::new();
        let mut rank = 0;
        for mode in modes {
            nodes.extend_from_slice(&mode.profile.nodes);
            leaves.extend(mode.leaves);
            rank += 1;
        }
        let rank = checked_rank(rank)?;
        if let Some(first) = nodes.first_mut() {
            *first = rank;
        }
        Ok(Tuple {
            profile: Profile::from_nodes(nodes)?,
            leaves,
        })
    }

    /// A borrowed view of the whole.
    pub fn view(&self) -> TupleView<'_, T> {
        TupleView {
            nodes: &self.profile.nodes,
            leaves: &self.leaves,
        }
    }

    /// The grouping of the leaves.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// All leaves from left to right.
    pub fn leaves(&self) -> &[T] {
        &self.leaves
    }

    /// The leaf, when it is one.
    pub fn as_leaf(&self) -> Option<&T> {
        self.view().as_leaf()
    }

    /// Whether it is a leaf.
    pub fn is_leaf(&self) -> bool {
        self.profile.is_leaf()
    }

    /// The number of modes; 1 for a leaf.
    pub fn rank(&self) -> usize {
        self.profile.rank()
    }

    /// The deepest nesting; 0 for a leaf.
    pub fn depth(&self) -> usize {
        self.profile.depth()
    }

    /// The modes from left to right; a leaf is its only mode.
    pub fn modes(&self) -> Modes<'_, T> {
        self.view().modes()
    }

    /// Mode `index`; a leaf is its own mode 0.
    pub fn get(&self, index: usize) -> Option<TupleView<'_, T>> {
        self.view().get(index)
    }

    /// The mode at `path`, outermost index first.
    pub fn get_path(&self, path: &[usize]) -> Option<TupleView<'_, T>> {
        self.view().get_path(path)
    }

    /// The same profile over other leaves.
    pub fn map<U>(&self, f: impl FnMut(&T) -> U) -> Tuple<U> {
        Tuple {
            profile: self.profile.clone(),
            leaves: self.leaves.iter().map(f).collect(),
        }
    }

    /// The same profile over other leaves, when each can be made.
    pub fn try_map<U, E>(&self, f: impl FnMut(&T) -> Result<U, E>) -> Result<Tuple<U>, E> {
        Ok(Tuple {
            profile: self.profile.clone(),
            leaves: self.leaves.iter().map(f).collect::<Result<_, E>>()?,
        })
    }

    /// Whether both have the same profile.
    pub fn is_congruent<U>(&self, other: &Tuple<U>) -> bool {
        self.profile == other.profile
    }
}

impl<T: Clone> Tuple<T> {
    /// Depth at most 1: all leaves in one tuple; a leaf stays a leaf.
    pub fn flatten(&self) -> Result<Self, Refusal> {
        if self.is_leaf() {
            return Ok(self.clone());
        }
        Ok(Tuple {
            profile: Profile::flat(self.leaves.len())?,
            leaves: self.leaves.clone(),
        })
    }

    /// Rank-1 tuples unwrapped until a leaf or a tuple of another rank is left.
    #[must_use]
    pub fn unwrap_single(&self) -> Self {
        let mut view = self.view();
        while !view.is_leaf() && view.rank() == 1 {
            match view.get(0) {
                Some(inner) => view = inner,
                None => break,
            }
        }
        view.to_tuple()
    }
}

impl TupleView<'_, Int> {
    /// The product of all leaves, multiplied from left to right.
    pub fn size(self) -> Result<Int, Refusal> {
        product(self.leaves)
    }

    /// Whether every leaf is static.
    pub fn is_static(self) -> bool {
        self.leaves.iter().all(Int::is_static)
    }
}

impl IntTuple {
    /// The product of all leaves; 1 for `()`.
    pub fn size(&self) -> Result<Int, Refusal> {
        product(&self.leaves)
    }

    /// Whether every leaf is static.
    pub fn is_static(&self) -> bool {
        self.leaves.iter().all(Int::is_static)
    }

    /// The known numbers under the same profile: equal for `(_2,3)` and `(2,_3)`.
    #[must_use]
    pub fn to_fixed(&self) -> Self {
        self.map(Int::to_fixed)
    }
}

/// The product of integers, multiplied from left to right.
pub(crate) fn product(leaves: &[Int]) -> Result<Int, Refusal> {
    let mut leaves = leaves.iter();
    let Some(first) = leaves.next() else {
        return Ok(Int::ONE);
    };
    leaves.try_fold(first.clone(), |product, leaf| product.mul(leaf))
}

impl<T> From<T> for Tuple<T> {
    fn from(leaf: T) -> Self {
        Tuple::leaf(leaf)
    }
}

impl<T: fmt::Display> fmt::Display for TupleView<'_, T> {
    /// As CuTe prints it: `((_2,_2),4)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut leaves = self.leaves.iter();
        let mut open: Vec<u16> = Vec::new();
        for &node in self.nodes {
            if node == LEAF {
                if let Some(leaf) = leaves.next() {
                    leaf.fmt(f)?;
                }
            } else {
                f.write_str("(")?;
                if node > 0 {
                    open.push(node);
                    continue;
                }
                f.write_str(")")?;
            }
            while let Some(missing) = open.last_mut() {
                *missing -= 1;
                if *missing > 0 {
                    f.write_str(",")?;
                    break;
                }
                f.write_str(")")?;
                open.pop();
            }
        }
        Ok(())
    }
}

impl<T: fmt::Display> fmt::Display for Tuple<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

/// Builds a tuple node by node, in preorder.
#[derive(Debug)]
pub(crate) struct TupleBuilder<T> {
    nodes: Nodes,
    leaves: Leaves<T>,
    too_wide: bool,
}

impl<T> TupleBuilder<T> {
    pub(crate) fn new() -> Self {
        TupleBuilder {
            nodes: Nodes::new(),
            leaves: Leaves::new(),
            too_wide: false,
        }
    }

    /// Opens a group; the mark goes to [`TupleBuilder::close`].
    pub(crate) fn open(&mut self) -> usize {
        self.nodes.push(0);
        self.nodes.len() - 1
    }

    pub(crate) fn close(&mut self, mark: usize, rank: usize) {
        match (checked_rank(rank), self.nodes.get_mut(mark)) {
            (Ok(rank), Some(node)) => *node = rank,
            _ => self.too_wide = true,
        }
    }

    pub(crate) fn leaf(&mut self, leaf: T) {
        self.nodes.push(LEAF);
        self.leaves.push(leaf);
    }

    pub(crate) fn finish(self) -> Result<Tuple<T>, Refusal> {
        if self.too_wide {
            return Err(Refusal::limit("rank", limits::RANK));
        }
        Ok(Tuple {
            profile: Profile::from_nodes(self.nodes)?,
            leaves: self.leaves,
        })
    }

    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Takes back a group of exactly one leaf that was just closed: it was a parenthesis around a number.
    pub(crate) fn ungroup_single(&mut self, mark: usize) -> Option<T> {
        if self.nodes.len() == mark + 2 && self.nodes.last() == Some(&LEAF) {
            self.nodes.truncate(mark);
            self.leaves.pop()
        } else {
            None
        }
    }
}
