//! Plug-ins: node types that stand as manifests in a folder (spec 5.1). They are read at the start and at every
//! reload; one that is unsound is left out, and the log says why.

use super::Graphs;
use crate::gateway::Gateway;
use crate::hooks::Hooks;
use crate::hub::News;
use model::Settings;
use sandbox::Sandbox;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use workflow::{Kinds, NodeType, Plugin};

/// The largest manifest.
const BYTES_MAX: u64 = 1 << 20;

/// The kinds of nodes with the plug-ins of the folder that the settings name.
pub(super) async fn load(settings: &Settings, sandbox: &Sandbox) -> Kinds {
    let Some(folder) = settings.plugins.folder.clone().map(PathBuf::from) else { return Kinds::default() };
    let reading = tokio::task::spawn_blocking(move || read(&folder));
    let mut plugins: Vec<Arc<Plugin>> = Vec::new();
    for (file, read) in reading.await.unwrap_or_default() {
        let sound = match read {
            Ok(plugin) => sound(plugin, &plugins, sandbox).await,
            Err(reason) => Err(reason),
        };
        match sound {
            Ok(plugin) => plugins.push(Arc::new(plugin)),
            Err(reason) => {
                tracing::error!(file = %file.display(), reason, "the plug-in is left out; correct its manifest and reload");
            }
        }
    }
    Kinds::new(plugins)
}

/// Whether a plug-in can stand beside the others.
async fn sound(plugin: Plugin, others: &[Arc<Plugin>], sandbox: &Sandbox) -> Result<Plugin, String> {
    if others.iter().any(|other| other.name() == plugin.name()) {
        return Err(format!("another plug-in has the name '{}'", plugin.name()));
    }
    match sandbox.check(plugin.script()).await {
        Ok(()) => Ok(plugin),
        Err(error) => {
            let place = error.line.map(|line| format!(" (line {line})")).unwrap_or_default();
            Err(format!("its script does not compile: {}{place}", error.message))
        }
    }
}

/// What the manifests of a folder say, in the order of their names.
fn read(folder: &Path) -> Vec<(PathBuf, Result<Plugin, String>)> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let reason = format!("plugins.folder cannot be read: {error}");
            return vec![(folder.to_owned(), Err(reason))];
        }
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|word| word == "json"));
    files.sort();
    files.into_iter().map(|file| (file.clone(), read_one(&file))).collect()
}

fn read_one(file: &Path) -> Result<Plugin, String> {
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > BYTES_MAX {
        return Err(format!("it has {size} bytes; at most {BYTES_MAX} are read"));
    }
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    Plugin::parse(&text).map_err(|error| error.to_string())
}

impl Graphs {
    /// The kinds of nodes that there are now.
    pub(crate) fn kinds(&self) -> Arc<Kinds> {
        self.kinds.load_full()
    }

    /// Whether an active workflow cannot run.
    pub(crate) fn is_broken(&self) -> bool {
        self.shelf.row().all().iter().any(|entry| entry.broken().is_some())
    }

    /// Reads the plug-ins anew, and says whether they are others. One that a workflow uses stays though its
    /// manifest is gone. Whoever calls holds `followed`.
    pub(crate) async fn reload_plugins(&self, settings: &Settings, hooks: &Hooks) -> bool {
        let before = self.kinds();
        let broken = self.is_broken();
        if settings.plugins.folder.is_none() && before.plugins().is_empty() && !broken {
            return false;
        }
        let fresh = load(settings, &hooks.sandbox).await;
        let mut plugins = fresh.plugins().to_vec();
        for gone in before.plugins().iter().filter(|old| !fresh.names().contains(&old.name())) {
            if let Some(user) = self.shelf.user_of_kind(gone.name()) {
                tracing::warn!(
                    plugin = gone.name(),
                    workflow = user,
                    "the plug-in is gone or unsound and a workflow uses it; it stays until the workflow does not"
                );
                plugins.push(Arc::clone(gone));
            }
        }
        let after = Kinds::new(plugins);
        let same = after == *before;
        // What could not run is looked at again in any case.
        if !same || broken {
            self.shelf.renew(hooks, &after);
        }
        if same {
            return false;
        }
        self.kinds.store(Arc::new(after));
        true
    }
}

impl Gateway {
    /// The kinds of nodes that workflows may have, those of plug-ins included.
    pub fn node_types(&self) -> Vec<NodeType> {
        self.graphs.kinds().types()
    }

    /// Takes over plug-ins that changed.
    pub(crate) async fn reload_plugins(&self) {
        let _followed = self.followed.lock().await;
        if self.graphs.reload_plugins(&self.settings(), &self.hooks).await {
            self.around.hub.tell(News::Workflows);
        }
    }
}
