//! The command line: every answer an editor gets, for scripts and people.
//!
//! One file per subcommand; `arguments` has the help texts, `source` reads files, `output`
//! writes. Nothing here knows how a value was computed.

mod accesses;
mod arguments;
mod baseline;
mod budget;
mod check;
mod decode;
mod draw;
mod eval;
mod explain;
mod github;
mod hardware;
mod hints;
mod hover;
mod infer;
mod input_lines;
mod json;
mod layouts;
mod lock;
mod output;
mod parallel;
mod preconditions;
mod preview;
mod record;
mod rules;
mod run;
mod sarif;
mod source;
mod stopped;
mod stream;
mod summary;
mod unknown;
mod why_slow;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use cute_analysis::{Analysis, Judged, Options, SourceFile, WhatIf};
use cute_hardware::Architecture;
use tree_sitter_cute::Host;

use arguments::{Arguments, Command};
use output::{Outcome, Output, complain, in_one_line, shown};
use source::{Source, Unreadable};

use crate::presentation::instances::Chosen;
use crate::project::{Flags, Project, architecture, defined, normal};
use crate::project_file::{ProjectFile, Rules};
use crate::recorded::{Placed, Recordings, placed};

/// State shared by all subcommands.
struct Session {
    analyser: Analyser,
    /// Ten times the compute capability of `--arch`.
    architecture: Option<u16>,
    /// The target that `--arch` names.
    target: Option<Architecture>,
    out: Output,
}

/// The environment of analyses of sources; threads share it.
struct Analyser {
    options: Options,
    project: Arc<Project>,
    rules: Rules,
    /// The instances that are shown first.
    chosen: Chosen,
    recordings: Recordings,
}

/// A session with the settings of the nearest project file besides the arguments.
fn session(mut options: Options, mut flags: Flags, out: Output) -> Result<Session, String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let file = ProjectFile::nearest(&here)?;
    options.assume.extend(file.assume);
    flags.include.extend(file.flags.include);
    flags.defines.extend(file.flags.defines);
    let mut chosen = Chosen::default();
    for (function, instance) in file.shown {
        chosen.choose(&function, Some(instance));
    }
    let project = Project::new(flags, &file.instances).of_this_moment();
    project.work_in([here.clone()]);
    project.may_read([here]);
    Ok(Session {
        analyser: Analyser {
            options,
            chosen,
            project: Arc::new(project),
            rules: file.rules,
            recordings: Recordings::default(),
        },
        architecture: None,
        target: None,
        out,
    })
}

/// Runs the command that the process was started with; `serve` is the language server.
///
/// Exit codes: 0 nothing wrong, 1 a finding, a refusal or nothing to show, 2 wrong usage or
/// unreadable input.
pub fn run(serve: impl FnOnce(Options, Flags) -> ExitCode) -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => {
            // Help and version are answers, too. An error of printing could only be printed.
            let _ = answer.print();
            return if answer.use_stderr() {
                Outcome::Unusable
            } else {
                Outcome::Clean
            }
            .into();
        }
    };
    let options = match options(&arguments.assume) {
        Ok(options) => options,
        Err(message) => {
            complain(&message);
            return Outcome::Unusable.into();
        }
    };
    let flags = Flags {
        include: arguments.include,
        defines: arguments
            .define
            .iter()
            .map(|text| defined(text))
            .chain(arguments.arch.iter().flat_map(|arch| architecture(arch)))
            .collect(),
        python: arguments.python,
    };
    let number = arguments.arch.as_deref().and_then(compute_capability);
    let is_specific = |arch: &str| arch.ends_with(['a', 'f']);
    let target = number.map(|number| Architecture {
        number,
        specific: arguments.arch.as_deref().is_some_and(is_specific),
    });
    let command = match arguments.command {
        None | Some(Command::Lsp { .. }) => return serve(options, flags),
        Some(command) => command,
    };
    let mut session = match session(options, flags, Output::new(arguments.color)) {
        Ok(session) => session,
        Err(mistake) => {
            complain(&mistake);
            return Outcome::Unusable.into();
        }
    };
    session.architecture = number;
    session.target = target;
    match dispatch(command, &mut session).and_then(|outcome| {
        session.out.flush()?;
        Ok(outcome)
    }) {
        Ok(outcome) => outcome.into(),
        // The reader has seen enough (`| head`).
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Outcome::Clean.into(),
        Err(error) => {
            complain(&error.to_string());
            Outcome::Unusable.into()
        }
    }
}

fn dispatch(command: Command, session: &mut Session) -> io::Result<Outcome> {
    // The others show none.
    session.analyser.options.remedies = matches!(
        command,
        Command::Check { .. } | Command::Decode { .. } | Command::Hover { .. }
    );
    match command {
        Command::Lsp { .. } => Ok(Outcome::Clean),
        Command::Check {
            explain: Some(rule),
            format,
            ..
        } => rules::explain(&rule, format, &mut session.out),
        Command::Check {
            paths,
            format,
            all,
            memory,
            baseline,
            explain: None,
        } => {
            session.analyser.options.memory = if memory || all {
                Judged::All
            } else {
                Judged::Nothing
            };
            check::run(&paths, format, all, baseline.as_deref(), session)
        }
        Command::Layouts {
            files,
            format,
            unknown: true,
            ..
        } => unknown::run(&files, format, session),
        Command::Layouts {
            files,
            snapshot: Some(target),
            ..
        } => lock::snapshot(&files, &target, session),
        Command::Layouts {
            files,
            diff: Some(kept),
            ..
        } => lock::diff(&files, &kept, session),
        Command::Layouts {
            files,
            format,
            accesses: true,
            ..
        } => accesses::run(&files, format, session),
        Command::Layouts {
            files,
            instances,
            format,
            ..
        } => layouts::run(&files, instances, format, session),
        Command::Summary { files, format } => summary::run(&files, format, session),
        Command::Budget { files, format } => budget::run(&files, format, session),
        Command::Preconditions { files, format } => preconditions::run(&files, format, session),
        Command::WhySlow { file, format } => why_slow::run(&file, format, session),
        Command::Decode { format } => decode::run(format, session),
        Command::Hints { file } => hints::run(&file, session),
        Command::Hover { place, all } => hover::run(&place, all, session),
        Command::Eval {
            expression: Some(expression),
            ints,
            written,
            ..
        } => eval::run(&expression, &written, ints, session),
        Command::Eval {
            expression: None,
            ints,
            ..
        } => stream::run(ints, session),
        Command::Explain { expression } => explain::run(&expression, session),
        Command::Record { command } => record::run(&command),
        Command::Run(arguments) => run::run(&arguments, session),
        Command::Draw(draw) => draw::run(&draw, session),
        Command::Ptx { expression, name } => preview::ptx(&expression, &name, session),
        Command::Desc(arguments) => preview::descriptor(&arguments, session),
        Command::Tma(arguments) => preview::tma(&arguments, session),
        Command::Infer { stdin: true, .. } => infer::stream(session),
        Command::Infer { offsets, of, .. } => match (of.function, of.shape, of.source) {
            (Some(function), Some(shape), Some(source)) => {
                infer::of_function(&function, &shape, &source, session)
            }
            _ => infer::run(&offsets, session),
        },
    }
}

/// Ten times the compute capability of `sm_90a`.
fn compute_capability(arch: &str) -> Option<u16> {
    let number = arch.strip_prefix("sm_").unwrap_or(arch);
    number.trim_end_matches(['a', 'f']).parse().ok()
}

/// Reads the facts of `--assume`.
fn options(facts: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    for fact in facts {
        let assumption = fact
            .parse()
            .map_err(|error| format!("--assume '{}': {error}", in_one_line(fact)))?;
        options.assume.push(assumption);
    }
    Ok(options)
}

impl Session {
    /// The analysis of a source.
    fn analyse(&self, source: &Source) -> Result<Analysis, Unreadable> {
        self.analyser.analyse(source)
    }
}

impl Analyser {
    /// Announces the requested paths, and their files.
    fn will_analyse(&self, paths: &[PathBuf], files: &[PathBuf]) {
        let folders = paths.iter().filter(|path| path.is_dir());
        let here = std::env::current_dir().ok();
        let folders = folders.map(|folder| normal(folder));
        let folders: Vec<PathBuf> = here.into_iter().chain(folders).collect();
        self.project.work_in(folders.clone());
        self.project.may_read(folders);
        self.project.will_analyse(files);
    }

    /// The analysis of a source.
    fn analyse(&self, source: &Source) -> Result<Analysis, Unreadable> {
        Ok(self.analyse_file(source)?.0)
    }

    /// Values recorded by runs of the user's program for a source.
    fn recorded(&self, source: &Source) -> Vec<Placed> {
        let path = normal(&source.path);
        if Host::of_path(&path) != Some(Host::Python) {
            return Vec::new();
        }
        let here: Vec<PathBuf> = std::env::current_dir().ok().into_iter().collect();
        let found = self.recordings.about(&path, &here, &complain);
        found.map_or_else(Vec::new, |found| placed(&found, &path, &source.text))
    }

    /// The changes by macros that no flag decides in a source.
    fn what_if(&self, source: &Source) -> WhatIf {
        let found = source.what_if(&self.options, &self.project);
        found.unwrap_or_default()
    }

    /// The analysis of a source, with the file as it was read.
    fn analyse_file(&self, source: &Source) -> Result<(Analysis, SourceFile), Unreadable> {
        if source.lossy {
            let file = shown(&source.path);
            complain(&format!(
                "{file}: not UTF-8; invalid bytes are read as U+FFFD"
            ));
        }
        let (mut analysis, file) = source.analyse(&self.options, &self.project)?;
        analysis.findings = self.rules.applied(analysis.findings);
        Ok((analysis, file))
    }
}
