//! Objects in memory: sizes, alignments and offsets in bytes, as host compilers for Linux lay them out (Itanium C++ ABI
//! §2.4; x86-64 and `AArch64` agree on all of this).
//!
//! Only classes without virtual bases.

mod library;
mod record;

use std::sync::Arc;

use crate::reason::Reason;

pub(crate) use library::{
    Argument, BARRIER_OF_CUDA, has_nested, holds_no_argument, is_class, is_container,
    is_plain_class, layout_of,
};
pub(crate) use record::RecordBuilder;

/// Empty subobjects of which an array keeps track; more than one matters only where an object of
/// the same empty class follows directly.
const TRACKED_ELEMENTS: u64 = 64;

/// The layout of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Each is a separate property, as the type traits of C++ are.
pub(crate) struct ObjectLayout {
    /// `sizeof`, in bytes.
    pub(crate) size: u64,
    /// `alignof`, in bytes; a power of two.
    pub(crate) align: u64,
    /// Bytes up to the end of the last member: the bytes that a derived class may not use again.
    pub(crate) data_size: u64,
    /// Whether no byte of it holds data (`std::is_empty`).
    pub(crate) is_empty: bool,
    /// Whether it is laid out as plain data of C: then nothing is put into its tail.
    pub(crate) is_plain: bool,
    /// Whether its tail is used again by some compilers or standards and not by others.
    pub(crate) is_tail_open: bool,
    /// Whether it has virtual functions, and so a pointer to their table at its start.
    pub(crate) is_dynamic: bool,
    /// Places and classes of its empty subobjects: two of one class have two addresses.
    pub(crate) empties: Vec<(u64, Arc<str>)>,
    /// The members that a name reaches, those of unnamed unions and structs included.
    pub(crate) members: Vec<MemberPlace>,
    /// Whether it is a barrier of shared memory, or an array of them.
    pub(crate) is_barrier: bool,
}

/// The place of a member of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MemberPlace {
    /// Its name.
    pub(crate) name: Arc<str>,
    /// Bytes from the start of the object; of a bit field those before its first bit.
    pub(crate) offset: u64,
    /// Its bytes.
    pub(crate) size: u64,
    /// Its own members, with offsets from its start.
    pub(crate) parts: Vec<MemberPlace>,
    /// Whether it is a barrier of shared memory, or an array of them.
    pub(crate) is_barrier: bool,
}

impl ObjectLayout {
    /// A type without structure.
    pub(crate) fn plain(size: u64, align: u64) -> Self {
        Self {
            size,
            align,
            data_size: size,
            is_empty: false,
            is_plain: true,
            is_tail_open: false,
            is_dynamic: false,
            empties: Vec::new(),
            members: Vec::new(),
            is_barrier: false,
        }
    }

    /// A class without data.
    pub(crate) fn empty(class: &str) -> Self {
        RecordBuilder::structure().finish(class, 1)
    }

    /// Bytes before a member.
    ///
    /// # Errors
    /// It has no member of this name.
    pub(crate) fn offset_of(&self, member: &str) -> Result<u64, Reason> {
        self.members
            .iter()
            .find(|place| &*place.name == member)
            .map(|place| place.offset)
            .ok_or_else(|| Reason::NoMember(member.into(), "the type".into()))
    }

    /// An array of `count` objects; `None` when its size has no 63 bits.
    pub(crate) fn array(&self, count: u64) -> Option<Self> {
        let size = self.size.checked_mul(count)?;
        if size > i64::MAX as u64 {
            return None;
        }
        let empties = (0..count.min(TRACKED_ELEMENTS))
            .flat_map(|index| {
                self.empties
                    .iter()
                    .map(move |(offset, class)| (index * self.size + offset, Arc::clone(class)))
            })
            .collect();
        Some(Self {
            size,
            align: self.align,
            data_size: size,
            is_empty: false,
            is_plain: self.is_plain,
            is_tail_open: false,
            is_dynamic: false,
            empties,
            members: Vec::new(),
            is_barrier: self.is_barrier,
        })
    }
}

/// The next multiple of a power of two.
fn align_up(value: u64, align: u64) -> u64 {
    value.next_multiple_of(align.max(1))
}
