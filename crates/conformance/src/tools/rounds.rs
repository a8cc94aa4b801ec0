//! Tools that need more than one round: `input_required`, its state, and several questions at once.

use super::plain;
use super::questions::{elicitation, sampling};
use crate::call::{Answer, Asked, Call, text};
use rmcp::ErrorData;
use serde_json::{Value, json};

pub(super) const NAMES: [&str; 8] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

pub(super) fn definitions() -> Value {
    json!([
        plain(NAMES[0], "Asks for a name"),
        plain(NAMES[1], "Asks for a capital"),
        plain(NAMES[2], "Asks for the roots"),
        plain(NAMES[3], "Asks for a confirmation and keeps a state"),
        plain(NAMES[4], "Asks for three things at once"),
        plain(NAMES[5], "Asks for one thing after the other"),
        plain(NAMES[6], "Refuses a state that was changed"),
        plain(NAMES[7], "Asks only for what the client can give"),
    ])
}

pub(super) async fn call(name: &str, call: &Call<'_>) -> Answer {
    let name_question = string("What is your name?", "name");
    match name {
        "test_input_required_result_elicitation" => {
            once(call, json!({"user_name": name_question}), None, "Hello").await
        }
        "test_input_required_result_sampling" => {
            let question = sampling("What is the capital of France?");
            once(call, json!({"capital_question": question}), None, "The model says").await
        }
        "test_input_required_result_list_roots" => {
            once(call, json!({"client_roots": roots()}), None, "Roots").await
        }
        "test_input_required_result_request_state" => {
            opened(call)?;
            once(call, json!({"confirm": confirmation()}), Some(sealed(call, 1)), "state-ok").await
        }
        "test_input_required_result_tampered_state" => {
            opened(call)?;
            once(call, json!({"confirm": confirmation()}), Some(sealed(call, 1)), "Confirmed").await
        }
        "test_input_required_result_multiple_inputs" => {
            opened(call)?;
            let questions = json!({
                "user_name": name_question,
                "greeting": sampling("Generate a greeting"),
                "client_roots": roots(),
            });
            once(call, questions, Some(sealed(call, 1)), "All answers").await
        }
        "test_input_required_result_multi_round" => two_rounds(call).await,
        _ => {
            let mut questions =
                json!({"name": name_question, "word": sampling("Say a word"), "roots": roots()});
            let offered = questions.as_object_mut().expect("it is written as an object above");
            offered.retain(|_, question| call.can_answer(question["method"].as_str().unwrap_or_default()));
            once(call, questions, None, "Answers").await
        }
    }
}

/// Asks, and gives the answers back after the word.
async fn once(call: &Call<'_>, questions: Value, state: Option<String>, word: &str) -> Answer {
    Ok(match call.ask(questions, state).await? {
        Asked::Required(result) => result.into(),
        Asked::Answered(answers) => text(&format!("{word}: {}", json!(answers))),
    })
}

/// The second question comes with a state that says so; a legacy client is asked both in one call.
async fn two_rounds(call: &Call<'_>) -> Answer {
    let round = opened(call)?;
    let first = json!({"step1": string("Step 1: What is your name?", "name")});
    let second = json!({"step2": string("Step 2: What is your favorite color?", "color")});
    if round < 2
        && let Asked::Required(result) = call.ask(first, Some(sealed(call, 1))).await?
    {
        return Ok(result.into());
    }
    once(call, second, Some(sealed(call, 2)), "Both steps").await
}

/// The round that the state of the call stands for; 0 without a state.
fn opened(call: &Call<'_>) -> Result<u8, ErrorData> {
    let Some(state) = &call.state else { return Ok(0) };
    let opened = call.fixture.states.open(state);
    let round = opened.ok().and_then(|bytes| bytes.first().copied());
    round.ok_or_else(|| ErrorData::invalid_params("requestState was changed on its way", None))
}

fn sealed(call: &Call<'_>, round: u8) -> String {
    call.fixture.states.seal(&[round])
}

fn string(message: &str, property: &str) -> Value {
    let schema =
        json!({"type": "object", "properties": {property: {"type": "string"}}, "required": [property]});
    elicitation(message, schema)
}

fn confirmation() -> Value {
    let schema = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    elicitation("Please confirm", schema)
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}
