//! The members of a class put one behind the other (Itanium C++ ABI §2.4, steps I to III).

use std::sync::Arc;

use super::{MemberPlace, ObjectLayout, align_up};

/// A class under construction: bases first, then members in order.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // Each is a separate property, as the type traits of C++ are.
pub(crate) struct RecordBuilder {
    is_union: bool,
    /// Bits up to the end of the last member.
    data_bits: u64,
    /// Bytes that bases and members reach, empty ones included.
    size: u64,
    align: u64,
    has_data: bool,
    /// Whether a base may not lend its tail to the next member: it is plain data of C.
    is_plain: bool,
    /// Whether compilers differ about that.
    is_tail_open: bool,
    is_dynamic: bool,
    /// Whether the tail of a base was met of which compilers differ.
    is_doubtful: bool,
    empties: Vec<(u64, Arc<str>)>,
    members: Vec<MemberPlace>,
}

impl RecordBuilder {
    /// A struct or class.
    pub(crate) fn structure() -> Self {
        Self {
            is_union: false,
            data_bits: 0,
            size: 0,
            align: 1,
            has_data: false,
            is_plain: true,
            is_tail_open: false,
            is_dynamic: false,
            is_doubtful: false,
            empties: Vec::new(),
            members: Vec::new(),
        }
    }

    /// A union: every member starts at 0.
    pub(crate) fn union() -> Self {
        Self {
            is_union: true,
            ..Self::structure()
        }
    }

    /// Says that the class is not plain data: it has a constructor, a base, or private members.
    pub(crate) fn not_plain(&mut self) {
        self.is_plain = false;
    }

    /// Says that compilers differ about whether it is plain data.
    pub(crate) fn maybe_not_plain(&mut self) {
        self.is_tail_open = true;
    }

    /// Whether the objects placed so far are elsewhere with another compiler.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    /// Says that the class has virtual functions. The first placed object is behind the pointer to their table, unless
    /// it is a base that has one.
    pub(crate) fn dynamic(&mut self, pointer: Option<&ObjectLayout>) {
        self.is_plain = false;
        self.is_dynamic = true;
        if let Some(pointer) = pointer {
            self.align = self.align.max(pointer.align);
            self.has_data = true;
            self.take_bytes(0, pointer.size);
        }
    }

    /// Places a base class.
    pub(crate) fn base(&mut self, base: &ObjectLayout) {
        let offset = self.overlapping(base, 1);
        self.keep_members(base, offset);
    }

    /// Places a `[[no_unique_address]]` member.
    pub(crate) fn overlapping_member(
        &mut self,
        name: Option<&str>,
        member: &ObjectLayout,
        align: u64,
    ) {
        let offset = self.overlapping(member, align);
        self.members.extend(name.map(|name| MemberPlace {
            name: name.into(),
            offset,
            size: member.size,
            parts: member.members.clone(),
            is_barrier: member.is_barrier,
        }));
    }

    /// Places an object that may share its bytes with the next one, and returns its offset.
    fn overlapping(&mut self, base: &ObjectLayout, align: u64) -> u64 {
        self.is_plain = false;
        let align = align.max(base.align);
        self.is_doubtful |= base.is_tail_open;
        self.align = self.align.max(align);
        if base.is_empty {
            let offset = if self.conflicts(base, 0) {
                self.free_place(base, align)
            } else {
                0
            };
            self.keep_empties(base, offset);
            self.size = self.size.max(offset.saturating_add(base.size));
            return offset;
        }
        let offset = self.free_place(base, align);
        self.keep_empties(base, offset);
        self.has_data = true;
        self.take_bytes(offset, base.data_size);
        offset
    }

    /// Places a member, named or not; `align` is the alignment of `alignas`, 1 when nothing.
    pub(crate) fn member(&mut self, name: Option<&str>, member: &ObjectLayout, align: u64) {
        let align = align.max(member.align);
        self.is_plain &= member.is_plain;
        self.is_tail_open |= member.is_tail_open;
        self.align = self.align.max(align);
        let offset = self.free_place(member, align);
        self.keep_empties(member, offset);
        self.has_data = true;
        self.take_bytes(offset, member.size);
        match name {
            Some(name) => self.members.push(MemberPlace {
                name: name.into(),
                offset,
                size: member.size,
                parts: member.members.clone(),
                is_barrier: member.is_barrier,
            }),
            None => self.keep_members(member, offset),
        }
    }

    /// Places a bit field of `width` bits in units of its declared type.
    pub(crate) fn bit_field(&mut self, name: Option<&str>, unit: &ObjectLayout, width: u64) {
        let unit_bits = unit.size.saturating_mul(8).max(8);
        let mut start = if self.is_union { 0 } else { self.data_bits };
        if width == 0 {
            self.data_bits = align_up(start, unit_bits);
            self.size = self.size.max(self.data_bits / 8);
            return;
        }
        let kept = width.min(unit_bits);
        if start / unit_bits != (start + kept - 1) / unit_bits {
            start = align_up(start, unit_bits);
        }
        self.has_data = true;
        if let Some(name) = name {
            self.align = self.align.max(unit.align);
            self.members.push(MemberPlace {
                name: name.into(),
                offset: start / 8,
                size: width.div_ceil(8),
                parts: Vec::new(),
                is_barrier: false,
            });
        }
        // A width beyond the unit's is padding.
        let end = start.saturating_add(width);
        self.data_bits = self.data_bits.max(end);
        self.size = self.size.max(end.div_ceil(8));
    }

    /// The whole class; `class` tells it from other classes, `align` is the alignment of `alignas`.
    pub(crate) fn finish(mut self, class: &str, align: u64) -> ObjectLayout {
        let align = self.align.max(align);
        let size = align_up(self.size.max(1), align);
        let is_empty = !self.has_data;
        if is_empty {
            self.empties.push((0, class.into()));
        }
        ObjectLayout {
            size,
            align,
            data_size: if self.is_plain || self.is_union {
                size
            } else {
                self.size
            },
            is_empty,
            is_plain: self.is_plain,
            is_tail_open: self.is_plain && self.is_tail_open && self.size != size,
            is_dynamic: self.is_dynamic,
            empties: self.empties,
            members: self.members,
            is_barrier: false,
        }
    }

    /// The first aligned place behind the data where no empty class meets itself.
    fn free_place(&self, part: &ObjectLayout, align: u64) -> u64 {
        if self.is_union {
            return 0;
        }
        let mut offset = align_up(self.data_bits.div_ceil(8), align);
        while self.conflicts(part, offset) {
            offset = offset.saturating_add(align);
        }
        offset
    }

    fn conflicts(&self, part: &ObjectLayout, offset: u64) -> bool {
        !self.is_union
            && part.empties.iter().any(|(inner, class)| {
                self.empties
                    .iter()
                    .any(|(taken, other)| *taken == offset.saturating_add(*inner) && other == class)
            })
    }

    fn keep_empties(&mut self, part: &ObjectLayout, offset: u64) {
        self.empties.extend(
            part.empties
                .iter()
                .map(|(inner, class)| (offset.saturating_add(*inner), Arc::clone(class))),
        );
    }

    fn keep_members(&mut self, part: &ObjectLayout, offset: u64) {
        self.members
            .extend(part.members.iter().map(|member| MemberPlace {
                offset: offset.saturating_add(member.offset),
                ..member.clone()
            }));
    }

    fn take_bytes(&mut self, offset: u64, size: u64) {
        let end = offset.saturating_add(size);
        self.data_bits = self.data_bits.max(end.saturating_mul(8));
        self.size = self.size.max(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structure(parts: &[(&str, ObjectLayout)]) -> ObjectLayout {
        let mut builder = RecordBuilder::structure();
        for (name, part) in parts {
            builder.member(Some(name), part, 1);
        }
        builder.finish("S", 1)
    }

    fn offsets(layout: &ObjectLayout) -> Vec<u64> {
        layout.members.iter().map(|member| member.offset).collect()
    }

    #[test]
    fn members_are_aligned_and_the_end_is_padded() {
        let layout = structure(&[
            ("a", ObjectLayout::plain(1, 1)),
            ("b", ObjectLayout::plain(8, 8)),
            ("c", ObjectLayout::plain(2, 2)),
        ]);
        assert_eq!((layout.size, layout.align), (24, 8));
        assert_eq!(offsets(&layout), [0, 8, 16]);
    }

    #[test]
    fn an_empty_base_takes_no_room_unless_the_first_member_is_of_its_class() {
        let empty = ObjectLayout::empty("E");
        let derived = |first: &ObjectLayout| {
            let mut builder = RecordBuilder::structure();
            builder.base(&empty);
            builder.member(Some("m"), first, 1);
            builder.finish("S", 1)
        };
        assert_eq!(derived(&ObjectLayout::plain(4, 4)).size, 4);
        let same = derived(&empty);
        assert_eq!((same.size, offsets(&same)), (2, vec![1]));
        assert_eq!(derived(&ObjectLayout::empty("F")).size, 1);
    }

    #[test]
    fn the_tail_of_a_base_with_a_constructor_is_used_again() {
        let mut base = RecordBuilder::structure();
        base.not_plain();
        base.member(Some("a"), &ObjectLayout::plain(8, 8), 1);
        base.member(Some("b"), &ObjectLayout::plain(1, 1), 1);
        let base = base.finish("B", 1);
        let mut derived = RecordBuilder::structure();
        derived.base(&base);
        derived.member(Some("c"), &ObjectLayout::plain(1, 1), 1);
        let derived = derived.finish("D", 1);
        assert_eq!((base.size, derived.size), (16, 16));
        assert_eq!(offsets(&derived), [0, 8, 9]);
    }

    #[test]
    fn bit_fields_share_units_and_a_zero_width_ends_one() {
        let unit = ObjectLayout::plain(4, 4);
        let mut builder = RecordBuilder::structure();
        builder.bit_field(Some("a"), &unit, 20);
        builder.bit_field(Some("b"), &unit, 10);
        builder.bit_field(Some("c"), &unit, 10);
        builder.bit_field(None, &unit, 0);
        builder.bit_field(Some("d"), &unit, 1);
        let layout = builder.finish("S", 1);
        assert_eq!(offsets(&layout), [0, 2, 4, 8]);
        assert_eq!((layout.size, layout.align), (12, 4));
    }

    #[test]
    fn a_union_is_as_large_as_its_largest_member() {
        let mut builder = RecordBuilder::union();
        builder.member(Some("a"), &ObjectLayout::plain(3, 1), 1);
        builder.member(Some("b"), &ObjectLayout::plain(8, 8), 16);
        let layout = builder.finish("U", 1);
        assert_eq!((layout.size, layout.align), (16, 16));
        assert_eq!(offsets(&layout), [0, 0]);
    }
}
