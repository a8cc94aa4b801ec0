//! Templates: workflows to be made from parameters (spec 5.1). Some come with the product, some are the user's
//! own, and some stand in a catalogue that a team shares.

mod catalogue;
mod fill;
mod parameter;
mod save;
mod shipped;
mod template;
mod view;

pub(super) use catalogue::Catalogue;
pub use parameter::{Parameter, ParameterType};
pub use template::Template;
pub use view::{TemplateSource, TemplateView};

use super::faults;
use crate::gateway::{Gateway, unread, unstored};
use crate::graphs::WorkflowView;
use crate::graphs::ops::stem;
use crate::hooks::{fresh_id, now};
use crate::hub::News;
use model::{Code, Fault, Workflow};
use serde_json::{Map, Value};
use shipped::SHIPPED;
use store::StoredTemplate;
use template::object;

impl Gateway {
    /// Every template: those that come with the product, those of the user, those of the catalogue.
    pub async fn templates(&self) -> Result<Vec<TemplateView>, Fault> {
        let mut all: Vec<TemplateView> =
            SHIPPED.iter().map(|(id, template)| TemplateView::shipped(id, template)).collect();
        let kinds = self.graphs.kinds();
        let own = self.store.templates().list().await.map_err(|error| unread(&error))?;
        all.extend(own.iter().map(|stored| TemplateView::own(stored, &kinds.names())));
        let shared = self.graphs.catalogue.entries(&self.settings(), &kinds.names()).await;
        all.extend(shared.into_iter().map(TemplateView::shared));
        all.iter_mut().for_each(|view| view.workflow = None);
        Ok(all)
    }

    /// One template, with the definition that it holds.
    pub async fn template(&self, id: &str) -> Result<TemplateView, Fault> {
        if let Some((id, template)) = SHIPPED.iter().find(|(known, _)| *known == id) {
            return Ok(TemplateView::shipped(id, template));
        }
        let kinds = self.graphs.kinds();
        if id.starts_with(catalogue::PREFIX) {
            let shared = self.graphs.catalogue.entries(&self.settings(), &kinds.names()).await;
            let found = shared.into_iter().find(|entry| entry.id == id);
            return found.map(TemplateView::shared).ok_or_else(|| faults::unknown_template(id));
        }
        let stored = self.store.templates().get(id).await.map_err(|error| unread(&error))?;
        let stored = stored.ok_or_else(|| faults::unknown_template(id))?;
        Ok(TemplateView::own(&stored, &kinds.names()))
    }

    /// Keeps a template: of a workflow that the body names, or of the definition in the body.
    pub async fn save_template(&self, body: &str) -> Result<TemplateView, Fault> {
        let given = object(body)?;
        match given.get("workflowId") {
            None | Some(Value::Null) => self.keep_template(&given).await,
            Some(Value::String(id)) => {
                let workflow = self.any_workflow(id)?;
                self.keep_template(&save::body(&workflow, &given)?).await
            }
            Some(_) => Err(parameter::wrong("workflowId", "must be a string")),
        }
    }

    /// Keeps a template that was exported.
    pub async fn import_template(&self, body: &str) -> Result<TemplateView, Fault> {
        self.keep_template(&object(body)?).await
    }

    async fn keep_template(&self, body: &Map<String, Value>) -> Result<TemplateView, Fault> {
        let kinds = self.graphs.kinds();
        let template = Template::parse(body, &kinds.names())?;
        let (draft, open) = template.sample(&kinds.names())?;
        self.check_session_template(&Workflow::new(String::new(), draft, 0), &open)
            .await
            .map_err(|fault| template::in_workflow(&fault))?;
        let stored = StoredTemplate { id: fresh_id(), body: template.to_json(), created_at: now() };
        self.store.templates().add(stored.clone()).await.map_err(|error| unstored(&error))?;
        self.around.hub.tell(News::Workflows);
        Ok(TemplateView::own(&stored, &kinds.names()))
    }

    /// A template as JSON text, and the name of a file for it.
    pub async fn export_template(&self, id: &str) -> Result<(String, String), Fault> {
        let template = self.usable(id).await?;
        Ok((template.to_json(), format!("{}.template.json", stem(&template.name, "template"))))
    }

    /// Forgets a template of the user; what was made from it stays.
    pub async fn remove_template(&self, id: &str) -> Result<(), Fault> {
        let refuse = |reason: &str| {
            Err(Fault::new(Code::Conflict, format!("Template '{id}' {reason}")).with("id", id))
        };
        if SHIPPED.iter().any(|(known, _)| *known == id) {
            return refuse("comes with the product and cannot be deleted");
        }
        if id.starts_with(catalogue::PREFIX) {
            return refuse("stands in the catalogue; remove it there");
        }
        let removed = self.store.templates().remove(id).await.map_err(|error| unstored(&error))?;
        if !removed {
            return Err(faults::unknown_template(id));
        }
        self.around.hub.tell(News::Workflows);
        Ok(())
    }

    /// Makes a workflow from a template. It is an ordinary one, and not active.
    pub async fn create_from_template(&self, id: &str, body: &str) -> Result<WorkflowView, Fault> {
        let template = self.usable(id).await?;
        let body = object(body)?;
        let name = match body.get("name") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) if !name.trim().is_empty() => Some(name.as_str()),
            Some(_) => return Err(parameter::wrong("name", "must be a string that is not blank")),
        };
        let none = Map::new();
        let given = match body.get("parameters") {
            None | Some(Value::Null) => &none,
            Some(Value::Object(given)) => given,
            Some(_) => return Err(parameter::wrong("parameters", "must be a JSON object")),
        };
        let draft = template.make(name, given, &self.graphs.kinds().names())?;
        self.add_workflow(draft).await
    }

    /// A template that nothing is wrong with.
    async fn usable(&self, id: &str) -> Result<Template, Fault> {
        let TemplateView { name, description, parameters, workflow, error, .. } = self.template(id).await?;
        match (workflow, error) {
            (Some(workflow), None) => Ok(Template { name, description, parameters, workflow }),
            (_, error) => {
                let message = format!("Template '{id}' cannot be used: {}", error.unwrap_or_default());
                Err(Fault::new(Code::ValidationError, message).with("id", id))
            }
        }
    }
}
