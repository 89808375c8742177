//! Roles of declared names.

/// The role of a declared name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A variable or data member.
    Var,
    /// A type alias.
    Alias,
    /// A function parameter.
    Param,
    /// A template parameter.
    TParam,
}

impl Role {
    /// `var`, `alias`, `param` or `tparam`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Var => "var",
            Self::Alias => "alias",
            Self::Param => "param",
            Self::TParam => "tparam",
        }
    }
}
