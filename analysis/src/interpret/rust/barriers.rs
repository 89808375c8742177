//! Barriers and copies of tensor maps as functions of `cuda_device`, each by the kind that it is.

use tree_sitter_cute::tree::Path;

use super::crates::Dependency;
use crate::interpret::Interpreter;
use crate::interpret::cuda_barriers::{Word, word};
use crate::interpret::frame::Frame;
use crate::interpret::names::Meaning;
use crate::trace::ActionKind;
use crate::value::Value;

/// The crate that has them.
const DEVICE: &str = "cuda_device";

/// All of them. The second argument of `mbarrier_arrive_expect_tx` says nothing to the hardware.
const WORDS: &[Word] = &[
    word(
        "mbarrier_init",
        2,
        ActionKind::InitBarrier,
        Some(0),
        Some(1),
    ),
    word("mbarrier_arrive", 1, ActionKind::Arrive, Some(0), None),
    word(
        "mbarrier_arrive_no_complete",
        1,
        ActionKind::Arrive,
        Some(0),
        None,
    ),
    word(
        "mbarrier_arrive_expect_tx",
        3,
        ActionKind::ArriveAndExpect,
        Some(0),
        Some(2),
    ),
    word("mbarrier_wait", 2, ActionKind::WaitBarrier, Some(0), None),
    word(
        "mbarrier_try_wait",
        2,
        ActionKind::WaitBarrier,
        Some(0),
        None,
    ),
    word(
        "mbarrier_test_wait",
        2,
        ActionKind::WaitBarrier,
        Some(0),
        None,
    ),
    word(
        "mbarrier_try_wait_parity",
        2,
        ActionKind::WaitBarrier,
        Some(0),
        Some(1),
    ),
    word(
        "cp_async_bulk_tensor_1d_g2s",
        4,
        ActionKind::BulkCopy,
        Some(3),
        None,
    ),
    word(
        "cp_async_bulk_tensor_2d_g2s",
        5,
        ActionKind::BulkCopy,
        Some(4),
        None,
    ),
    word(
        "cp_async_bulk_tensor_3d_g2s",
        6,
        ActionKind::BulkCopy,
        Some(5),
        None,
    ),
    word(
        "cp_async_bulk_tensor_4d_g2s",
        7,
        ActionKind::BulkCopy,
        Some(6),
        None,
    ),
    word(
        "cp_async_bulk_tensor_5d_g2s",
        8,
        ActionKind::BulkCopy,
        Some(7),
        None,
    ),
    word(
        "cp_async_bulk_tensor_1d_s2g",
        3,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word(
        "cp_async_bulk_tensor_2d_s2g",
        4,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word(
        "cp_async_bulk_tensor_3d_s2g",
        5,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word(
        "cp_async_bulk_tensor_4d_s2g",
        6,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word(
        "cp_async_bulk_tensor_5d_s2g",
        7,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word("sync_threads", 0, ActionKind::SyncThreads, None, None),
];

impl<'u> Interpreter<'u> {
    /// The function of the library that a path of this meaning is: one that it names, or one of a module that is opened.
    pub(in crate::interpret) fn word_of_device(
        &self,
        path: &Path,
        meaning: &Meaning<'u>,
        arguments: &[Value],
        frame: &Frame<'u>,
    ) -> Option<&'static Word> {
        let name = path.last()?.name.name.as_str();
        let mut words = WORDS.iter();
        let word = words.find(|word| word.name == name && word.arguments == arguments.len())?;
        let module = self.program.module(frame.owner.module)?;
        let is_library = |path: &[&str]| {
            let first = path.first();
            let found = first.and_then(|name| self.program.dependency(frame.owner.module, name));
            matches!(found, Some(Dependency::Library(library)) if library.crates.contains(&DEVICE))
        };
        let is_of_device = match meaning {
            Meaning::Library(name) => name.library.crates.contains(&DEVICE),
            _ => {
                path.segments.len() == 1
                    && !module.used_names.contains_key(name)
                    && module.opened.iter().any(|path| is_library(path))
            }
        };
        is_of_device.then_some(word)
    }
}
