//! An entry of the catalogue: a function of CuTe, with everything that is said of it.

use super::call::Call;
use super::python_words::Word;
use super::{Evaluated, Surroundings};
use crate::questions::Asked;
use crate::questions::steps::Steps;
use crate::trace::ActionKind;

/// A function of CuTe: its spellings, its documentation, its value, and how a value is explained and drawn.
///
/// ```
/// let function = cute_analysis::vocabulary::function("zipped_divide").unwrap();
/// assert_eq!(function.defined.section, Some("§3.5.2"));
/// assert_eq!(function.defined.header.path().as_deref(), Some("cute/layout.hpp"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Its name in CuTe.
    pub name: &'static str,
    /// CuTe's declaration of it, shortened to the essential parts.
    pub signature: &'static str,
    /// Its result or effect, as a phrase without a full stop.
    pub doc: &'static str,
    /// The names of its parameters, in CuTe's order, where it has one form.
    pub parameters: &'static [&'static str],
    /// Its forms, by the number of parameters, where it has several or their names say more than the signature.
    pub forms: &'static [Form],
    /// The place of its definition.
    pub defined: Defined,
    /// The layouts that it makes or keeps.
    pub makes: Makes,
    /// The picture of a call.
    pub picture: Picture,
    /// The derivation of a call.
    pub(crate) explained: Explained,
    /// Its answer to questions by name: `eval --stdin`.
    pub(crate) asked: Option<Asked>,
    /// Its names in other languages.
    pub(crate) elsewhere: Elsewhere,
    /// Why its result can be trusted.
    pub verified: Verified,
    /// The action of a call on memory or barriers, beside its value.
    pub(crate) action: Option<ActionKind>,
    /// Whether an argument may be Unknown without making the result so.
    pub(crate) lenient: bool,
    pub(crate) run: fn(&Call<'_>) -> Evaluated,
}

/// The names of a function in other languages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elsewhere {
    /// In `cutlass.cute`, and in modules beside it.
    pub(crate) python: &'static [Word],
    /// The crates in Rust that have it under the same name.
    pub(crate) rust: &'static [&'static str],
}

/// A form of a function, for one number of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The names of its parameters, in CuTe's order; the last may be `...`.
    pub parameters: &'static [&'static str],
    /// Its result or effect, as a phrase.
    pub doc: &'static str,
}

/// The place of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defined {
    /// The section of the paper ("CuTe Layout Representation and Algebra").
    pub section: Option<&'static str>,
    /// The header that declares it.
    pub header: Header,
}

/// The file that declares a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Header {
    /// Below `include/cute`, of CUTLASS 4.2.
    Cute(&'static str),
    /// Below `include/cutlass`, of CUTLASS 4.2.
    Cutlass(&'static str),
    /// A header of CUTLASS's tools, below `tools/util/include/cutlass/util`.
    Tools(&'static str),
    /// The language or CUDA's own headers.
    Cuda,
    /// A module of Python: `cutlass.cute` or one beside it.
    Python,
    /// A crate in Rust.
    Rust,
    /// Neither: the paper defines it, and CuTe has no such function.
    Paper,
}

impl Header {
    /// The path of the file as a source includes it.
    pub fn path(self) -> Option<String> {
        match self {
            Self::Cute(path) => Some(format!("cute/{path}")),
            Self::Cutlass(path) => Some(format!("cutlass/{path}")),
            Self::Tools(path) => Some(format!("cutlass/util/{path}")),
            Self::Cuda | Self::Python | Self::Rust | Self::Paper => None,
        }
    }

    /// The path of the file in CUTLASS's repository.
    pub fn path_in_repository(self) -> Option<String> {
        let path = self.path()?;
        Some(match self {
            Self::Tools(_) => format!("tools/util/include/{path}"),
            _ => format!("include/{path}"),
        })
    }
}

/// Whether the result of a function has a layout. Coverage counts declarations by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Makes {
    /// A layout, a tensor, an atom, a tiled copy or a tiled MMA, whatever the arguments are.
    Layout,
    /// The first argument, changed.
    Argument,
    /// Something that is not a layout.
    Other,
    /// Nothing: the function acts on memory or barriers.
    Nothing,
}

/// The picture of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Both functions, and the one that is composed of them.
    Composition,
    /// The offsets that are left out, beside those that are reached.
    Complement,
    /// The tiles in the layout that is divided.
    Division,
    /// A block, the tiler, and the blocks in the result: one block after the other.
    LogicalProduct,
    /// The same, mode by mode: each block stays in one piece.
    BlockedProduct,
    /// The same, mode by mode: the blocks are interleaved.
    RakedProduct,
    /// The modes that a coordinate keeps, in the layout that is sliced.
    Slice,
    /// That of the result.
    Result,
}

/// Why the result of a function can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    /// Each result is compared with its definition in the paper, as CuTe's may depart from it.
    Compared,
    /// A test in `algebra/tests` asks a law of random layouts.
    Law(&'static str),
    /// The result is that of another entry, whose own reason holds, in parts or in another wrapping.
    MadeOf(&'static str),
    /// The call puts modes together or takes them apart: the numbers of the result are those of its arguments.
    Assembled,
    /// The result follows from the layouts of an instruction, which golden rows compare with CUTLASS.
    OfInstructions,
    /// The value has no layout, or there is none.
    NoLayout,
}

/// The derivation of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Explained {
    /// Step by step, with the rule and the numbers of each.
    BySteps(Steps),
    /// By its meaning: the value follows from it in one step.
    ByMeaning,
}

/// An entry of a table.
pub(crate) const fn entry(
    name: &'static str,
    signature: &'static str,
    doc: &'static str,
    run: fn(&Call<'_>) -> Evaluated,
) -> Function {
    Function {
        name,
        signature,
        doc,
        parameters: &[],
        forms: &[],
        defined: Defined {
            section: None,
            header: Header::Rust,
        },
        makes: Makes::Other,
        picture: Picture::Result,
        explained: Explained::ByMeaning,
        asked: None,
        elsewhere: Elsewhere {
            python: &[],
            rust: &[],
        },
        verified: Verified::NoLayout,
        action: None,
        lenient: false,
        run,
    }
}

/// An entry whose arguments may be Unknown.
pub(crate) const fn lenient(
    name: &'static str,
    signature: &'static str,
    doc: &'static str,
    run: fn(&Call<'_>) -> Evaluated,
) -> Function {
    Function {
        lenient: true,
        ..entry(name, signature, doc, run)
    }
}

/// A form of a function.
pub(crate) const fn form(parameters: &'static [&'static str], doc: &'static str) -> Form {
    Form { parameters, doc }
}

impl Function {
    /// The same with the names of its parameters.
    pub(crate) const fn takes(self, parameters: &'static [&'static str]) -> Self {
        Self { parameters, ..self }
    }

    /// The same with its forms.
    pub(crate) const fn forms(self, forms: &'static [Form]) -> Self {
        Self { forms, ..self }
    }

    /// The same with its section of the paper.
    pub(crate) const fn section(self, section: &'static str) -> Self {
        let header = self.defined.header;
        Self {
            defined: Defined {
                section: Some(section),
                header,
            },
            ..self
        }
    }

    /// The same with its header.
    pub(crate) const fn header(self, header: Header) -> Self {
        let section = self.defined.section;
        Self {
            defined: Defined { section, header },
            ..self
        }
    }

    /// The same with what it makes.
    pub(crate) const fn makes(self, makes: Makes) -> Self {
        Self { makes, ..self }
    }

    /// The same with its picture.
    pub(crate) const fn drawn(self, picture: Picture) -> Self {
        Self { picture, ..self }
    }

    /// The same with the steps of its derivation.
    pub(crate) const fn by_steps(self, steps: Steps) -> Self {
        Self {
            explained: Explained::BySteps(steps),
            ..self
        }
    }

    /// The same with its answer to questions.
    pub(crate) const fn asked(self, asked: Asked) -> Self {
        Self {
            asked: Some(asked),
            ..self
        }
    }

    /// The same with its result compared with the definition.
    pub(crate) const fn judged(self) -> Self {
        self.verified(Verified::Compared)
    }

    /// The same with the test in `algebra/tests` of a law that its result keeps.
    pub(crate) const fn by_law(self, test: &'static str) -> Self {
        self.verified(Verified::Law(test))
    }

    /// The same, whose result is that of another entry in parts or in another wrapping.
    pub(crate) const fn made_of(self, function: &'static str) -> Self {
        self.verified(Verified::MadeOf(function))
    }

    /// The same, whose result has the numbers of its arguments.
    pub(crate) const fn assembled(self) -> Self {
        self.verified(Verified::Assembled)
    }

    /// The same, whose result follows from the layouts of an instruction.
    pub(crate) const fn of_instructions(self) -> Self {
        self.verified(Verified::OfInstructions)
    }

    const fn verified(self, verified: Verified) -> Self {
        Self { verified, ..self }
    }

    /// The same with its action.
    pub(crate) const fn does(self, action: ActionKind) -> Self {
        Self {
            action: Some(action),
            ..self
        }
    }

    /// The same with its names in Python.
    pub(crate) const fn python(self, words: &'static [Word]) -> Self {
        let rust = self.elsewhere.rust;
        Self {
            elsewhere: Elsewhere {
                python: words,
                rust,
            },
            ..self
        }
    }

    /// The same with the crates that have it under the same name.
    pub(crate) const fn rust(self, crates: &'static [&'static str]) -> Self {
        let python = self.elsewhere.python;
        Self {
            elsewhere: Elsewhere {
                python,
                rust: crates,
            },
            ..self
        }
    }

    /// Whether questions can name it: `eval --stdin`.
    pub fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether its value is derived step by step.
    pub fn is_derived(&self) -> bool {
        matches!(self.explained, Explained::BySteps(_))
    }

    /// Its names in Python, each with its module where that is not `cutlass.cute`.
    pub fn names_in_python(&self) -> impl Iterator<Item = String> {
        self.elsewhere.python.iter().map(Word::shown)
    }

    /// The crates in Rust that have it under the same name.
    pub fn crates(&self) -> &'static [&'static str] {
        self.elsewhere.rust
    }

    /// Its meaning with the section of the paper, as derivations say it.
    pub(crate) fn meaning(&self) -> String {
        match self.defined.section {
            Some(section) => {
                let number = section.trim_start_matches('§');
                format!("{} (paper {number})", self.doc)
            }
            None => self.doc.to_owned(),
        }
    }

    /// Calls it with template arguments and arguments; remarks besides the result are added to `remarks`.
    pub(crate) fn call(
        &self,
        targs: &[super::Value],
        args: &[super::Value],
        remarks: &mut Vec<super::Remark>,
    ) -> Evaluated {
        self.call_in(Surroundings::default(), targs, args, remarks)
    }
}
