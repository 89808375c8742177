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
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "cu" | "cuh" | "c" | "cc" | "cpp" | "cxx" | "c++" | "h" | "hh" | "hpp" | "hxx"
            | "h++" | "inl" | "inc" | "ipp" | "tpp" | "cppm" => Some(Self::CudaCpp),
            "rs" => Some(Self::Rust),
            "py" | "pyi" => Some(Self::Python),
            _ => None,
        }
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
