//! Cooperative groups: the ranks of threads, and where they wait for each other (CUDA C++ programming guide,
//! "Cooperative Groups").

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, Path, Segment, Span};

use super::held::{Group, Held, Local, Parts, Ty};
use super::{AXES, Walker};
use crate::access::alike::WARP;
use crate::access::terms::{IntKind, Operator, SymbolKind, TermId};

/// Methods of a tile that exchange values of its threads: nothing of memory depends on them.
const EXCHANGES: &[&str] = &[
    "all",
    "any",
    "ballot",
    "match_all",
    "match_any",
    "shfl",
    "shfl_down",
    "shfl_up",
    "shfl_xor",
];

impl<'u> Walker<'_, 'u> {
    /// A function that gives a group, or orders one.
    pub(super) fn group(&mut self, path: &'u Path, args: &'u [Expr]) -> Option<Held<'u>> {
        let segment = path.last()?;
        match (segment.name.name.as_str(), args) {
            ("this_thread_block", []) => Some(Held::Group(Group::Block)),
            ("this_grid", []) => Some(Held::Group(Group::Grid)),
            ("this_cluster", []) => Some(Held::Group(Group::Cluster)),
            ("tiled_partition", [parent]) => match self.value(parent) {
                Held::Group(parent) => self.tile_of(parent, segment),
                _ => None,
            },
            ("sync", [group]) => {
                let Held::Group(group) = self.value(group) else {
                    return None;
                };
                self.ordered(group, segment.name.span);
                Some(Held::Other("nothing".into(), None))
            }
            _ => None,
        }
    }

    /// `tiled_partition<32>(group)`, and `group.tiled_partition::<32>()` of Rust.
    pub(super) fn tile_of(&mut self, parent: Group, segment: &'u Segment) -> Option<Held<'u>> {
        let given = self.it.template_arguments(Some(segment), &mut self.frame);
        let threads = given.first()?.as_int()?.value()?;
        let is_of_block = matches!(parent, Group::Block | Group::Tile(_));
        (is_of_block && threads > 0 && threads & (threads - 1) == 0)
            .then_some(Held::Group(Group::Tile(threads)))
    }

    /// A method of a group.
    pub(super) fn of_group(
        &mut self,
        expr: &'u Expr,
        group: Group,
        method: &str,
        args: &'u [Expr],
    ) -> Held<'u> {
        let number = match (group, method, args) {
            (_, "sync", []) => {
                self.ordered(group, expr.span);
                return Held::Other("nothing".into(), None);
            }
            (Group::Tile(_), method, _) if EXCHANGES.contains(&method) => {
                self.values(args);
                return Held::Other(
                    format!("`{method}` gives each thread another value").into(),
                    None,
                );
            }
            (Group::Block, "thread_index", []) => return self.all_axes("threadIdx", expr),
            (Group::Block, "group_index", []) | (Group::Grid, "block_index", []) => {
                return self.all_axes("blockIdx", expr);
            }
            (Group::Block, "group_dim" | "dim_threads", []) => {
                return self.all_axes("blockDim", expr);
            }
            (Group::Grid, "group_dim" | "dim_blocks", []) => return self.all_axes("gridDim", expr),
            (Group::Block, "thread_rank", []) => self.rank("threadIdx", "blockDim", expr),
            (Group::Block, "size" | "num_threads", []) => self.product("blockDim", expr),
            (Group::Grid, "thread_rank", []) => self.rank_in_grid(expr),
            (Group::Grid, "block_rank", []) => self.rank("blockIdx", "gridDim", expr),
            (Group::Grid, "num_clusters", []) => Some(self.of_grid("num_clusters", 1)),
            (Group::Grid, "cluster_rank", []) => Some(self.of_grid("cluster_rank", 0)),
            (Group::Grid, "num_blocks", []) => self.product("gridDim", expr),
            (Group::Grid, "size" | "num_threads", []) => {
                let blocks = self.product("gridDim", expr);
                let threads = self.product("blockDim", expr);
                self.both(Operator::Mul, blocks, threads)
            }
            (Group::Cluster, "block_rank", []) => Some(self.of_cluster("cluster_ctarank", 0)),
            (Group::Cluster, "num_blocks", []) => Some(self.of_cluster("cluster_nctarank", 1)),
            (Group::Cluster, "thread_rank", []) => {
                let block = self.of_cluster("cluster_ctarank", 0);
                let threads = self.product("blockDim", expr);
                let before = self.both(Operator::Mul, Some(block), threads);
                let own = self.rank("threadIdx", "blockDim", expr);
                self.both(Operator::Add, before, own)
            }
            (Group::Cluster, "size" | "num_threads", []) => {
                let blocks = self.of_cluster("cluster_nctarank", 1);
                let threads = self.product("blockDim", expr);
                self.both(Operator::Mul, Some(blocks), threads)
            }
            (Group::Tile(threads), "thread_rank", []) => {
                let rank = self.rank("threadIdx", "blockDim", expr);
                self.by(Operator::Rem, rank, threads)
            }
            (Group::Tile(threads), "meta_group_rank", []) => {
                let rank = self.rank("threadIdx", "blockDim", expr);
                self.by(Operator::Div, rank, threads)
            }
            (Group::Tile(threads), "meta_group_size", []) => {
                let all = self.product("blockDim", expr);
                self.by(Operator::Div, all, threads)
            }
            (Group::Tile(threads), "size" | "num_threads", []) => {
                Some(self.terms().number(threads, IntKind::UNSIGNED))
            }
            _ => None,
        };
        if let Some(number) = number {
            return Held::Int(number);
        }
        self.values(args);
        self.forget_passed(args);
        self.unseen();
        let why: Arc<str> = format!("`{}` is not followed", self.text(expr.span)).into();
        Held::Other(why, None)
    }

    /// Threads of a group wait for each other.
    fn ordered(&mut self, group: Group, span: Span) {
        match group {
            Group::Block => self.barrier(span),
            Group::Tile(threads) if threads <= WARP => {}
            Group::Tile(_) | Group::Cluster | Group::Grid => self.fence(),
        }
    }

    /// A special register about the cluster, the same for all threads of a block (PTX ISA, "Special Registers").
    pub(super) fn of_cluster(&mut self, register: &str, least: i64) -> TermId {
        let name = format!("%{register}");
        let kind = IntKind::UNSIGNED;
        self.terms().shared(&name, SymbolKind::Uniform, kind, least)
    }

    /// A number about the clusters of the grid, the same for all threads of a block.
    pub(super) fn of_grid(&mut self, method: &str, least: i64) -> TermId {
        let name = format!("grid.{method}()");
        let kind = IntKind::UNSIGNED;
        self.terms().shared(&name, SymbolKind::Uniform, kind, least)
    }

    fn axis(&mut self, name: &str, axis: usize, expr: &'u Expr) -> Option<TermId> {
        match self.builtin(name, axis, expr) {
            Some(Held::Int(term)) => Some(term),
            _ => None,
        }
    }

    fn all_axes(&mut self, name: &str, expr: &'u Expr) -> Held<'u> {
        let parts = AXES.iter().enumerate().filter_map(|(axis, own)| {
            let held = self.builtin(name, axis, expr)?;
            Some((*own, Local::own(held, Ty::Int(IntKind::UNSIGNED))))
        });
        Held::Parts(Parts {
            ty: None,
            members: parts.collect(),
        })
    }

    /// The index along x first, of one direction after the other. A block in one direction has one thread in the others.
    pub(super) fn rank(&mut self, index: &str, extent: &str, expr: &'u Expr) -> Option<TermId> {
        self.of_all_axes(|it| {
            let mut rank = it.axis(index, 2, expr);
            for axis in [1, 0] {
                let extent = it.axis(extent, axis, expr);
                let own = it.axis(index, axis, expr);
                let scaled = it.both(Operator::Mul, rank, extent);
                rank = it.both(Operator::Add, scaled, own);
            }
            rank
        })
    }

    /// A number that is made of all axes says nothing about the directions of a block.
    fn of_all_axes<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let axes = self.out.axes;
        let made = make(self);
        self.out.axes = axes;
        made
    }

    /// The product of all axes: threads of a block, blocks of a grid.
    pub(super) fn product(&mut self, extent: &str, expr: &'u Expr) -> Option<TermId> {
        let axis = |it: &mut Self, axis| it.axis(extent, axis, expr);
        let [x, y, z] = self.of_all_axes(|it| [0, 1, 2].map(|at| axis(it, at)));
        let plane = self.both(Operator::Mul, x, y);
        self.both(Operator::Mul, plane, z)
    }

    /// `unsigned long long`, as the class of grids has it.
    pub(super) fn rank_in_grid(&mut self, expr: &'u Expr) -> Option<TermId> {
        let block = self.rank("blockIdx", "gridDim", expr)?;
        let threads = self.product("blockDim", expr)?;
        let own = self.rank("threadIdx", "blockDim", expr)?;
        let terms = self.terms();
        let block = terms.convert(block, IntKind::UNSIGNED_LONG);
        let before = terms.binary(Operator::Mul, block, threads);
        Some(terms.binary(Operator::Add, before, own))
    }

    fn both(
        &mut self,
        operator: Operator,
        one: Option<TermId>,
        other: Option<TermId>,
    ) -> Option<TermId> {
        Some(self.terms().binary(operator, one?, other?))
    }

    fn by(&mut self, operator: Operator, term: Option<TermId>, number: i64) -> Option<TermId> {
        let number = self.terms().number(number, IntKind::UNSIGNED);
        self.both(operator, term, Some(number))
    }
}
