//! GPU architectures, as PTX targets name them.

use core::fmt;

/// Architectures of which the later ones have the specific instructions of the earlier ones.
const FAMILIES: &[&[u16]] = &[&[90], &[100, 101, 103, 107, 110], &[120, 121]];

/// A PTX target such as `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Architecture {
    /// Ten times the compute capability: 90 for 9.0.
    pub number: u16,
    /// Whether the instruction is specific to this architecture (`a`), so that no later one runs it.
    pub specific: bool,
}

impl Architecture {
    /// Whatever a current compiler builds for.
    pub const ANY: Architecture = Architecture::portable(50);

    /// An architecture whose code also runs on later ones.
    pub const fn portable(number: u16) -> Self {
        Architecture {
            number,
            specific: false,
        }
    }

    /// An architecture whose code runs on no other one.
    pub const fn specific(number: u16) -> Self {
        Architecture {
            number,
            specific: true,
        }
    }

    /// Whether code that is compiled for `target` has an instruction that needs this architecture. An instruction of one
    /// architecture is also one of the later ones of its family (PTX ISA, "Family-specific architectures"), and only of
    /// code for `a` and `f` targets.
    ///
    /// ```
    /// use cute_hardware::Architecture;
    /// let (wgmma, tcgen05) = (Architecture::specific(90), Architecture::specific(100));
    /// assert!(wgmma.is_in(Architecture::specific(90)));
    /// assert!(!wgmma.is_in(Architecture::portable(90)) && !wgmma.is_in(Architecture::specific(100)));
    /// assert!(tcgen05.is_in(Architecture::specific(103)) && !tcgen05.is_in(Architecture::specific(120)));
    /// ```
    pub fn is_in(self, target: Architecture) -> bool {
        if !self.specific {
            return target.number >= self.number;
        }
        let family = |number: u16| FAMILIES.iter().position(|family| family.contains(&number));
        target.specific
            && target.number >= self.number
            && family(target.number).is_some_and(|found| family(self.number) == Some(found))
    }

    /// Whether a GPU of compute capability `number / 10` runs it.
    pub fn runs_on(self, number: u16) -> bool {
        if self.specific {
            number == self.number
        } else {
            number >= self.number
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "sm_{}{}",
            self.number,
            if self.specific { "a" } else { "" }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specific_code_runs_nowhere_else() {
        assert!(Architecture::specific(90).runs_on(90) && !Architecture::specific(90).runs_on(100));
        assert!(Architecture::portable(80).runs_on(90) && !Architecture::portable(80).runs_on(75));
        assert_eq!(Architecture::specific(100).to_string(), "sm_100a");
    }
}
