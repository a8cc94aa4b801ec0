//! The kinds of nodes that a gateway knows: those built in, and those that plug-ins add.

mod plugin;
mod schema;
mod types;

pub use plugin::{Plugin, PluginError};
pub use types::{NodeType, Outputs};

use crate::kind::{self, KIND_NAMES, Kind};
use crate::plan::Graph;
use crate::problem::Problem;
use crate::scripts::{self, Modules, Scripts};
use crate::validate;
use model::{Node, Workflow};
use serde_json::Value;
use std::sync::Arc;

/// The kinds that nodes may have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kinds {
    plugins: Vec<Arc<Plugin>>,
}

/// Those without any plug-in.
pub(crate) static BUILT_IN: Kinds = Kinds { plugins: Vec::new() };

impl Kinds {
    /// The kinds that are built in, and those of these plug-ins. Of two with one name the first counts.
    pub fn new(plugins: impl IntoIterator<Item = Arc<Plugin>>) -> Self {
        let mut all: Vec<Arc<Plugin>> = Vec::new();
        for plugin in plugins {
            if all.iter().all(|known| known.name() != plugin.name()) {
                all.push(plugin);
            }
        }
        Self { plugins: all }
    }

    /// The plug-ins.
    pub fn plugins(&self) -> &[Arc<Plugin>] {
        &self.plugins
    }

    /// The words that a node may have as its type.
    pub fn names(&self) -> Vec<&str> {
        KIND_NAMES.into_iter().chain(self.plugins.iter().map(|plugin| plugin.name())).collect()
    }

    /// What an editor needs to know of each kind.
    pub fn types(&self) -> Vec<NodeType> {
        types::built_in().into_iter().chain(self.plugins.iter().map(|plugin| plugin.node_type())).collect()
    }

    /// The kind of that name.
    pub(crate) fn of(&self, name: &str) -> Option<&dyn Kind> {
        let plugin = || self.plugins.iter().find(|plugin| plugin.name() == name);
        kind::of(name).map(|kind| kind as &dyn Kind).or_else(|| plugin().map(|plugin| &**plugin as &dyn Kind))
    }

    /// Every problem that can be found without compiling scripts, as [`crate::validate`] does.
    pub fn validate(&self, workflow: &Workflow) -> Vec<Problem> {
        validate::with(workflow, self)
    }

    /// The problems that only an engine finds, as [`crate::check_scripts`] does.
    pub async fn check_scripts<S: Scripts>(
        &self,
        workflow: &Workflow,
        scripts: &S,
        modules: &dyn Modules,
    ) -> Vec<Problem> {
        scripts::check_with(workflow, scripts, modules, self).await
    }

    /// Compiles a workflow, as [`Graph::compile`] does.
    pub fn compile(&self, workflow: &Workflow) -> Result<Arc<Graph>, Problem> {
        Graph::compile_with(workflow, self)
    }
}

/// The rules of a schema that the `data` of a node breaks, each to be read after the name of the node.
pub(crate) fn check_data(schema: &Value, node: &Node) -> Vec<String> {
    let mut broken = Vec::new();
    schema::check(schema, &Value::Object(node.data.clone()), "data", &mut broken);
    broken
}
