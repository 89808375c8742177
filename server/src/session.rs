//! State shared by the parts of a running server.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use cute_analysis::Assumption;
use tokio::runtime::Handle;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{Diagnostic, MessageType, Url};

use tree_sitter_cute::Host;

use crate::choices::{self, Choices};
use crate::client::Client;
use crate::config::Config;
use crate::documents::{Document, Documents, Open, path_of};
use crate::limits::REQUEST_TIME;
use crate::log::{self, Level};
use crate::notebooks::Notebooks;
use crate::pool::{Cancel, CancelOnDrop, Pool, Stopped};
use crate::presentation::instances::Chosen;
use crate::project::Project;
use crate::project_file::ProjectFile;
use crate::recorded::{Placed, Recordings, placed};
use crate::run::results::Results;
use crate::settings::{FAILED, Settings};
use crate::transport::outgoing::Outgoing;
use crate::turns::{Turn, Turns};

tokio::task_local! {
    /// The request that the current task answers.
    pub static REQUEST: Context;
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Context {
    /// Its method.
    pub method: String,
    /// The document that it is about.
    pub uri: Option<String>,
    /// The documents as they were when it arrived.
    pub open: Open,
    /// The settings as they were when it arrived.
    pub config: Arc<Config>,
    /// The time limit.
    pub limit: Duration,
    /// The turn in which its answer is computed.
    pub(crate) turn: Turn,
}

impl Context {
    /// The request in words, for the log.
    pub fn describe(&self) -> String {
        match &self.uri {
            Some(uri) => format!("{} {uri}", self.method),
            None => self.method.clone(),
        }
    }
}

/// State shared by the parts of a running server.
#[derive(Debug)]
pub struct Session {
    /// Messages to the client.
    pub outgoing: Arc<Outgoing>,
    /// Documents that the editor has open.
    pub documents: Documents,
    /// The notebooks that the editor has open.
    pub notebooks: Notebooks,
    /// The workers.
    pub pool: Pool,
    /// The turns of computed answers.
    turns: Turns,
    /// The runtime that waits.
    pub runtime: Handle,
    /// The settings of the start of the server.
    pub settings: Settings,
    ended: Sender<u8>,
    introduced: Introduced,
    config: Mutex<Arc<Config>>,
    wishes: Wishes,
    told: Mutex<Published>,
    results: Mutex<Results>,
    recordings: Recordings,
    check: Check,
}

/// The client's words about itself, once.
#[derive(Debug, Default)]
struct Introduced {
    client: OnceLock<Client>,
    workspace: OnceLock<Workspace>,
}

/// The user's choices for documents.
#[derive(Debug, Default)]
struct Wishes {
    chosen: Mutex<Choices>,
    /// Sizes with which a document is evaluated.
    sizes: Mutex<HashMap<Url, Vec<Assumption>>>,
}

/// The last check of the workspace.
#[derive(Debug, Default)]
struct Check {
    /// The findings of closed files.
    checked: Mutex<BTreeMap<Url, Vec<Diagnostic>>>,
    /// The number of the newest check, and its cancellation.
    checking: Mutex<(u64, Cancel)>,
}

/// The client's description of its workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Whether the user trusts it; clients that know no trust say nothing, and are trusted.
    pub is_trusted: bool,
}

/// The folders of the workspace, in the client's order.
#[derive(Debug, Clone, Default)]
struct Published {
    folders: Vec<(PathBuf, Rules)>,
    /// The rules outside of all folders.
    outside: Rules,
}

/// The settings of a project for its sources, and its files.
#[derive(Debug, Clone, Default)]
struct Rules {
    file: Arc<ProjectFile>,
    project: Arc<Project>,
}

impl Published {
    /// The rules for a file: those of the innermost folder around it, else of the first one.
    fn about(&self, path: &Path) -> &Rules {
        let around = self
            .folders
            .iter()
            .filter(|(root, _)| path.starts_with(root));
        around
            .max_by_key(|(root, _)| root.components().count())
            .map_or_else(|| self.first(), |(_, rules)| rules)
    }

    fn first(&self) -> &Rules {
        self.folders
            .first()
            .map_or(&self.outside, |(_, rules)| rules)
    }

    fn all(&self) -> impl Iterator<Item = &Rules> {
        let inside = self.folders.iter().map(|(_, rules)| rules);
        let outside = self.folders.is_empty().then_some(&self.outside);
        inside.chain(outside)
    }
}

impl Session {
    /// A session before `initialize`. It ends when an exit code is sent to `ended`.
    pub fn new(
        outgoing: Arc<Outgoing>,
        runtime: Handle,
        ended: Sender<u8>,
        settings: Settings,
    ) -> Self {
        Self {
            outgoing,
            documents: Documents::default(),
            notebooks: Notebooks::default(),
            pool: Pool::default(),
            turns: Turns::default(),
            runtime,
            settings,
            ended,
            introduced: Introduced::default(),
            config: Mutex::default(),
            wishes: Wishes::default(),
            told: Mutex::default(),
            results: Mutex::default(),
            recordings: Recordings::default(),
            check: Check::default(),
        }
    }

    /// Sets the workspace. The first word counts.
    pub fn enter(&self, workspace: Workspace) {
        let _ = self.introduced.workspace.set(workspace);
    }

    /// The workspace, once the client has introduced it.
    pub fn workspace(&self) -> Option<&Workspace> {
        self.introduced.workspace.get()
    }

    /// The findings of closed files, from the last check of the workspace.
    pub fn checked(&self) -> MutexGuard<'_, BTreeMap<Url, Vec<Diagnostic>>> {
        self.check
            .checked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a check of the workspace and ends the one before: its number, and its cancellation.
    pub fn begin_check(&self) -> (u64, Cancel) {
        let mut newest = self
            .check
            .checking
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        newest.1.cancel();
        *newest = (newest.0.wrapping_add(1), Cancel::default());
        newest.clone()
    }

    /// Ends the check of the workspace that is under way, if its number is meant.
    pub fn cancel_check(&self, is_meant: impl Fn(u64) -> bool) {
        let newest = self
            .check
            .checking
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if is_meant(newest.0) {
            newest.1.cancel();
        }
    }

    /// Values recorded by runs of the user's program for a document with this text; nothing where the workspace is not
    /// trusted.
    pub fn recorded(&self, document: &Document, text: &str) -> Vec<Placed> {
        let is_trusted = self
            .workspace()
            .is_some_and(|workspace| workspace.is_trusted);
        if !is_trusted || document.host != Some(Host::Python) {
            return Vec::new();
        }
        let path = document.path();
        let remark = |remark: &str| self.log(Level::Warning, remark);
        let found = self.recordings.about(&path, &self.folders(), &remark);
        found.map_or_else(Vec::new, |found| placed(&found, &path, text))
    }

    /// The answers of runs.
    pub fn results(&self) -> MutexGuard<'_, Results> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client; a silent one until it has introduced itself.
    pub fn client(&self) -> Client {
        self.introduced.client.get().copied().unwrap_or_default()
    }

    /// Notes who the client is. The first introduction counts.
    pub fn introduce(&self, client: Client) {
        let _ = self.introduced.client.set(client);
    }

    /// Whether the client has introduced itself.
    pub fn is_introduced(&self) -> bool {
        self.introduced.client.get().is_some()
    }

    /// Ends the server, as its client is gone.
    pub fn end(&self) {
        // The receiver is gone only when the server is ending already.
        let _ = self.ended.send(FAILED);
    }

    /// The settings now.
    pub fn config(&self) -> Arc<Config> {
        self.config
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Puts new settings in the place of the old; `false` when they are equal.
    pub fn configure(&self, config: Config) -> bool {
        let mut current = self.config.lock().unwrap_or_else(PoisonError::into_inner);
        let differs = **current != config;
        *current = Arc::new(config);
        differs
    }

    /// The instances that are shown first in a document: those that were chosen, else those that the project or the
    /// settings name.
    pub fn chosen(&self, uri: &Url) -> Arc<Chosen> {
        let (told, config, file) = (self.told().clone(), self.config(), path_of(uri));
        let mut named = Chosen::default();
        let of_projects = told.all().flat_map(|rules| &rules.file.shown);
        for (function, instance) in of_projects.chain(&config.shown) {
            named.choose(function, Some(instance.clone()));
        }
        choices::prefer(&mut named, &config.instances.preferred, &file);
        let clicked = self
            .wishes
            .chosen
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::new(clicked.over(named, &file))
    }

    /// Chooses which instance of a function is shown first, in one document or everywhere; `None` is the first one again.
    pub fn choose(&self, function: &str, instance: Option<String>, uri: Option<&Url>) {
        let mut chosen = self
            .wishes
            .chosen
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        chosen.choose(function, instance, uri.map(path_of));
    }

    /// Evaluates a document with these sizes besides the assumptions for all; none ends that.
    pub fn use_sizes(&self, uri: &Url, sizes: Vec<Assumption>) {
        let mut all = self
            .wishes
            .sizes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if sizes.is_empty() {
            all.remove(uri);
        } else {
            all.insert(uri.clone(), sizes);
        }
    }

    /// The sizes with which a document is evaluated.
    pub fn sizes(&self, uri: &Url) -> Vec<Assumption> {
        let all = self
            .wishes
            .sizes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.get(uri).cloned().unwrap_or_default()
    }

    /// The assumptions in a document.
    pub fn assumptions_in(&self, uri: &Url) -> Vec<Assumption> {
        let mut assume = self.assumed_with(&self.project_file_of(&path_of(uri)));
        assume.extend(self.sizes(uri));
        assume
    }

    /// The assumptions without a document: those of the start of the server, of the first folder's project, and of the
    /// settings.
    pub fn assumptions(&self) -> Vec<Assumption> {
        let first = self.told().first().file.clone();
        self.assumed_with(&first)
    }

    fn assumed_with(&self, file: &ProjectFile) -> Vec<Assumption> {
        let mut assume = self.settings.assume.clone();
        assume.extend(file.assume.iter().cloned());
        assume.extend(self.config().assumptions().0);
        assume
    }

    /// The files that belong together with one.
    pub fn project_of(&self, path: &Path) -> Arc<Project> {
        self.told().about(path).project.clone()
    }

    /// The settings for the sources of the project that a file belongs to.
    pub fn project_file_of(&self, path: &Path) -> Arc<ProjectFile> {
        self.told().about(path).file.clone()
    }

    /// Forgets the files on disk, everywhere.
    pub fn forget_files(&self) {
        for rules in self.told().all() {
            rules.project.forget();
        }
    }

    /// Notes that a file on disk may have changed; whether it includes others than before.
    pub fn note_file(&self, path: &Path) -> bool {
        let projects: Vec<_> = self
            .told()
            .all()
            .map(|rules| rules.project.clone())
            .collect();
        let noted = projects.iter().map(|project| project.note(path));
        noted.fold(false, |some, one| some | one)
    }

    /// Whether the editor has a file open.
    pub fn is_open(&self, path: &Path) -> bool {
        let open = Url::from_file_path(path).ok();
        open.is_some_and(|uri| self.documents.get(&uri).is_some())
    }

    /// Takes over the settings of a folder's project for its sources; `None` is where there is no folder.
    pub fn adopt(&self, folder: Option<&Path>, file: ProjectFile) {
        let mut flags = self.settings.flags.clone();
        flags.include.extend(file.flags.include.iter().cloned());
        flags.defines.extend(file.flags.defines.iter().cloned());
        let project = Project::new(flags, &file.instances);
        let here = std::env::current_dir().ok();
        project.work_in(folder.map(Path::to_owned).into_iter().chain(here));
        let rules = Rules {
            project: Arc::new(project),
            file: Arc::new(file),
        };
        let mut told = self.told();
        match folder {
            None => told.outside = rules,
            Some(folder) => {
                if let Some((_, old)) = told.folders.iter_mut().find(|(root, _)| root == folder) {
                    *old = rules;
                }
            }
        }
        // The folder in which an editor was started says nothing of the files that may be read.
        let folders: Vec<PathBuf> = told.folders.iter().map(|(root, _)| root.clone()).collect();
        for rules in told.all() {
            rules.project.may_read(folders.iter().cloned());
        }
    }

    /// The folders of the workspace, in the client's order.
    pub fn folders(&self) -> Vec<PathBuf> {
        let told = self.told();
        told.folders.iter().map(|(root, _)| root.clone()).collect()
    }

    /// The first folder of the workspace, if there is one.
    pub fn root(&self) -> Option<PathBuf> {
        self.told().folders.first().map(|(root, _)| root.clone())
    }

    /// Notes the folders of the workspace; one that was there keeps its project's settings.
    pub fn move_to(&self, folders: Vec<PathBuf>) {
        let mut told = self.told();
        let old = std::mem::take(&mut told.folders);
        let kept = |root: PathBuf| {
            let rules = old.iter().find(|(before, _)| *before == root);
            let rules = rules.map(|(_, rules)| rules.clone()).unwrap_or_default();
            (root, rules)
        };
        told.folders = folders.into_iter().map(kept).collect();
    }

    fn told(&self) -> MutexGuard<'_, Published> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request as it arrives now.
    pub fn context(&self, method: &str, uri: Option<&str>) -> Context {
        Context {
            method: method.to_owned(),
            uri: uri.map(str::to_owned),
            open: self.documents.now(),
            config: self.config(),
            limit: REQUEST_TIME,
            turn: self.turns.next(),
        }
    }

    /// Waits until the answer to the current request may be computed; at once outside of requests.
    pub async fn turn(&self) {
        if let Ok(turn) = REQUEST.try_with(|request| request.turn.clone()) {
            turn.begin().await;
        }
    }

    /// Writes to both logs; to the client only once it has introduced itself, as it must not be
    /// spoken to before.
    pub fn log(&self, level: Level, message: &str) {
        log::stderr(level, message);
        if !self.is_introduced() {
            return;
        }
        let level = match level {
            Level::Error => MessageType::ERROR,
            Level::Warning => MessageType::WARNING,
            Level::Info => MessageType::INFO,
        };
        self.outgoing.log(level, message);
    }

    /// Runs a request's work on the pool when its turn has come. It is cancelled when the request is.
    ///
    /// # Errors
    /// The errors: the work was cancelled or panicked; a panic is logged.
    pub async fn compute<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Cancel) -> T + Send + 'static,
    {
        self.turn().await;
        let cancel = Cancel::default();
        let _cancel_when_dropped = CancelOnDrop(cancel.clone());
        let result = self.pool.run(cancel, work).await;
        result.map_err(|stopped| self.answer_to(stopped))
    }

    /// Notes that a request about a document failed for time: its answer is to be fetched again when it is known.
    pub fn note_failed(&self, uri: Option<&str>) {
        let uri = uri.and_then(|uri| Url::parse(uri).ok());
        if let Some(document) = uri.and_then(|uri| self.documents.get(&uri)) {
            document.early.note_failed();
        }
    }

    /// The error answer for work that stopped; a panic is logged with the request it was for.
    pub fn answer_to(&self, stopped: Stopped) -> Error {
        match stopped {
            Stopped::Cancelled => Error::content_modified(),
            Stopped::Panicked(message) => {
                let request = REQUEST.try_with(Context::describe).unwrap_or_default();
                self.log(Level::Error, &format!("panic in {request}: {message}"));
                Error::internal_error()
            }
        }
    }

    /// The documents as they were when the current request arrived.
    pub fn open_at_arrival(&self) -> Open {
        REQUEST
            .try_with(|request| request.open.clone())
            .unwrap_or_else(|_| self.documents.now())
    }

    /// The settings as they were when the current request arrived.
    pub fn config_at_arrival(&self) -> Arc<Config> {
        REQUEST
            .try_with(|request| request.config.clone())
            .unwrap_or_else(|_| self.config())
    }
}
