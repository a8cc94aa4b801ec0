//! What a script's return value means, and which texts it changes (spec 2.5).

use super::context::Given;
use super::names::Name;
use super::realm::Tools;
use super::state::{Part, State, Text};
use super::tape::{Kind, Tape, outline, says};
use super::writer::{self, Bounds, Trouble, Wrote};
use crate::wire::Ended;
use crate::{Form, Phase, Verdict};
use rquickjs::atom::{Atom, PredefinedAtom};
use rquickjs::{IntoAtom, Object, Value};

/// The most bytes of a code or a message with which a script blocks.
const LONGEST: usize = 64 << 10;

/// What is said of a reply that is none.
const NO_REPLY: &str = "'response' must be an object";

/// The texts that an execution began with.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    pub(crate) params: Text,
    pub(crate) response: Option<Text>,
    pub(crate) shared: Option<Text>,
    pub(crate) variables: Option<Text>,
}

/// What an execution decided.
#[derive(Debug)]
pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    pub(crate) end: Ended,
    pub(crate) params: Option<String>,
    pub(crate) response: Option<String>,
    pub(crate) shared: Option<String>,
    pub(crate) variables: Option<String>,
    /// What was returned, where somebody wants to know.
    pub(crate) returned: Option<String>,
}

/// Why there is no decision.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// What was returned is no verdict.
    Wrong(String),
    /// What was returned could not be read or written.
    Trouble(Trouble),
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Self {
        Refusal::Trouble(trouble)
    }
}

impl From<rquickjs::Error> for Refusal {
    fn from(error: rquickjs::Error) -> Self {
        Refusal::Trouble(error.into())
    }
}

fn wrong(message: &str) -> Refusal {
    Refusal::Wrong(message.to_owned())
}

/// Reads the return value of one execution.
pub(crate) struct Judge<'a, 'js> {
    pub(crate) phase: Phase,
    pub(crate) form: Form,
    pub(crate) state: &'a State,
    pub(crate) tools: &'a Tools<'js>,
    /// What the script was called with, as it was made; nothing where it could not look at it.
    pub(crate) given: Option<&'a Given<'js>>,
    pub(crate) texts: &'a Texts,
    pub(crate) bounds: Bounds,
}

impl<'js> Judge<'_, 'js> {
    pub(crate) fn judge(&self, returned: &Value<'js>) -> Result<Decision, Refusal> {
        if self.form != Form::Hook {
            return self.given(returned);
        }
        if returned.is_undefined() {
            return self.go_on(None, None);
        }
        let Some(object) = returned.as_object().filter(|_| !returned.is_array() && !returned.is_function())
        else {
            return Err(wrong("the script must return an object, or nothing"));
        };
        let goes_on = match said(object, &PredefinedAtom::Continue)? {
            None => true,
            Some(value) => value.as_bool().ok_or_else(|| wrong("'continue' must be true or false"))?,
        };
        // To hand back nothing in the place of a reply is not to leave it as it is. Where there is none, nothing is lost.
        let given = match self.phase == Phase::Post && self.texts.response.is_some() {
            true => said(object, &self.name(Name::Response))?,
            false => member(object, &self.name(Name::Response))?,
        };
        if !goes_on {
            let error = member(object, &self.name(Name::Error))?.filter(|error| !error.is_null());
            // Who does not go on and has no reply blocks, also where the reply is null.
            if self.phase == Phase::Post || given.as_ref().is_none_or(Value::is_null) || error.is_some() {
                return self.block(error.as_ref());
            }
        }
        let context = match member(object, &self.name(Name::Context))? {
            None => None,
            Some(value) if self.context().is_some_and(|context| value == *context.as_value()) => None,
            Some(value) => {
                let plain = value.as_object().filter(|_| !value.is_array() && !value.is_function());
                Some(plain.ok_or_else(|| wrong("'context' must be an object"))?.clone())
            }
        };
        let mut decision = self.go_on(context.as_ref(), given.as_ref())?;
        if !goes_on {
            decision.end = Ended::Answered;
        }
        Ok(decision)
    }

    /// What a script that is no hook gives, and remembers.
    fn given(&self, returned: &Value<'js>) -> Result<Decision, Refusal> {
        let variables = match (&self.texts.variables, self.state.touched(Part::Variables)) {
            (Some(original), true) => {
                // What the script made of its context does not matter.
                let value = self.state.look(returned.ctx(), Part::Variables as usize)?;
                self.object(&value, original, "'context.memory' must be an object")?
            }
            _ => None,
        };
        let (wrote, text) = self.write(returned, None)?;
        let response = Some(text).filter(|_| wrote != Wrote::Nothing);
        let verdict = Verdict::Continue { changed: variables.is_some() };
        let (params, shared, returned, end) = (None, None, None, Ended::Through);
        Ok(Decision { verdict, end, params, response, shared, variables, returned })
    }

    /// What was returned, as JSON text; nothing where that cannot be written.
    pub(crate) fn told(&self, returned: &Value<'js>) -> Option<String> {
        match self.write(returned, None) {
            Ok((Wrote::Same | Wrote::Other, text)) => Some(text),
            Ok((Wrote::Nothing, _)) => None,
            Err(_) => {
                returned.ctx().catch();
                None
            }
        }
    }

    fn block(&self, error: Option<&Value<'js>>) -> Result<Decision, Refusal> {
        let (mut code, mut message) = (None, None);
        match error {
            Some(error) if error.is_string() => message = self.words(error)?,
            Some(error) => {
                if let Some(object) = error.as_object() {
                    let given = member(object, &"code")?;
                    code = match given.as_ref().map(|value| self.write(value, None)) {
                        Some(Ok((Wrote::Same | Wrote::Other, text))) if text.len() <= LONGEST => Some(text),
                        Some(Ok(_)) if given.as_ref().is_some_and(Value::is_string) => {
                            let words = given.map(|value| self.words(&value)).transpose()?.flatten();
                            words.map(|words| writer::quoted(&words))
                        }
                        Some(Err(refusal @ Refusal::Trouble(Trouble::Thrown | Trouble::Late))) => {
                            return Err(refusal);
                        }
                        // Who blocks blocks, also with a code that cannot be told.
                        _ => None,
                    };
                    message = member(object, &PredefinedAtom::Message)?
                        .map(|it| self.words(&it))
                        .transpose()?
                        .flatten();
                }
            }
            None => {}
        }
        let end = Ended::Blocked { code, message };
        let verdict = Verdict::Blocked;
        Ok(Decision {
            verdict,
            end,
            params: None,
            response: None,
            shared: None,
            variables: None,
            returned: None,
        })
    }

    /// A text, or a number as text.
    fn words(&self, value: &Value<'js>) -> Result<Option<String>, Refusal> {
        let mut text = match value.as_string() {
            Some(string) => super::fault::plain(string),
            None if value.is_number() || value.is_bool() => self.write(value, None)?.1,
            None => return Ok(None),
        };
        super::fault::shorten(&mut text, LONGEST);
        Ok(Some(text))
    }

    fn go_on(&self, context: Option<&Object<'js>>, given: Option<&Value<'js>>) -> Result<Decision, Refusal> {
        let params = if self.phase == Phase::Pre { self.params(context)? } else { None };
        let shared = self.shared(context)?;
        let variables = self.variables(context)?;
        let changed = params.is_some() || shared.is_some() || variables.is_some();
        let mut verdict = Verdict::Continue { changed };
        let response = match (self.phase, given) {
            (Phase::Pre, Some(given)) => {
                verdict = Verdict::Answered;
                let (wrote, text) = self.write(given, None)?;
                if wrote == Wrote::Nothing {
                    return Err(wrong("'response' cannot be written as JSON"));
                }
                Some(self.reply(text)?)
            }
            (Phase::Pre, None) => None,
            (Phase::Post, Some(given)) => {
                verdict = Verdict::Replaced;
                self.replaced(given, "'response' cannot be written as JSON")?
            }
            (Phase::Post, None) => {
                let changed = self.response(context)?;
                if changed.is_some() {
                    verdict = Verdict::Continue { changed: true };
                }
                changed
            }
        };
        let (end, returned) = (Ended::Through, None);
        Ok(Decision { verdict, end, params, response, shared, variables, returned })
    }

    /// The parameters, when they are others: of the returned context, or else changed in place.
    fn params(&self, context: Option<&Object<'js>>) -> Result<Option<String>, Refusal> {
        const RULE: &str = "'context.request.params' must be an object";
        let returned = context.map(|context| self.said_params(context)).transpose()?.flatten();
        let value = match (returned, self.given) {
            (Some(value), _) => value,
            // What was taken away is no object either: it must not pass for unchanged.
            (None, Some(given)) if !self.leaves_params(given)? => {
                self.said_params(&given.context)?.ok_or_else(|| wrong(RULE))?
            }
            (None, _) => return Ok(None),
        };
        self.object(&value, &self.texts.params, RULE)
    }

    /// Whether the script has left the parameters, and `context.request` around them, where they were.
    fn leaves_params(&self, Given { context, request }: &Given<'js>) -> Result<bool, Refusal> {
        if self.state.touched(Part::Params)
            || context.get::<_, Value<'js>>(self.name(Name::Request))? != *request
        {
            return Ok(false);
        }
        match request.as_object() {
            Some(request) => Ok(request.contains_key(self.name(Name::Params))?),
            None => Ok(false),
        }
    }

    fn response(&self, context: Option<&Object<'js>>) -> Result<Option<String>, Refusal> {
        if self.texts.response.is_none() {
            return Ok(None);
        }
        let name = || self.name(Name::Response);
        let returned = context.map(|context| said(context, &name())).transpose()?.flatten();
        let value = match (returned, self.context()) {
            (Some(value), _) => value,
            (None, Some(context))
                if self.state.touched(Part::Response) || !context.contains_key(name())? =>
            {
                context.get(name())?
            }
            (None, _) => return Ok(None),
        };
        self.replaced(&value, "'context.response' cannot be written as JSON")
    }

    /// What stands in the place of the reply, when it says something else.
    fn replaced(&self, value: &Value<'js>, rule: &str) -> Result<Option<String>, Refusal> {
        // What was taken away must not pass for unchanged.
        if value.is_undefined() {
            return Err(wrong(NO_REPLY));
        }
        let changed = self.changed(value, self.texts.response.as_ref(), rule)?;
        changed.map(|text| self.reply(text)).transpose()
    }

    fn shared(&self, context: Option<&Object<'js>>) -> Result<Option<String>, Refusal> {
        let names = [Name::Metadata, Name::Shared];
        let returned = context.map(|context| self.inner(context, names)).transpose()?.flatten();
        let value = match (returned, self.context()) {
            (Some(value), _) => Some(value),
            (None, Some(context)) if self.state.touched(Part::Metadata) => self.inner(context, names)?,
            (None, _) => None,
        };
        let Some(value) = value else { return Ok(None) };
        let original = self.texts.shared.as_ref().unwrap_or(&self.state.nothing);
        self.object(&value, original, "'context.metadata.shared' must be an object")
    }

    /// The variables, where there are any.
    fn variables(&self, context: Option<&Object<'js>>) -> Result<Option<String>, Refusal> {
        let Some(original) = &self.texts.variables else { return Ok(None) };
        let name = || self.name(Name::Variables);
        let returned = context.map(|context| member(context, &name())).transpose()?.flatten();
        let value = match (returned, self.context()) {
            (Some(value), _) => Some(value),
            (None, Some(context)) if self.state.touched(Part::Variables) => member(context, &name())?,
            (None, _) => None,
        };
        let Some(value) = value else { return Ok(None) };
        self.object(&value, original, "'context.variables' must be an object")
    }

    /// A reply that a script made: of every method that hooks cover it is an object, and of a list it has one.
    fn reply(&self, text: String) -> Result<String, Refusal> {
        if !text.starts_with('{') {
            return Err(wrong(NO_REPLY));
        }
        match self.list()?.and_then(|name| Some((name, broken_list(&text, name)?))) {
            Some((name, rule)) => Err(Refusal::Wrong(format!("'response.{name}' {rule}"))),
            None => Ok(text),
        }
    }

    /// The member of a reply that is a list, where the request is for one. What the script made of its context does
    /// not matter.
    fn list(&self) -> Result<Option<&'static str>, Refusal> {
        let kind = self.tools.top.named.iter().find(|(label, _)| label.text == "requestType");
        let Some((_, kind)) = kind else { return Ok(None) };
        let kind = kind.clone().restore(self.tools.start.ctx())?;
        let kind = kind.as_string().and_then(|kind| kind.to_string().ok());
        Ok(match kind.as_deref() {
            Some("ListTools") => Some("tools"),
            Some("ListResources") => Some("resources"),
            Some("ListResourceTemplates") => Some("resourceTemplates"),
            Some("ListPrompts") => Some("prompts"),
            _ => None,
        })
    }

    /// The text of an object, when it says something else than the original.
    fn object(&self, value: &Value<'js>, original: &Text, rule: &str) -> Result<Option<String>, Refusal> {
        if !value.is_object() || value.is_array() || value.is_function() {
            return Err(wrong(rule));
        }
        self.changed(value, Some(original), rule)
    }

    /// The text of a value, when it says something else than the original.
    fn changed(
        &self,
        value: &Value<'js>,
        original: Option<&Text>,
        rule: &str,
    ) -> Result<Option<String>, Refusal> {
        match self.write(value, original)? {
            (Wrote::Same, _) => Ok(None),
            (Wrote::Other, text) => Ok(Some(text)),
            (Wrote::Nothing, _) => Err(wrong(rule)),
        }
    }

    fn context(&self) -> Option<&Object<'js>> {
        self.given.map(|given| &given.context)
    }

    fn name(&self, name: Name) -> Atom<'js> {
        self.tools.names.get(name)
    }

    /// The parameters that a context names.
    fn said_params(&self, context: &Object<'js>) -> Result<Option<Value<'js>>, Refusal> {
        match member(context, &self.name(Name::Request))?.as_ref().and_then(Value::as_object) {
            Some(request) => said(request, &self.name(Name::Params)),
            None => Ok(None),
        }
    }

    /// A member of a member, where both are there.
    fn inner(&self, object: &Object<'js>, [outer, name]: [Name; 2]) -> Result<Option<Value<'js>>, Refusal> {
        match member(object, &self.name(outer))?.as_ref().and_then(Value::as_object) {
            Some(object) => member(object, &self.name(name)),
            None => Ok(None),
        }
    }

    fn write(&self, value: &Value<'js>, original: Option<&Text>) -> Result<(Wrote, String), Refusal> {
        let original = original.map(|text| (text, 0));
        Ok(writer::write(value, original, &self.tools.plain, &self.state.levels, self.bounds)?)
    }
}

/// What is wrong with the list that an object should have under a name. Of two with one name the last one counts.
fn broken_list(object: &str, name: &str) -> Option<&'static str> {
    // What is too deep to be outlined is left to the client.
    let tape = Tape::new(object, outline(object)?);
    let found = tape.inside(0).rev().find(|at| says(tape.key(*at), name));
    match found.filter(|at| tape.kind(*at) == Kind::Array) {
        None => Some("must be an array"),
        Some(list) => {
            let odd = tape.inside(list).any(|at| tape.kind(at) != Kind::Object);
            odd.then_some("must be an array of objects")
        }
    }
}

/// A member that is there.
fn member<'js>(
    object: &Object<'js>,
    name: &(impl IntoAtom<'js> + Clone),
) -> Result<Option<Value<'js>>, Refusal> {
    let value: Value<'js> = object.get(name.clone())?;
    Ok(if value.is_undefined() { None } else { Some(value) })
}

/// A member that was named, if only as `undefined`.
fn said<'js>(
    object: &Object<'js>,
    name: &(impl IntoAtom<'js> + Clone),
) -> Result<Option<Value<'js>>, Refusal> {
    let value: Value<'js> = object.get(name.clone())?;
    Ok(if value.is_undefined() && !object.contains_key(name.clone())? { None } else { Some(value) })
}
