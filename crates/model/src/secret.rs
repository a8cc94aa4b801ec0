//! Values that are never printed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Values by name; only the names are printed.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SecretValues(pub BTreeMap<String, String>);

impl std::fmt::Debug for SecretValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_printed() {
        let values = SecretValues(BTreeMap::from([("KEY".into(), "s3cret".into())]));
        assert_eq!(format!("{values:?}"), r#"{"KEY"}"#);
    }
}
