//! Limits that an analysis reached: its silence about the rest does not mean that the rest is right.

use std::fmt;

use tree_sitter_cute::tree::Unit;

use crate::limits::USERS_OF_A_HEADER;

/// A part of a file that was not examined.
///
/// ```
/// use cute_analysis::Reached;
/// let reached = Reached::Users { all: 1401 };
/// assert_eq!(
///     reached.to_string(),
///     "1401 translation units include it; the instances of the nearest 1024 are read"
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reached {
    /// The end of the file: its syntax has more nodes than are kept.
    Nodes,
    /// Translation units that include it.
    Users {
        /// Number of all units.
        all: usize,
    },
}

impl Reached {
    /// The limits that a file reaches that `all` translation units include.
    pub(crate) fn of(unit: &Unit, all: usize) -> Vec<Self> {
        let nodes = unit.truncated.then_some(Self::Nodes);
        let users = (all > USERS_OF_A_HEADER).then_some(Self::Users { all });
        nodes.into_iter().chain(users).collect()
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes => {
                let most = tree_sitter_cute::limits::NODES;
                write!(
                    f,
                    "its syntax has more than {most} nodes; the rest of it is not read"
                )
            }
            Self::Users { all } => write!(
                f,
                "{all} translation units include it; the instances of the nearest {USERS_OF_A_HEADER} are read"
            ),
        }
    }
}
