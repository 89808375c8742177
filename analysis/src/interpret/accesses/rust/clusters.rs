//! Clusters in Rust, `cuda_device::cluster`: the place of a block in its cluster, and the shared memory of the other blocks.

use std::sync::Arc;

use tree_sitter_cute::tree::Expr;

use super::super::Walker;
use super::super::held::{Held, Pointer};
use crate::access::Memory;

/// Functions that give a special register of the cluster, with its least value.
const REGISTERS: &[(&str, &str, i64)] = &[
    ("block_rank", "cluster_ctarank", 0),
    ("cluster_ctaidX", "cluster_ctaid.x", 0),
    ("cluster_ctaidY", "cluster_ctaid.y", 0),
    ("cluster_ctaidZ", "cluster_ctaid.z", 0),
    ("cluster_nctaidX", "cluster_nctaid.x", 1),
    ("cluster_nctaidY", "cluster_nctaid.y", 1),
    ("cluster_nctaidZ", "cluster_nctaid.z", 1),
    ("cluster_size", "cluster_nctarank", 1),
];

impl<'u> Walker<'_, 'u> {
    /// A number about the cluster of a block, the same for all of its threads.
    pub(super) fn number_of_cluster(&mut self, function: &str) -> Option<Held<'u>> {
        let number = match function {
            "cluster_idx" => self.of_grid("cluster_rank", 0),
            "num_clusters" => self.of_grid("num_clusters", 1),
            _ => {
                let mut registers = REGISTERS.iter();
                let (_, register, least) = registers.find(|(known, ..)| *known == function)?;
                self.of_cluster(register, *least)
            }
        };
        Some(Held::Int(number))
    }

    /// `map_shared_rank(pointer, rank)`, the same place in the shared memory of another block, and `dsmem_read_u32`, the
    /// number there. What other blocks store and load is not followed.
    pub(super) fn of_other_block(
        &mut self,
        function: &str,
        expr: &'u Expr,
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        let is_read = function == "dsmem_read_u32";
        let [pointer, rank] = args else { return None };
        if !is_read && !["map_shared_rank", "map_shared_rank_mut"].contains(&function) {
            return None;
        }
        let held = self.value(pointer);
        self.value(rank);
        if !is_read {
            self.forget_passed(args);
            self.unseen();
        }
        let there = match held {
            Held::Pointer(own) => self.at_block(own, rank),
            other => return Some(other),
        };
        Some(if is_read {
            self.load(expr.span, Ok(there))
        } else {
            Held::Pointer(there)
        })
    }

    fn at_block(&mut self, own: Pointer, rank: &'u Expr) -> Pointer {
        let rank = self.text(rank.span);
        let memory = own.memory.map(|memory| {
            Arc::new(Memory {
                name: format!("{} of block {rank}", memory.name).into(),
                declared: None,
                ..Memory::clone(&memory)
            })
        });
        Pointer { memory, ..own }
    }
}
