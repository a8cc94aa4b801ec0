//! `lockgate call`: one call on the same road as every other.

use crate::args::{Call, Flags};
use crate::wire::{self, say};
use anyhow::Context;
use gateway::{Caller, Failure, ToolCall};
use model::{Fault, PRODUCT};
use serde_json::value::RawValue;
use std::io::Read;
use std::process::ExitCode;

pub(crate) fn run(flags: &Flags, options: &Call) -> anyhow::Result<ExitCode> {
    let body = body(options)?;
    wire::runtime()?.block_on(call(flags, options, &body))
}

fn told(outcome: Result<String, Fault>) -> ExitCode {
    match outcome {
        Ok(value) => {
            say(value);
            ExitCode::SUCCESS
        }
        Err(fault) => {
            say(fault.envelope());
            ExitCode::FAILURE
        }
    }
}

/// The same body as `POST /mcp/call`, so that the same checks apply.
fn body(options: &Call) -> anyhow::Result<Vec<u8>> {
    let mut input = options.input.clone();
    if input == "-" {
        input.clear();
        std::io::stdin().read_to_string(&mut input).context("reading the input from standard input")?;
    }
    let input: Box<RawValue> = serde_json::from_str(&input).context("the input is not JSON")?;
    let mut body =
        serde_json::to_vec(&serde_json::json!({"server": options.server, "toolName": options.tool}))?;
    body.pop();
    body.extend_from_slice(format!(",\"input\":{}", input.get()).as_bytes());
    if let Some(timeout) = options.timeout {
        body.extend_from_slice(format!(",\"timeout\":{timeout}").as_bytes());
    }
    body.push(b'}');
    Ok(body)
}

async fn call(flags: &Flags, options: &Call, body: &[u8]) -> anyhow::Result<ExitCode> {
    // The gateway's own tools stand under its own name, and may call any server.
    let own = options.server == PRODUCT;
    let gateway = wire::passing(flags, |entry| own || entry.name == options.server).await?;
    let own = own && gateway.registry().get(PRODUCT).is_none();
    wire::complain_of_servers(&gateway);
    let outcome = match ToolCall::parse(body, &gateway.settings()) {
        Ok(mut call) => {
            let caller = Caller::new(None);
            let carried = match own {
                true => gateway.call_published(caller, &call).await,
                false => gateway.call(caller, &mut call).await,
            };
            match carried.outcome {
                Ok(result) => gateway::value_of(&result, options.raw, &options.server, &options.tool)
                    .map(|value| value.into_owned()),
                Err(Failure::Fault(fault)) => Err(fault),
                Err(Failure::Rpc(error)) => Err(gateway::fault_of(&error, &options.server, &options.tool)),
            }
        }
        Err(fault) => Err(fault),
    };
    // Before the end, which waits for hooks that the caller does not wait for.
    let code = told(outcome);
    gateway.stop().await;
    Ok(code)
}
