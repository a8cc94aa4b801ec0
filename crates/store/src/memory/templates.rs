//! The templates area in memory.

use super::Memory;
use crate::{Area, Error, StoredTemplate};

impl Memory {
    pub(crate) fn list_templates(&self) -> Result<Vec<StoredTemplate>, Error> {
        self.with(|data| Ok(data.templates.clone()))
    }

    pub(crate) fn get_template(&self, id: &str) -> Result<Option<StoredTemplate>, Error> {
        self.with(|data| Ok(data.templates.iter().find(|known| known.id == id).cloned()))
    }

    pub(crate) fn add_template(&self, template: StoredTemplate) -> Result<(), Error> {
        self.change(Area::Templates, |data| {
            if data.templates.iter().any(|known| known.id == template.id) {
                return Err(Error::Taken(template.id));
            }
            data.templates.push(template);
            Ok(())
        })
    }

    pub(crate) fn remove_template(&self, id: &str) -> Result<bool, Error> {
        self.change(Area::Templates, |data| {
            let before = data.templates.len();
            data.templates.retain(|known| known.id != id);
            Ok(data.templates.len() < before)
        })
    }
}
