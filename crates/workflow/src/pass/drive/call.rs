//! The call itself: once, or on the terms of its node.

use super::Drive;
use crate::pass::{Stop, Tool, Trouble};
use crate::plan::{Action, Made, Terms, cache_key};
use crate::scripts::Scripts;
use serde_json::value::RawValue;
use std::future::Future;

impl<S: Scripts> Drive<'_, S> {
    /// Makes the call, and gives its failure.
    pub(super) async fn call<T, C, F>(&mut self, spot: usize, call: C) -> Result<Option<T>, Stop<T>>
    where
        T: Trouble,
        C: Fn(Option<Box<RawValue>>) -> F + Send + Sync,
        F: Future<Output = Result<Box<RawValue>, T>> + Send,
    {
        let params = self.params.clone().map(Into::into);
        self.run.started(spot);
        let outcome = match &self.graph.spots[spot].action {
            Action::Call(Some(terms)) => Box::pin(self.call_on(terms, spot, params, call)).await,
            _ => call(params).await,
        };
        match outcome {
            Ok(reply) => {
                self.run.called(spot, Ok(reply.get()));
                if self.graph.reads_reply {
                    self.result(spot, reply.get());
                }
                self.reply = Some(reply);
                Ok(None)
            }
            Err(trouble) => {
                self.run.called(spot, Err(&trouble.message()));
                self.error = Some(trouble.error().to_string());
                Ok(Some(trouble))
            }
        }
    }

    /// Makes the call on terms: not at all where the reply is known, again where that does no harm.
    async fn call_on<T, C, F>(
        &mut self,
        terms: &Terms,
        spot: usize,
        params: Option<Box<RawValue>>,
        call: C,
    ) -> Result<Box<RawValue>, T>
    where
        T: Trouble,
        C: Fn(Option<Box<RawValue>>) -> F + Send + Sync,
        F: Future<Output = Result<Box<RawValue>, T>> + Send,
    {
        let tool = self.pass.tools.find(params.as_deref());
        let text = params.as_ref().map_or(self.pass.params, |params| params.get());
        // What is more than a call, such as a task, has no key and is left alone.
        let key = tool.as_ref().and_then(|tool| cache_key(tool, text));
        let cache = terms.cache.as_ref().filter(|_| tool.as_ref().is_some_and(|tool| tool.read_only));
        if let Some(reply) = cache.zip(key.as_deref()).and_then(|(cache, key)| cache.get(key)) {
            self.made(spot, Made { cached: true, attempts: 0 });
            return Ok(reply);
        }
        let retry = terms.retry.filter(|_| key.is_some() && tool.as_ref().is_some_and(may_repeat));
        let mut attempts = 1;
        let outcome = loop {
            self.made(spot, Made { cached: false, attempts });
            match (call(params.clone()).await, retry) {
                (Err(trouble), Some(retry)) if attempts < retry.most && trouble.is_passing() => {
                    self.tell(spot, attempts, &trouble);
                    tokio::time::sleep(retry.backoff).await;
                    attempts += 1;
                }
                (outcome, _) => break outcome,
            }
        };
        if let (Ok(reply), Some(cache), Some(key)) = (&outcome, cache, key) {
            cache.keep(key, reply);
        }
        outcome
    }

    fn made(&mut self, spot: usize, made: Made) {
        self.made = Some(made);
        self.run.made(spot, made);
    }

    fn tell<T: Trouble>(&self, spot: usize, attempts: u32, trouble: &T) {
        tracing::warn!(
            workflowId = &*self.graph.workflow,
            nodeId = &*self.graph.spots[spot].id,
            attempts,
            // A server's own words may be what it was given, or a part of its result (spec 1.15).
            code = %trouble.error()["code"],
            "the call failed and is made again"
        );
    }
}

/// Whether a second call does no more than the first.
fn may_repeat(tool: &Tool) -> bool {
    tool.read_only || tool.idempotent
}

#[cfg(test)]
mod tests;
