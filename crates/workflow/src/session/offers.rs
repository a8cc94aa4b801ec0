//! What a client may call after a step (spec 4.7).

use super::event::Offer;
use model::session::{BranchOption, PatternBranch, PredicateBranch};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A branch that matched.
pub(crate) struct Matched<'a> {
    pub(crate) tool: &'a str,
    pub(crate) parameters: &'a Map<String, Value>,
    pub(crate) condition: String,
    pub(crate) pattern: Option<&'a str>,
}

impl<'a> Matched<'a> {
    /// Of a pattern.
    pub(crate) fn pattern(pattern: &'a str, branch: &'a PatternBranch) -> Self {
        Self {
            tool: &branch.tool_name,
            parameters: &branch.parameters,
            condition: format!("Branch condition: {pattern}"),
            pattern: Some(pattern),
        }
    }

    /// Of a predicate.
    pub(crate) fn predicate(branch: &'a PredicateBranch) -> Self {
        let condition = branch.description.clone().unwrap_or_else(|| format!("Branch: {}", branch.call));
        Self { tool: &branch.call, parameters: &branch.with, condition, pattern: None }
    }
}

/// The step whose end makes the offers.
pub(crate) struct Place<'a> {
    pub(crate) session: &'a str,
    /// The workflow's own continue.
    pub(crate) own: &'a str,
    /// The step that continue would run.
    pub(crate) next: usize,
    pub(crate) data: Option<&'a Value>,
}

/// All offers, best first: suggestions, branches that matched, and the default continue.
pub(crate) fn offers(place: &Place<'_>, suggestions: &[BranchOption], matched: &[Matched<'_>]) -> Vec<Offer> {
    // A branch to continue is offered in place of what the activity suggests of it.
    let branched = matched.iter().any(|one| one.tool == place.own);
    let suggested = suggestions.iter().filter(|one| !(branched && one.tool_name == place.own)).map(|one| {
        let parameters = place.bound(&one.tool_name, one.parameters.clone());
        Offer { option: Arc::new(BranchOption { parameters, ..one.clone() }), pattern: None }
    });
    let matched = matched.iter().map(|one| {
        let mut parameters = one.parameters.clone();
        if let Some(data) = place.data.and_then(Value::as_object).filter(|_| one.tool != place.own) {
            parameters.extend(data.clone());
        }
        let option = BranchOption {
            tool_name: one.tool.to_owned(),
            parameters: place.bound(one.tool, parameters),
            condition: Some(one.condition.clone()),
            priority: Some(100.into()),
            metadata: None,
        };
        Offer { option: Arc::new(option), pattern: one.pattern.map(str::to_owned) }
    });
    let mut all: Vec<Offer> = suggested.chain(matched).collect();
    if !all.iter().any(|offer| offer.option.tool_name == place.own) {
        all.push(Offer { option: Arc::new(place.default()), pattern: None });
    }
    all.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    let mut seen = false;
    all.retain(|offer| offer.option.tool_name != place.own || !std::mem::replace(&mut seen, true));
    all
}

fn rank(offer: &Offer) -> f64 {
    offer.option.priority.as_ref().and_then(serde_json::Number::as_f64).unwrap_or(0.0)
}

impl Place<'_> {
    /// The parameters with the session, which nothing can replace.
    fn bound(&self, tool: &str, mut parameters: Map<String, Value>) -> Map<String, Value> {
        parameters.shift_remove("sessionId");
        let mut all = Map::with_capacity(parameters.len() + 2);
        all.insert("sessionId".into(), self.session.into());
        all.extend(parameters);
        if tool == self.own {
            all.insert("expectedStep".into(), self.next.into());
        }
        all
    }

    fn default(&self) -> BranchOption {
        BranchOption {
            tool_name: self.own.to_owned(),
            parameters: self.bound(self.own, Map::new()),
            condition: Some("Continue to next step in workflow".into()),
            priority: Some(50.into()),
            metadata: None,
        }
    }
}

/// Whether the value at the path of `path:value` is that value, as text and ignoring case.
pub(crate) fn matches(pattern: &str, data: Option<&Value>) -> bool {
    let Some((path, wanted)) = pattern.split_once(':') else { return false };
    let found = data.and_then(|data| at(data, path));
    found.is_some_and(|found| text(found).to_lowercase() == wanted.to_lowercase())
}

/// The value at a path with dots.
pub(crate) fn at<'a>(data: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(data, |value, part| match value {
        Value::Object(map) => map.get(part),
        Value::Array(items) => items.get(index(part)?),
        _ => None,
    })
}

/// The index that a part of a path is, written as JavaScript would: neither `+1` nor `01` is one.
fn index(part: &str) -> Option<usize> {
    part.parse().ok().filter(|index: &usize| index.to_string() == part)
}

/// A value as text: a string is itself.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn patterns_compare_text_at_a_path() {
        let data = json!({"valid": false, "u": "http://x", "status": {"code": "Approved"}, "list": [{"n": 2}],
            "nothing": null});
        for (pattern, expected) in [
            ("valid:false", true),
            ("valid:FALSE", true),
            ("valid:true", false),
            ("u:http://x", true),
            ("status.code:approved", true),
            ("list.0.n:2", true),
            ("list.1.n:2", false),
            ("list.+0.n:2", false),
            ("list.00.n:2", false),
            ("missing:undefined", false),
            ("nothing:null", true),
            ("valid", false),
            ("", false),
        ] {
            assert_eq!(matches(pattern, Some(&data)), expected, "{pattern}");
        }
        assert!(!matches("a:b", None));
    }

    fn suggestion(tool: &str, priority: Option<i64>) -> BranchOption {
        BranchOption { tool_name: tool.into(), priority: priority.map(Into::into), ..BranchOption::default() }
    }

    fn names(all: &[Offer]) -> Vec<(&str, f64)> {
        all.iter().map(|offer| (offer.option.tool_name.as_str(), rank(offer))).collect()
    }

    #[test]
    fn the_best_goes_first_and_ties_keep_their_order() {
        let data = json!({"sessionId": "forged", "ratio": 1});
        let place = Place { session: "s", own: "w_continue", next: 1, data: Some(&data) };
        let branch = PatternBranch {
            tool_name: "b".into(),
            parameters: json!({"x": 1}).as_object().cloned().expect("an object"),
        };
        let matched = [Matched::pattern("ratio:1", &branch)];
        let all = offers(&place, &[suggestion("s70", Some(70)), suggestion("none", None)], &matched);
        assert_eq!(names(&all), [("b", 100.0), ("s70", 70.0), ("w_continue", 50.0), ("none", 0.0)]);
        assert_eq!(
            Value::Object(all[0].option.parameters.clone()),
            json!({"sessionId": "s", "x": 1, "ratio": 1})
        );
        assert_eq!(all[0].option.condition.as_deref(), Some("Branch condition: ratio:1"));
        assert_eq!(
            Value::Object(all[2].option.parameters.clone()),
            json!({"sessionId": "s", "expectedStep": 1})
        );
        assert_eq!(Value::Object(all[1].option.parameters.clone()), json!({"sessionId": "s"}));
    }

    #[test]
    fn continue_is_offered_once_and_without_the_data() {
        let data = json!({"ratio": 1});
        let place = Place { session: "s", own: "w_continue", next: 2, data: Some(&data) };
        let branch = PatternBranch { tool_name: "w_continue".into(), parameters: Map::new() };
        let matched = [Matched::pattern("ratio:1", &branch)];
        for priority in [3, 100, 300] {
            let all = offers(&place, &[suggestion("w_continue", Some(priority))], &matched);
            assert_eq!(names(&all), [("w_continue", 100.0)]);
            assert_eq!(
                Value::Object(all[0].option.parameters.clone()),
                json!({"sessionId": "s", "expectedStep": 2})
            );
            assert_eq!(all[0].pattern.as_deref(), Some("ratio:1"));
        }
        let all = offers(&place, &[suggestion("w_continue", Some(300))], &[]);
        assert_eq!(names(&all), [("w_continue", 300.0)]);
    }
}
