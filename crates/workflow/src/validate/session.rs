//! The rules for the graph of a session workflow: one line from start through activities to end (spec 4.9), in which
//! conditions choose between two ways (spec 5.1).

use super::{Look, Spot};
use crate::kind::Role;
use crate::problem::{Problem, Rule};
use model::session::Procedure;
use model::{NameError, Workflow, WorkflowType, check_name};

impl Look<'_> {
    /// Everything that is wrong with a session workflow.
    pub(super) fn session(&self, workflow: &Workflow) -> Vec<Problem> {
        let mut all = Vec::new();
        let name = check_name(&workflow.name, Procedure::NAME_MAX).err();
        all.extend(name.map(|error| Problem::new(Rule::Name, unnamed(error))));
        let steps = self.chart.spots.iter().filter(|spot| is_step(spot)).count();
        for (missing, rule, message) in [
            (self.starts.is_empty(), Rule::StartMissing, "Start node is missing"),
            (self.ends.is_empty(), Rule::EndMissing, "End node is missing"),
            (steps == 0, Rule::StepMissing, "Workflow must have at least one step"),
            (self.chart.order().is_none(), Rule::Cycle, "Workflow contains a cycle"),
        ] {
            all.extend(missing.then(|| Problem::new(rule, message)));
        }
        for (at, spot) in self.chart.spots.iter().enumerate() {
            self.stop(at, spot, &mut all);
        }
        self.edges(&mut all);
        self.too_many(&[&self.starts, &self.ends], &mut all);
        all
    }

    /// The rules for one node.
    fn stop(&self, at: usize, spot: &Spot<'_>, all: &mut Vec<Problem>) {
        let mut add = |rule, rest: &str| all.push(Problem::of(rule, spot.node, rest));
        if spot.twin {
            return add(Rule::SameId, "has an id that another node has too");
        }
        let (Some(kind), Some(role)) = (spot.kind, spot.role) else {
            let rest = format!("has the type '{}', which this version does not know", spot.node.kind);
            return add(Rule::UnknownType, &rest);
        };
        if !kind.fits(WorkflowType::Session) {
            let title = kind.title();
            let article = if title.starts_with(['M', 'A']) { "an" } else { "a" };
            let rest = format!(
                "is {article} {title} node, which session workflows do not have; use activity and condition nodes"
            );
            return add(Rule::Misplaced, &rest);
        }
        if let Some(rest) = self.inputs(at, spot, role) {
            add(Rule::Inputs, &rest);
        }
        match (role, spot.outputs.len()) {
            (Role::End, 0) | (Role::Start | Role::Step, 1) => {}
            (Role::End, _) => add(Rule::Outputs, "has an output, and End has none"),
            (Role::Choice, _) => {
                for rest in self.ways(spot) {
                    add(Rule::Outputs, &rest);
                }
            }
            (_, 0) => add(Rule::Outputs, "needs an output"),
            (_, has) => {
                let rest = format!("has {has} outputs, and only a condition may have two");
                add(Rule::Outputs, &rest);
            }
        }
        if matches!(role, Role::Step | Role::Choice) && !self.on_way[at] {
            add(Rule::OffPath, "is not on the path from Start to End");
        }
        for rest in kind.check(spot.node) {
            add(Rule::Data, &rest);
        }
    }
}

fn is_step(spot: &Spot<'_>) -> bool {
    spot.role == Some(Role::Step) && spot.kind.is_some_and(|kind| kind.fits(WorkflowType::Session))
}

fn unnamed(error: NameError) -> String {
    match error {
        NameError::Missing => "Workflow name is required".into(),
        NameError::TooLong(max) => format!("Workflow name exceeds maximum length ({max} characters)"),
        NameError::Characters => {
            "Workflow name contains invalid characters (use a-z, A-Z, 0-9, - and _)".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{edge, node, stored, workflow};
    use crate::{Graph, Problem, reason, validate};
    use model::{Workflow, WorkflowType};
    use serde_json::{Value, json};

    /// Nodes in words; `a activity score` carries a step.
    fn session(nodes: &[&str], edges: &[&str]) -> Workflow {
        let node = |words: &&str| match words.split(' ').collect::<Vec<_>>()[..] {
            [id, "activity", name] => {
                json!({"id": id, "type": "activity", "data": {"step": {"activity": name}}})
            }
            _ => node(words),
        };
        let nodes: Vec<Value> = nodes.iter().map(node).collect();
        let edges: Vec<Value> = edges.iter().map(|words| edge(words)).collect();
        let stored = stored(&json!(nodes), &json!(edges));
        Workflow { workflow_type: WorkflowType::Session, ..stored }
    }

    fn check(nodes: &[&str], edges: &[&str], expected: &[&str]) {
        let workflow = session(nodes, edges);
        let problems = validate(&workflow);
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages, expected);
        assert_eq!(problems.is_empty(), workflow.procedure().is_ok(), "{:?}", workflow.procedure());
    }

    const LINE: [&str; 4] = ["s start", "a activity x", "b activity y", "e end"];

    #[test]
    fn one_line_of_activities_is_valid() {
        check(&LINE, &["s a", "a b", "b e"], &[]);
        check(&LINE, &["b e", "a b", "s a"], &[]);
    }

    #[test]
    fn conditions_part_the_line_and_their_ways_meet_again() {
        let nodes = ["s start", "a activity x", "c if memory.x", "b activity y", "d activity z", "e end"];
        check(&nodes, &["s a", "a c", "c b true", "c d false", "b e", "d e"], &[]);
        check(&nodes, &["d e", "c d false", "a c", "b d", "s a", "c b true"], &[]);
        check(&nodes, &["s c", "c a true", "c b false", "a d", "b d", "d e"], &[]);
        check(&nodes, &["s a", "a c", "c b true", "b d", "d e"], &["Node 'c' needs a way for false"]);
        check(
            &nodes,
            &["s a", "a c", "c b true", "c d true", "c e false", "b e", "d e"],
            &["Node 'c' has more than one way for true"],
        );
        check(
            &nodes,
            &["s a", "a c", "c b true", "c d false", "c e", "b e", "d e"],
            &["Node 'c' has an output that is neither true nor false"],
        );
        check(
            &["s start", "a activity x", "c if", "e end"],
            &["s a", "a c", "c e true", "c e false"],
            &["Node 'c' has no expression"],
        );
        check(&nodes, &["s a", "a c", "c a true", "c b false", "b d", "d e"], &["Workflow contains a cycle"]);
    }

    #[test]
    fn what_is_no_line_is_told_node_by_node() {
        check(
            &["a activity x"],
            &[],
            &[
                "Start node is missing",
                "End node is missing",
                "Node 'a' needs an input",
                "Node 'a' needs an output",
                "Node 'a' is not on the path from Start to End",
            ],
        );
        check(&["s start", "e end"], &["s e"], &["Workflow must have at least one step"]);
        check(
            &LINE,
            &["s a", "s b", "a e", "b e"],
            &[
                "Node 'e' takes one input and has 2",
                "Node 's' has 2 outputs, and only a condition may have two",
            ],
        );
        check(
            &LINE,
            &["s a", "a e", "b b"],
            &["Workflow contains a cycle", "Node 'b' is not on the path from Start to End"],
        );
        check(
            &LINE,
            &["s a", "a b", "b e", "e z"],
            &["Edge 'e -> z' names the node 'z', which does not exist"],
        );
    }

    #[test]
    fn nodes_that_do_not_belong_are_refused() {
        check(
            &["s start", "a activity x", "c mcp-call", "e end"],
            &["s a", "a c", "c e"],
            &[
                "Node 'c' is an MCP Call node, which session workflows do not have; use activity and condition nodes",
            ],
        );
        check(
            &["s start", "a activity x", "v loop", "e end"],
            &["s a", "a v", "v e"],
            &["Node 'v' has the type 'loop', which this version does not know"],
        );
        let graph = workflow(&["s start", "a activity x", "c mcp-call", "e end"], &["s a", "a c", "c e"]);
        let problems = validate(&graph);
        assert_eq!(
            reason(&problems),
            Some("Node 'a' is an Activity node, which only session workflows have")
        );
        assert_eq!(problems[0].node.as_deref(), Some("a"));
    }

    #[test]
    fn the_step_of_a_node_is_checked() {
        let problems = |step: Value| -> Vec<Problem> {
            let nodes = json!([node("s start"), {"id": "a", "type": "activity", "data": {"label": "A", "step": step}}, node("e end")]);
            let stored = stored(&nodes, &json!([edge("s a"), edge("a e")]));
            validate(&Workflow { workflow_type: WorkflowType::Session, ..stored })
        };
        assert_eq!(problems(json!({"activity": "x"})), []);
        for (step, expected) in [
            (
                Value::Null,
                "Node 'a' (A) data.step is required: it names the activity, as in {\"activity\": \"score\"}",
            ),
            (
                json!({"activity": "x", "optional": 1}),
                "Node 'a' (A) data.step.optional must be true or false",
            ),
            (
                json!({"parallel": [{"activity": "x"}, {"activity": "x"}]}),
                "Node 'a' (A) data.step.parallel[1].activity is that of another member; every member has its own \
                 activity",
            ),
        ] {
            let found = problems(step);
            assert_eq!((found[0].message.as_str(), found[0].node.as_deref()), (expected, Some("a")));
        }
    }

    #[test]
    fn a_name_that_no_tool_can_have_is_refused() {
        let named = |name: &str| {
            let workflow = Workflow { name: name.into(), ..session(&LINE, &["s a", "a b", "b e"]) };
            reason(&validate(&workflow)).unwrap_or_default().to_owned()
        };
        assert_eq!(named("intake_2"), "");
        assert_eq!(
            named("any name"),
            "Workflow name contains invalid characters (use a-z, A-Z, 0-9, - and _)"
        );
        assert_eq!(named(&"n".repeat(92)), "Workflow name exceeds maximum length (91 characters)");
    }

    #[test]
    fn a_session_workflow_is_never_compiled_as_a_graph() {
        let workflow = session(&LINE, &["s a", "a b", "b e"]);
        let problem = Graph::compile(&workflow).expect_err("no graph");
        assert_eq!(problem.message, "A session workflow is no graph around requests");
    }
}
