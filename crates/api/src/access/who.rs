//! Who makes a request, for the handlers of routes.

use crate::call::client_id;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use gateway::{Caller, Pass};
use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

/// The key that let a request in, and the name that its client gives itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Who {
    pub(crate) pass: Option<Arc<Pass>>,
    name: Option<String>,
}

impl Who {
    /// Whoever sent a request.
    pub(crate) fn of(head: &Parts) -> Self {
        Self {
            pass: head.extensions.get::<Arc<Pass>>().cloned(),
            name: client_id(&head.headers).map(Cow::into_owned),
        }
    }

    /// The same, before the request is taken apart.
    pub(crate) fn of_request(request: &Request) -> Self {
        let name = client_id(request.headers()).map(Cow::into_owned);
        Self { pass: request.extensions().get::<Arc<Pass>>().cloned(), name }
    }

    /// The same for the road of a call.
    pub(crate) fn caller(&self) -> Caller<'_> {
        Caller::new(self.name.as_deref()).with(self.pass.as_deref())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Who {
    type Rejection = Infallible;

    async fn from_request_parts(head: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(head))
    }
}
