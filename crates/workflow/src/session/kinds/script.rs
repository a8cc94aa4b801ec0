//! An activity that is a script in the sandbox.

use crate::session::activity::{Activity, ActivityContext, ActivityResult, Effect, Running};
use crate::session::plan::{as_result, with_context};
use crate::session::script::Code;

/// Runs a script: the body of an async function of `context` that returns a result.
pub struct ScriptActivity {
    name: String,
    code: Code,
}

impl ScriptActivity {
    /// The activity of this name and code.
    pub fn new(name: &str, code: Code) -> Self {
        Self { name: name.to_owned(), code }
    }
}

impl Activity for ScriptActivity {
    fn name(&self) -> &str {
        &self.name
    }

    /// A script reaches nothing outside its sandbox.
    fn effect(&self) -> Effect {
        Effect::None
    }

    fn run<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        Box::pin(async move {
            let mut memory = std::mem::take(&mut context.memory);
            let returned = with_context(&self.code, context, &mut memory, None).await;
            context.memory = memory;
            returned.map_or_else(ActivityResult::failure, as_result)
        })
    }
}
