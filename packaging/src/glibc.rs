//! The glibc that a program needs to start.

use std::path::Path;
use std::str::FromStr as _;

use anyhow::{Context, Result, bail};

/// The newest glibc that the program may ask for: that of the oldest systems still served
/// (Debian 12, Ubuntu 22.04, RHEL 9).
pub const NEWEST: Version = Version(2, 34);

/// A version of glibc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32);

/// Fails where a program asks for a newer glibc than [`NEWEST`]: it would not start there.
pub fn check(program: &Path) -> Result<()> {
    let bytes =
        std::fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    if let Some(Version(major, minor)) = newest_glibc(&bytes).filter(|newest| *newest > NEWEST) {
        bail!(
            "{} needs glibc {major}.{minor}, and what is given out may need {}.{} only: \
             build on an older system, such as Debian 12",
            program.display(),
            NEWEST.0,
            NEWEST.1
        );
    }
    Ok(())
}

/// The newest version of glibc that a program's symbols name (`GLIBC_2.34`); nothing where it
/// names none.
fn newest_glibc(program: &[u8]) -> Option<Version> {
    const MARK: &[u8] = b"GLIBC_";
    let places = program
        .windows(MARK.len())
        .enumerate()
        .filter(|(_, window)| *window == MARK);
    places
        .filter_map(|(at, _)| {
            let rest = program.get(at + MARK.len()..)?;
            let name = rest.split(|byte| *byte == 0).next()?;
            let mut numbers = std::str::from_utf8(name).ok()?.split('.');
            let mut number = || u32::from_str(numbers.next()?).ok();
            Some(Version(number()?, number()?))
        })
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_found_by_number() {
        let program = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBC_PRIVATE\0";
        assert_eq!(newest_glibc(program), Some(Version(2, 34)));
        assert_eq!(newest_glibc(b"no program"), None);
        assert!(Version(2, 9) < Version(2, 34) && Version(2, 35) > NEWEST);
    }

    #[test]
    fn this_program_names_a_glibc_where_it_has_one() {
        if cfg!(all(target_os = "linux", target_env = "gnu")) {
            let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
            assert!(newest_glibc(&own).is_some_and(|newest| newest >= Version(2, 2)));
        }
    }
}
