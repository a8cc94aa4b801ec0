//! From a definition to its compiled form.

use super::{Action, Graph, Line, NodeTally, Row, Spot, Stage};
use crate::kind::{Role, WAYS};
use crate::kinds::{BUILT_IN, Kinds};
use crate::problem::{Problem, Rule, Severity};
use crate::validate::Chart;
use model::{Workflow, WorkflowType};
use sandbox::{Phase, Place};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;

impl Graph {
    /// Compiles a workflow. One that cannot be activated gives its first problem.
    pub fn compile(workflow: &Workflow) -> Result<Arc<Self>, Problem> {
        Self::compile_with(workflow, &BUILT_IN)
    }

    /// The same with these kinds of nodes.
    pub(crate) fn compile_with(workflow: &Workflow, kinds: &Kinds) -> Result<Arc<Self>, Problem> {
        if workflow.workflow_type == WorkflowType::Session {
            return Err(Problem::new(Rule::CallMissing, "A session workflow is no graph around requests"));
        }
        let error = kinds.validate(workflow).into_iter().find(|problem| problem.severity == Severity::Error);
        match error {
            Some(problem) => Err(problem),
            None => Ok(Arc::new(Compiler::new(workflow, &Chart::new(workflow, kinds)).graph(workflow))),
        }
    }
}

/// What is known of a valid chart on the way to its compiled form.
struct Compiler<'a> {
    chart: &'a Chart<'a>,
    /// The places in the chart that are on the way, in the order in which they run.
    way: Vec<usize>,
    /// Those beside the way.
    sides: Vec<usize>,
    /// From places in the chart to numbers of nodes.
    numbers: HashMap<usize, usize>,
    /// Whether the call is still to come, by place in the chart.
    before_call: Vec<bool>,
}

impl<'a> Compiler<'a> {
    fn new(workflow: &Workflow, chart: &'a Chart<'a>) -> Self {
        debug_assert_eq!(workflow.nodes.len(), chart.spots.len());
        let order = chart.order().expect("a valid graph has no cycle");
        let is_side = |at: &usize| chart.spots[*at].role == Some(Role::Side);
        let (sides, way): (Vec<usize>, Vec<usize>) = order.into_iter().partition(is_side);
        let mut sides = sides;
        sides.sort_unstable();
        let numbers = way.iter().chain(&sides).enumerate().map(|(number, at)| (*at, number)).collect();
        let before_call = chart.to(&chart.all(Role::Call));
        Self { chart, way, sides, numbers, before_call }
    }

    fn graph(self, workflow: &Workflow) -> Graph {
        let spots: Box<[Spot]> =
            self.way.iter().chain(&self.sides).map(|&at| self.spot(at, workflow)).collect();
        let stages = self.stages(&spots);
        let call = stages.iter().position(|stage| matches!(stage, Stage::Call { .. }));
        let scripted = spots.iter().any(|spot| spot.action.script().is_some());
        let reads_reply =
            spots.iter().any(|spot| spot.phase == Phase::Post && spot.action.script().is_some());
        let scopes = spots.iter().filter_map(|spot| match spot.action {
            Action::Set { scope, .. } => Some(scope),
            _ => None,
        });
        let scope = scopes.max();
        Graph {
            workflow: workflow.id.as_str().into(),
            name: workflow.name.as_str().into(),
            revision: workflow.revision,
            call: call.expect("a valid graph has a call"),
            line: Line::of(&spots, &stages),
            spots,
            stages,
            scripted,
            reads_reply,
            scope,
            turn: Mutex::new(()),
        }
    }

    fn spot(&self, at: usize, workflow: &Workflow) -> Spot {
        let spot = &self.chart.spots[at];
        let kind = spot.kind.expect("a valid graph has known kinds");
        // A hook beside the way is on the side of what it hangs off; the call itself is done by then.
        let stands = if spot.role == Some(Role::Side) { spot.inputs[0] } else { at };
        let is_call = self.chart.spots[stands].role == Some(Role::Call);
        let phase = if self.before_call[stands] && !is_call { Phase::Pre } else { Phase::Post };
        let sides = spot.outputs.iter().filter(|(next, _)| self.chart.spots[*next].role == Some(Role::Side));
        let (id, name) = (spot.node.id.as_str(), spot.node.label());
        let mut top = members(&[("workflowName", &workflow.name), ("nodeName", name)]);
        if let Some(own) = kind.top(spot.node) {
            top = format!("{top},{own}").into();
        }
        Spot {
            id: id.into(),
            name: name.into(),
            phase,
            sides: sides.map(|(next, _)| self.numbers[next]).collect(),
            action: kind.action(spot.node),
            place: Arc::new(Place {
                key: Value::from(id).to_string().into(),
                metadata: members(&[("workflowId", &workflow.id), ("nodeId", id)]),
                top,
            }),
            alone: Row::from_iter([self.numbers[&at]]),
            tally: NodeTally::default(),
        }
    }

    /// The places that follow one on the way.
    fn onward(&self, at: usize) -> impl Iterator<Item = (usize, Option<&'a str>)> {
        let outputs = self.chart.spots[at].outputs.iter().copied();
        outputs.filter(|(next, _)| self.chart.spots[*next].role != Some(Role::Side))
    }

    fn next(&self, at: usize) -> usize {
        self.onward(at).next().expect("what is on the way leads on").0
    }

    fn stages(&self, spots: &[Spot]) -> Box<[Stage]> {
        let chains = self.chains(spots);
        // The stage that begins at a place. Where nothing begins, the place is inside of a chain.
        let begins: HashMap<usize, usize> =
            chains.iter().enumerate().map(|(stage, chain)| (chain[0], stage)).collect();
        let stage = |chain: &Vec<usize>| {
            let (first, last) = (chain[0], chain[chain.len() - 1]);
            let spot = self.numbers[&first];
            match self.chart.spots[first].role {
                Some(Role::Start) => Stage::Start { spot, next: begins[&self.next(last)] },
                Some(Role::Call) => Stage::Call { spot, next: begins[&self.next(last)] },
                Some(Role::End) => Stage::End { spot },
                Some(Role::Choice) => {
                    let way = |label: &str| {
                        let found = self.onward(first).find(|(_, way)| *way == Some(label));
                        begins[&found.expect("a valid condition has both ways").0]
                    };
                    Stage::Choose { spot, yes: way(WAYS[0]), no: way(WAYS[1]) }
                }
                _ if matches!(spots[spot].action, Action::Set { .. }) => {
                    Stage::Set { spot, next: begins[&self.next(last)] }
                }
                _ => {
                    let row = chain.iter().map(|at| self.numbers[at]).collect();
                    Stage::Hooks { row, next: begins[&self.next(last)] }
                }
            }
        };
        chains.iter().map(stage).collect()
    }

    /// The way cut into stages: every node alone, but hooks that can share a job together.
    fn chains(&self, spots: &[Spot]) -> Vec<Vec<usize>> {
        let role = |at: usize| self.chart.spots[at].role;
        let joins = |last: usize, at: usize| {
            let (before, here) = (&spots[self.numbers[&last]], &spots[self.numbers[&at]]);
            role(last) == Some(Role::Step)
                && role(at) == Some(Role::Step)
                && self.next(last) == at
                && self.chart.spots[at].inputs.len() == 1
                && before.phase == here.phase
                // What hangs off a hook wants the context as that hook left it.
                && before.sides.is_empty()
                // The record shows the variables as they are between two nodes.
                && ![before, here].iter().any(|spot| matches!(spot.action, Action::Set { .. }))
        };
        let mut chains: Vec<Vec<usize>> = Vec::new();
        let mut ends: HashMap<usize, usize> = HashMap::new();
        for &at in &self.way {
            let before = self.chart.spots[at].inputs.first().copied();
            let chain = before.and_then(|last| ends.get(&last).copied().filter(|_| joins(last, at)));
            let chain = chain.unwrap_or_else(|| {
                chains.push(Vec::new());
                chains.len() - 1
            });
            chains[chain].push(at);
            ends.insert(at, chain);
        }
        chains
    }
}

/// Members of a JSON object, as text, without the braces.
fn members(all: &[(&str, &str)]) -> Box<str> {
    let member = |(key, value): &(&str, &str)| format!("\"{key}\":{}", Value::from(*value));
    all.iter().map(member).collect::<Vec<_>>().join(",").into()
}
