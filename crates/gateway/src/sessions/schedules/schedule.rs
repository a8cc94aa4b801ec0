//! A schedule as a user gives it, and the rules it is held to (spec 5.2).

use super::cron::Cron;
use super::timing::{Timing, moment, zone};
use crate::sessions::faults::wrong;
use model::Fault;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use workflow::session::arguments::can_be_kept;

/// The shortest and the longest interval, in milliseconds.
const EVERY_MIN: u64 = 1000;
const EVERY_MAX: u64 = 366 * 24 * 60 * 60 * 1000;

/// The fields that say when.
const TIMES: [&str; 3] = ["at", "everyMs", "cron"];

/// What a reply shows besides the schedule, and may be sent back with it.
const SHOWN: [&str; 6] = ["id", "next", "lastSession", "reason", "createdAt", "updatedAt"];

/// When a session workflow is started, and with what: one of `at`, `everyMs` and `cron`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Schedule {
    /// The session workflow.
    pub workflow_name: String,
    /// The input of every start.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub input: Map<String, Value>,
    /// Once, at this moment in milliseconds since 1970; a text in RFC 3339 is taken too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// At this interval in milliseconds, counted from the creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_ms: Option<u64>,
    /// By this cron expression of five fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// The time zone of `cron`, such as `Europe/Berlin`; UTC by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Whether it starts nothing for now.
    #[serde(default)]
    pub paused: bool,
    /// What becomes of times that passed while the gateway was down.
    #[serde(default)]
    pub missed: Missed,
    /// Whether a session is started while the last one is open.
    #[serde(default)]
    pub overlap: bool,
}

/// What becomes of times that passed while the gateway was down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Missed {
    /// Nothing.
    #[default]
    Skip,
    /// All of them together are made up by one start.
    Once,
}

impl Schedule {
    /// Reads and checks the text of a body. The first rule broken is the error.
    pub(super) fn parse(body: &str) -> Result<Self, Fault> {
        Self::read(&object(body)?)
    }

    /// The same schedule with the fields that the body names; null takes one away. Another time takes the place of
    /// the one that there is.
    pub(super) fn patched(&self, body: &str) -> Result<Self, Fault> {
        let patch = object(body)?;
        let Ok(Value::Object(mut whole)) = serde_json::to_value(self) else {
            return Err(wrong("body", "body must be a JSON object"));
        };
        if TIMES.iter().any(|key| patch.get(*key).is_some_and(|value| !value.is_null())) {
            TIMES.iter().for_each(|key| _ = whole.shift_remove(*key));
            if !patch.contains_key("cron") {
                whole.shift_remove("timeZone");
            }
        }
        for (key, value) in patch {
            match value {
                Value::Null => _ = whole.shift_remove(&key),
                value => _ = whole.insert(key, value),
            }
        }
        Self::read(&whole)
    }

    fn read(given: &Map<String, Value>) -> Result<Self, Fault> {
        let known = |key: &str| {
            TIMES.contains(&key)
                || SHOWN.contains(&key)
                || matches!(key, "workflowName" | "input" | "timeZone" | "paused" | "missed" | "overlap")
        };
        if let Some(key) = given.keys().find(|key| !known(key)) {
            return Err(wrong(key, format!("{key} is not a field of a schedule")));
        }
        let field = |key: &str| given.get(key).filter(|value| !value.is_null());
        let text = |key: &str| match field(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.trim().to_owned())),
            Some(_) => Err(wrong(key, format!("{key} must be a text that is not empty"))),
        };
        let flag = |key: &str| match field(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(wrong(key, format!("{key} must be true or false"))),
        };
        let input = match field("input") {
            None => Map::new(),
            Some(Value::Object(input)) => input.clone(),
            Some(_) => return Err(wrong("input", "input must be a JSON object")),
        };
        if !can_be_kept(&Value::Object(input.clone())) {
            return Err(wrong("input", "input is nested too deeply; 100 levels are the most"));
        }
        let missed = match field("missed").map(|word| word.as_str().unwrap_or_default()) {
            None | Some("skip") => Missed::Skip,
            Some("once") => Missed::Once,
            Some(_) => return Err(wrong("missed", "missed must be one of skip, once")),
        };
        let required = || wrong("workflowName", "workflowName is required: the name of a session workflow");
        let schedule = Self {
            workflow_name: text("workflowName")?.ok_or_else(required)?,
            input,
            at: field("at").map(read_moment).transpose()?,
            every_ms: field("everyMs").map(read_interval).transpose()?,
            cron: text("cron")?,
            time_zone: text("timeZone")?,
            paused: flag("paused")?,
            missed,
            overlap: flag("overlap")?,
        };
        schedule.timing(0)?;
        Ok(schedule)
    }

    /// Its times; an interval is counted from a moment.
    pub(super) fn timing(&self, from: i64) -> Result<Timing, Fault> {
        if self.time_zone.is_some() && self.cron.is_none() {
            return Err(wrong("timeZone", "timeZone goes with cron; at and everyMs need none"));
        }
        match (self.at, self.every_ms, &self.cron) {
            (Some(at), None, None) => Ok(Timing::Once(at)),
            (None, Some(ms), None) => Ok(Timing::Every { ms: i64::try_from(ms).unwrap_or(i64::MAX), from }),
            (None, None, Some(cron)) => {
                let cron = Cron::parse(cron).map_err(|rule| wrong("cron", format!("cron {rule}")))?;
                let name = self.time_zone.as_deref().unwrap_or("UTC");
                let zone = zone(name).map_err(|rule| wrong("timeZone", format!("timeZone {rule}")))?;
                Ok(Timing::Clock(Box::new(cron), zone))
            }
            (None, None, None) => Err(wrong("cron", "One of at, everyMs and cron is required")),
            _ => Err(wrong("cron", "Only one of at, everyMs and cron can be given")),
        }
    }

    /// Whether it fires at other times than another one.
    pub(super) fn retimed(&self, other: &Self) -> bool {
        let times = |one: &Self| (one.at, one.every_ms, one.cron.clone(), one.time_zone.clone());
        times(self) != times(other)
    }
}

fn read_moment(value: &Value) -> Result<i64, Fault> {
    let number = model::whole(value).and_then(|at| i64::try_from(at).ok()).filter(|at| *at > 0);
    let at = number.or_else(|| moment(value.as_str()?));
    let rule = "at must be a time in RFC 3339, as in 2026-12-24T18:00:00+01:00, or milliseconds since 1970";
    at.ok_or_else(|| wrong("at", rule))
}

fn read_interval(value: &Value) -> Result<u64, Fault> {
    let ms = model::whole(value).filter(|ms| (EVERY_MIN..=EVERY_MAX).contains(ms));
    ms.ok_or_else(|| {
        wrong("everyMs", format!("everyMs must be an integer between {EVERY_MIN} and {EVERY_MAX}"))
    })
}

fn object(body: &str) -> Result<Map<String, Value>, Fault> {
    serde_json::from_str(body).map_err(|error| wrong("body", format!("body must be a JSON object: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schedule_has_exactly_one_kind_of_time() {
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        for (times, message) in [
            (json!({}), "One of at, everyMs and cron is required"),
            (json!({"everyMs": 1000, "cron": "* * * * *"}), "Only one of at, everyMs and cron can be given"),
            (json!({"everyMs": 999}), "everyMs must be an integer between 1000 and 31622400000"),
            (
                json!({"everyMs": 1000, "timeZone": "UTC"}),
                "timeZone goes with cron; at and everyMs need none",
            ),
            (
                json!({"at": "tomorrow"}),
                "at must be a time in RFC 3339, as in 2026-12-24T18:00:00+01:00, or milliseconds since 1970",
            ),
            (json!({"everyMs": 1000, "missed": "all"}), "missed must be one of skip, once"),
            (json!({"everyMs": 1000, "input": []}), "input must be a JSON object"),
            (
                json!({"everyMs": 1000, "input": {"a": deep}}),
                "input is nested too deeply; 100 levels are the most",
            ),
            (json!({"everyMs": 1000, "jitter": 5}), "jitter is not a field of a schedule"),
        ] {
            let mut body = json!({"workflowName": "w"});
            for (key, value) in times.as_object().into_iter().flatten() {
                body[key] = value.clone();
            }
            assert_eq!(Schedule::parse(&body.to_string()).expect_err("a rule is broken").message, message);
        }
        let body = json!({"workflowName": "w", "at": "2026-12-24T18:00:00+01:00"});
        assert_eq!(Schedule::parse(&body.to_string()).expect("a schedule").at, Some(1_798_131_600_000));
        let body = json!({"workflowName": "w", "at": 1.798_131_6e12});
        assert_eq!(Schedule::parse(&body.to_string()).expect("a schedule").at, Some(1_798_131_600_000));
    }

    #[test]
    fn another_time_takes_the_place_of_the_one_that_there_is() {
        let body =
            json!({"workflowName": "w", "cron": "0 9 * * *", "timeZone": "Asia/Tokyo", "input": {"a": 1}});
        let before = Schedule::parse(&body.to_string()).expect("a schedule");
        let after = before.patched(r#"{"everyMs": 5000}"#).expect("a schedule");
        assert_eq!((after.every_ms, &after.cron, &after.time_zone), (Some(5000), &None, &None));
        assert!(after.retimed(&before) && after.input == before.input);
        let paused = before.patched(r#"{"paused": true, "next": [], "input": null}"#).expect("a schedule");
        assert!(paused.paused && !paused.retimed(&before) && paused.input.is_empty());
        let moved = before.patched(r#"{"timeZone": "UTC"}"#).expect("a schedule");
        assert_eq!((moved.cron, moved.time_zone.as_deref()), (before.cron.clone(), Some("UTC")));
        assert!(before.patched(r#"{"cron": null}"#).is_err());
    }
}
