//! Host languages: those in whose sources layouts are found.

use std::path::Path;

/// A host language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Host {
    /// CUDA C++, and C++ and C, which it contains for all that matters here.
    CudaCpp,
    /// Python, in which layouts are written with `cutlass.cute`.
    Python,
    /// Rust.
    Rust,
}

impl Host {
    /// The host language of a file, by its extension.
    ///
    /// ```
    /// # use {std::path::Path, tree_sitter_cute::Host};
    /// assert_eq!(Host::of_path(Path::new("gemm.cu")), Some(Host::CudaCpp));
    /// assert_eq!(Host::of_path(Path::new("README.md")), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let mut all = BY_ENDING.iter();
        let (_, host) = all.find(|(known, _)| ending.eq_ignore_ascii_case(known))?;
        Some(*host)
    }

    /// The endings of the names of sources, without the dot.
    pub fn endings() -> impl Iterator<Item = &'static str> {
        BY_ENDING.iter().map(|(ending, _)| *ending)
    }

    /// The host language that an editor names so (LSP's `languageId`).
    pub fn of_language_id(id: &str) -> Option<Self> {
        match id {
            "cuda-cpp" | "cuda" | "cpp" | "c++" | "c" => Some(Self::CudaCpp),
            "rust" => Some(Self::Rust),
            "python" => Some(Self::Python),
            _ => None,
        }
    }
}

/// The hosts by the endings of names.
const BY_ENDING: [(&str, Host); 20] = [
    ("cu", Host::CudaCpp),
    ("cuh", Host::CudaCpp),
    ("c", Host::CudaCpp),
    ("cc", Host::CudaCpp),
    ("cpp", Host::CudaCpp),
    ("cxx", Host::CudaCpp),
    ("c++", Host::CudaCpp),
    ("h", Host::CudaCpp),
    ("hh", Host::CudaCpp),
    ("hpp", Host::CudaCpp),
    ("hxx", Host::CudaCpp),
    ("h++", Host::CudaCpp),
    ("inl", Host::CudaCpp),
    ("inc", Host::CudaCpp),
    ("ipp", Host::CudaCpp),
    ("tpp", Host::CudaCpp),
    ("cppm", Host::CudaCpp),
    ("rs", Host::Rust),
    ("py", Host::Python),
    ("pyi", Host::Python),
];
