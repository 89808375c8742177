//! The arguments of `cuTensorMapEncodeTiled`, and the rules that they have to keep (cuda.h, group `CUDA_TENSOR_MEMORY`).

pub use super::swizzle::TensorMapSwizzle;
use crate::refusal::{Refusal, Rule};
use cute_algebra::{Int, Verdict};

/// The driver's code of packed 4-bit elements in rows of eight bytes.
pub(crate) const PACKED_FOUR_BITS_BY_8: u8 = 13;
/// The driver's code of 4-bit elements that are unpacked in shared memory, to rows of sixteen bytes.
pub(crate) const PACKED_FOUR_BITS: u8 = 14;
/// The driver's code of 6-bit elements that are unpacked in shared memory.
pub(crate) const PACKED_SIX_BITS: u8 = 15;
/// The shared memory that a CTA of `sm_90` can have, in bytes.
pub const MAX_SHARED_BYTES: i64 = crate::multiprocessor::shared_of_a_cta(90);

/// The arguments of the driver, innermost dimension first. Extents and strides may be symbolic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The driver's `CUtensorMapDataType`.
    pub data_type: u8,
    /// The width of an element in global memory, in bits.
    pub element_bits: i64,
    /// The extents of the tensor, in elements.
    pub dims: Vec<Int>,
    /// The strides of dimensions 1 and up, in bytes.
    pub strides_bytes: Vec<Int>,
    /// The extents of the box, in elements.
    pub box_dims: Vec<i64>,
    /// Every how many elements one is taken.
    pub element_strides: Vec<i64>,
    /// 0 none, 1 of 16 bytes, 2 of 32 bytes.
    pub interleave: u8,
    /// The permutation of addresses.
    pub swizzle: TensorMapSwizzle,
    /// 0 none, 1 64 bytes, 2 128 bytes, 3 256 bytes.
    pub l2_promotion: u8,
    /// 0 zeros, 1 NaN.
    pub oob_fill: u8,
}

/// The certainty that a broken rule fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The driver returns an error, or the hardware faults.
    Error,
    /// It depends on the driver's version, or on a fact that is not known here.
    Warning,
}

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The certainty that it fails.
    pub severity: Severity,
    /// The rule, with its numbers.
    pub refusal: Refusal,
}

impl TensorMap {
    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The bytes that one load signals, also when it is clipped: the whole box.
    pub fn box_bytes(&self) -> i64 {
        let elements: i64 = self
            .box_dims
            .iter()
            .zip(&self.element_strides)
            .map(|(extent, step)| (extent + step - 1) / step.max(&1))
            .product();
        elements * self.element_bits / 8
    }

    /// Every rule that does not hold on `architecture` (ten times the compute capability).
    pub fn issues(&self, architecture: u16) -> Vec<Issue> {
        let mut issues = Vec::new();
        self.check_rank(&mut issues);
        self.check_tensor(&mut issues);
        self.check_box(&mut issues);
        self.check_swizzle(architecture, &mut issues);
        self.check_type(architecture, &mut issues);
        issues
    }

    /// Extents, strides and fill, which tiles and `im2col` have in common.
    pub(crate) fn check_tensor(&self, issues: &mut Vec<Issue>) {
        for (mode, dim) in self.dims.iter().enumerate() {
            check_dimension(mode, dim, issues);
        }
        self.check_packed_extent(issues);
        for (mode, stride) in self.strides_bytes.iter().enumerate() {
            check_stride(mode + 1, stride, self.alignment(), issues);
        }
        // Only floats of 16 bits and more have the fill value.
        if self.oob_fill != 0 && !(6..PACKED_FOUR_BITS_BY_8).contains(&self.data_type) {
            issues.push(error(
                driver(Rule::TmaFill)
                    .with("data_type", i64::from(self.data_type))
                    .legal("zeros"),
            ));
        }
    }

    /// The bytes of which the address and every stride is a multiple.
    pub fn alignment(&self) -> i64 {
        if self.interleave == 2 || self.is_unpacked() {
            32
        } else {
            16
        }
    }

    /// Whether elements are wider in shared than in global memory.
    fn is_unpacked(&self) -> bool {
        matches!(self.data_type, PACKED_FOUR_BITS | PACKED_SIX_BITS)
    }

    /// The rules for the address of the tensor. Some documents ask for 128 bytes under a swizzle, which the driver does not
    /// check.
    pub fn address_issues(&self, address: u64) -> Vec<Issue> {
        let refusal = |multiple_of: i64| {
            Refusal::new(Rule::TmaAddressAlignment, Verdict::Traps)
                .with("address", address as i64)
                .with("multiple_of", multiple_of)
        };
        let required = self.alignment();
        if !address.is_multiple_of(required as u64) {
            vec![error(refusal(required))]
        } else if self.swizzle != TensorMapSwizzle::None && !address.is_multiple_of(128) {
            vec![warning(refusal(128))]
        } else {
            Vec::new()
        }
    }

    /// Packed elements come in whole groups.
    fn check_packed_extent(&self, issues: &mut Vec<Issue>) {
        let group = match self.data_type {
            PACKED_FOUR_BITS_BY_8 => 2,
            PACKED_FOUR_BITS | PACKED_SIX_BITS => 128,
            _ => return,
        };
        if let Some(extent) = self.dims.first().and_then(Int::value)
            && extent % group != 0
        {
            let below = extent.div_euclid(group) * group;
            let refusal = driver(Rule::TmaDimension)
                .with("extent", extent)
                .with("multiple_of", group)
                .inside(0);
            let legal = [below, below + group];
            issues.push(error(
                legal
                    .into_iter()
                    .filter(|extent| *extent > 0)
                    .fold(refusal, |refusal, legal| refusal.legal(legal.to_string())),
            ));
        }
    }

    /// Checks for types that only some architectures have.
    fn check_type(&self, architecture: u16, issues: &mut Vec<Issue>) {
        use TensorMapSwizzle::{B128, B128Atom32, B128Atom64, None};
        if self.data_type >= PACKED_FOUR_BITS_BY_8 && architecture < 100 {
            issues.push(error(
                driver(Rule::Architecture)
                    .with("data_type", i64::from(self.data_type))
                    .with("architecture", i64::from(architecture))
                    .legal("sm_100"),
            ));
        }
        let legal: &[TensorMapSwizzle] = match self.data_type {
            PACKED_FOUR_BITS => &[None, B128, B128Atom32],
            PACKED_SIX_BITS => &[None, B128, B128Atom32, B128Atom64],
            _ => &TensorMapSwizzle::ALL,
        };
        if !legal.contains(&self.swizzle) {
            let refusal = driver(Rule::UnsupportedSwizzle)
                .with("swizzle", format!("{:?}", self.swizzle))
                .with("data_type", i64::from(self.data_type));
            issues.push(error(legal.iter().fold(refusal, |refusal, legal| {
                refusal.legal(format!("{legal:?}"))
            })));
        }
        if self.data_type == PACKED_SIX_BITS && self.interleave != 0 {
            issues.push(error(
                driver(Rule::TmaInterleave)
                    .with("data_type", i64::from(self.data_type))
                    .legal("no interleave"),
            ));
        }
    }

    fn check_rank(&self, issues: &mut Vec<Issue>) {
        let rank = self.rank();
        let least = if self.interleave == 0 { 1 } else { 3 };
        if !(least..=super::basis::MAX_RANK).contains(&rank) {
            issues.push(error(
                driver(Rule::TmaRank)
                    .with("rank", rank)
                    .with("least", least)
                    .with("most", 5_i64),
            ));
        }
        if self.interleave == 2 && self.swizzle != TensorMapSwizzle::B32 {
            issues.push(error(
                driver(Rule::TmaInterleave)
                    .with("interleave_bytes", 32_i64)
                    .legal("Sw<1,4,3>"),
            ));
        }
    }

    fn check_box(&self, issues: &mut Vec<Issue>) {
        for (mode, &extent) in self.box_dims.iter().enumerate() {
            if !(1..=super::basis::MAX_BOX).contains(&extent) {
                issues.push(error(
                    driver(Rule::TmaBox)
                        .with("box", extent)
                        .inside(mode)
                        .legal(extent.clamp(1, 256).to_string()),
                ));
            }
        }
        for (mode, &step) in self.element_strides.iter().enumerate() {
            if !(1..=8).contains(&step) {
                issues.push(error(
                    driver(Rule::TmaElementStride)
                        .with("element_stride", step)
                        .inside(mode),
                ));
            }
        }
        let inner_bits = self.box_dims.first().copied().unwrap_or(0) * self.element_bits;
        let packed = self.is_unpacked();
        if packed && self.box_dims.first() != Some(&128) {
            let inner = self.box_dims.first().copied().unwrap_or(0);
            issues.push(error(
                driver(Rule::TmaInnerBox)
                    .with("inner_elements", inner)
                    .legal("128"),
            ));
        } else if !packed && self.interleave == 0 && inner_bits % 128 != 0 {
            let step = 128 / self.element_bits.max(1);
            let inner = self.box_dims.first().copied().unwrap_or(0);
            issues.push(error(
                driver(Rule::TmaInnerBox)
                    .with("inner_bytes", inner_bits / 8)
                    .with("multiple_of", 16_i64)
                    .legal(((inner / step).max(1) * step).to_string())
                    .legal(((inner / step + 1) * step).to_string()),
            ));
        }
        if self.box_bytes() > MAX_SHARED_BYTES {
            issues.push(error(
                driver(Rule::TmaBoxBytes)
                    .with("box_bytes", self.box_bytes())
                    .with("most", MAX_SHARED_BYTES),
            ));
        }
    }

    pub(crate) fn check_swizzle(&self, architecture: u16, issues: &mut Vec<Issue>) {
        let inner_bytes = self.box_dims.first().copied().unwrap_or(0) * self.element_bits / 8;
        if let Some(span) = self.swizzle.span_bytes()
            && self.interleave == 0
            && inner_bytes > span
        {
            let most = span * 8 / self.element_bits.max(1);
            issues.push(error(
                driver(Rule::TmaInnerBox)
                    .with("inner_bytes", inner_bytes)
                    .with("swizzle_bytes", span)
                    .legal(most.to_string()),
            ));
        }
        if self.swizzle.code() > TensorMapSwizzle::B128.code() && architecture < 100 {
            issues.push(error(
                driver(Rule::Architecture)
                    .with("swizzle", format!("{:?}", self.swizzle))
                    .with("architecture", i64::from(architecture))
                    .legal("sm_100"),
            ));
        }
    }
}

pub(crate) fn error(refusal: Refusal) -> Issue {
    Issue {
        severity: Severity::Error,
        refusal,
    }
}

fn warning(refusal: Refusal) -> Issue {
    Issue {
        severity: Severity::Warning,
        refusal,
    }
}

/// A rule of the driver, which CuTe does not state.
pub(crate) fn driver(rule: Rule) -> Refusal {
    Refusal::new(rule, Verdict::Accepts)
}

fn check_dimension(mode: usize, dim: &Int, issues: &mut Vec<Issue>) {
    match dim.value() {
        Some(value) if !(1..=1 << 32).contains(&value) => {
            let near = value.clamp(1, 1 << 32);
            issues.push(error(
                driver(Rule::TmaDimension)
                    .with("extent", value)
                    .inside(mode)
                    .legal(near.to_string()),
            ));
        }
        // Later headers say 2^31.
        Some(value) if value > 1 << 31 => {
            issues.push(warning(
                driver(Rule::TmaDimension)
                    .with("extent", value)
                    .inside(mode)
                    .legal((1_i64 << 31).to_string()),
            ));
        }
        _ => {}
    }
}

fn check_stride(mode: usize, stride: &Int, alignment: i64, issues: &mut Vec<Issue>) {
    let rest = stride
        .rem(&Int::fixed(alignment))
        .ok()
        .and_then(|rest| rest.value());
    match (rest, stride.value()) {
        (Some(0), _) => {}
        (Some(_), Some(value)) => {
            let below = value.div_euclid(alignment) * alignment;
            issues.push(error(
                driver(Rule::TmaStrideAlignment)
                    .with("stride_bytes", value)
                    .with("multiple_of", alignment)
                    .inside(mode)
                    .legal(below.to_string())
                    .legal((below + alignment).to_string()),
            ));
        }
        _ => issues.push(warning(
            driver(Rule::Algebra(cute_algebra::Rule::NotProvable))
                .with("stride_bytes", stride)
                .with("multiple_of", alignment)
                .inside(mode)
                .legal(format!("assume {stride} % {alignment} == 0")),
        )),
    }
    if let Some(value) = stride.value()
        && !(0..1 << 40).contains(&value)
    {
        issues.push(error(
            driver(Rule::TmaStrideRange)
                .with("stride_bytes", value)
                .inside(mode),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        TensorMap {
            data_type: 6,
            element_bits: 16,
            dims: vec![Int::fixed(1024), Int::fixed(512)],
            strides_bytes: vec![Int::fixed(2048)],
            box_dims: vec![64, 128],
            element_strides: vec![1, 1],
            interleave: 0,
            swizzle: TensorMapSwizzle::B128,
            l2_promotion: 2,
            oob_fill: 0,
        }
    }

    fn rules(map: &TensorMap) -> Vec<Rule> {
        map.issues(90)
            .into_iter()
            .map(|issue| issue.refusal.rule)
            .collect()
    }

    #[test]
    fn every_rule_is_found_with_its_number() {
        assert_eq!(rules(&map()), []);
        let broken = |change: fn(&mut TensorMap)| {
            let mut map = map();
            change(&mut map);
            rules(&map)
        };
        assert_eq!(
            broken(|map| map.strides_bytes[0] = Int::fixed(1000)),
            [Rule::TmaStrideAlignment]
        );
        assert_eq!(
            broken(|map| map.strides_bytes[0] = Int::fixed(1 << 40)),
            [Rule::TmaStrideRange]
        );
        assert_eq!(
            broken(|map| map.dims[1] = Int::fixed(0)),
            [Rule::TmaDimension]
        );
        assert_eq!(
            broken(|map| map.dims[1] = Int::fixed((1 << 31) + 1)),
            [Rule::TmaDimension]
        );
        assert_eq!(broken(|map| map.box_dims[1] = 512), [Rule::TmaBox]);
        assert_eq!(broken(|map| map.box_dims[0] = 4), [Rule::TmaInnerBox]);
        assert_eq!(broken(|map| map.box_dims[0] = 128), [Rule::TmaInnerBox]);
        assert_eq!(
            broken(|map| map.element_strides[1] = 9),
            [Rule::TmaElementStride]
        );
        assert_eq!(
            broken(|map| map.swizzle = TensorMapSwizzle::B128Atom32),
            [Rule::Architecture]
        );
        assert_eq!(broken(|map| map.interleave = 1), [Rule::TmaRank]);
        assert_eq!(broken(|map| map.dims = vec![Int::ONE; 6]), [Rule::TmaRank]);
        assert_eq!(broken(|map| map.box_dims[1] = 0), [Rule::TmaBox]);
        assert_eq!(
            broken(|map| {
                map.interleave = 2;
                map.dims.push(Int::ONE);
                map.swizzle = TensorMapSwizzle::B64;
            }),
            [Rule::TmaInterleave]
        );
        assert_eq!(
            broken(|map| {
                (map.data_type, map.element_bits, map.oob_fill) = (1, 16, 1);
            }),
            [Rule::TmaFill]
        );
        assert_eq!(
            broken(|map| {
                map.box_dims = vec![64, 256, 16];
                map.dims.push(Int::fixed(64));
                map.strides_bytes.push(Int::fixed(1 << 20));
                map.element_strides.push(1);
            }),
            [Rule::TmaBoxBytes]
        );
    }

    #[test]
    fn packed_elements_have_rules_of_their_own() {
        let packed = TensorMap {
            data_type: PACKED_SIX_BITS,
            element_bits: 8,
            box_dims: vec![128, 128],
            dims: vec![Int::fixed(1024), Int::fixed(512)],
            ..map()
        };
        let rules = |change: fn(&mut TensorMap), architecture| -> Vec<Rule> {
            let mut map = packed.clone();
            change(&mut map);
            map.issues(architecture)
                .into_iter()
                .map(|issue| issue.refusal.rule)
                .collect()
        };
        assert_eq!(rules(|_| {}, 100), []);
        assert_eq!(rules(|_| {}, 90), [Rule::Architecture]);
        assert_eq!(
            rules(|map| map.dims[0] = Int::fixed(1000), 100),
            [Rule::TmaDimension]
        );
        assert_eq!(
            rules(|map| map.strides_bytes[0] = Int::fixed(2064), 100),
            [Rule::TmaStrideAlignment]
        );
        assert_eq!(rules(|map| map.box_dims[0] = 64, 100), [Rule::TmaInnerBox]);
        assert_eq!(
            rules(|map| map.swizzle = TensorMapSwizzle::B128Atom32Flip8, 100),
            [Rule::UnsupportedSwizzle]
        );
        assert_eq!(
            rules(
                |map| {
                    map.data_type = PACKED_FOUR_BITS;
                    map.swizzle = TensorMapSwizzle::B128Atom64;
                },
                100
            ),
            [Rule::UnsupportedSwizzle]
        );
    }

    #[test]
    fn addresses_are_aligned_more_under_a_swizzle() {
        let issues = |address| {
            map()
                .address_issues(address)
                .into_iter()
                .map(|issue| issue.severity)
                .collect::<Vec<_>>()
        };
        assert_eq!(issues(8), [Severity::Error]);
        assert_eq!(issues(16), [Severity::Warning]);
        assert_eq!(issues(128), []);
    }

    #[test]
    fn a_symbolic_stride_asks_for_the_fact() {
        let mut map = map();
        map.strides_bytes[0] = Int::symbol("lda").mul(&Int::fixed(2)).unwrap();
        let issues = map.issues(90);
        assert_eq!(issues[0].severity, Severity::Warning);
        assert_eq!(
            issues[0].refusal.rule,
            Rule::Algebra(cute_algebra::Rule::NotProvable)
        );
        map.strides_bytes[0] = Int::symbol("lda").mul(&Int::fixed(16)).unwrap();
        assert_eq!(rules(&map), []);
    }

    #[test]
    fn a_clipped_box_still_signals_all_its_bytes() {
        assert_eq!(map().box_bytes(), 64 * 128 * 2);
    }
}
