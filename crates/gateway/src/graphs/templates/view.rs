//! Templates as the admin API shows them.

use super::catalogue::Entry;
use super::parameter::Parameter;
use super::template::{Template, object};
use model::WorkflowType;
use serde::Serialize;
use serde_json::{Map, Value};
use store::StoredTemplate;

/// A template as the admin API shows it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TemplateView {
    /// Its name in paths.
    pub id: String,
    /// Where it comes from.
    pub source: TemplateSource,
    /// What people call it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Which requests pass through what it makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_type: Option<WorkflowType>,
    /// What it asks for.
    pub parameters: Vec<Parameter>,
    /// The definition with its places for parameters; lists leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub workflow: Option<Map<String, Value>>,
    /// When it was saved, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Where a template comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TemplateSource {
    /// It comes with the product.
    Shipped,
    /// The user saved or imported it.
    Own,
    /// It stands in the catalogue of the operator.
    Catalogue,
}

impl TemplateView {
    fn new(id: &str, source: TemplateSource, template: Template) -> Self {
        let workflow_type = template.workflow_type();
        let Template { name, description, parameters, workflow } = template;
        let (id, workflow) = (id.to_owned(), Some(workflow));
        let (created_at, error) = (None, None);
        Self { id, source, name, description, workflow_type, parameters, workflow, created_at, error }
    }

    /// One that cannot be used.
    fn broken(id: &str, source: TemplateSource, name: &str, error: String) -> Self {
        let template = Template {
            name: name.to_owned(),
            description: String::new(),
            parameters: Vec::new(),
            workflow: Map::new(),
        };
        Self { workflow: None, error: Some(error), ..Self::new(id, source, template) }
    }

    pub(super) fn shipped(id: &str, template: &Template) -> Self {
        Self::new(id, TemplateSource::Shipped, template.clone())
    }

    /// A stored one. It was sound when it was saved, but a plug-in that it uses may be gone.
    pub(super) fn own(stored: &StoredTemplate, kinds: &[&str]) -> Self {
        let source = TemplateSource::Own;
        let read = object(&stored.body).and_then(|body| Template::read(&body));
        let view = match read {
            Ok(template) => {
                let error = template.try_out(kinds).err().map(|fault| fault.message);
                Self { error, ..Self::new(&stored.id, source, template) }
            }
            Err(fault) => Self::broken(&stored.id, source, &stored.id, fault.message),
        };
        Self { created_at: Some(stored.created_at), ..view }
    }

    pub(super) fn shared(entry: Entry) -> Self {
        let source = TemplateSource::Catalogue;
        match entry.template {
            Ok(template) => Self::new(&entry.id, source, template),
            Err(error) => Self::broken(&entry.id, source, &entry.name, error),
        }
    }
}
