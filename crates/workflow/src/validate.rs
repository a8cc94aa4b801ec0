//! Whether a workflow can be activated, and if not, everything that stands in the way (spec 3.3 and 4.9).

mod chart;
mod session;
#[cfg(test)]
mod tests;

pub(crate) use chart::{Chart, Spot};

use crate::kind::{Role, WAYS, terms_of};
use crate::kinds::{BUILT_IN, Kinds};
use crate::problem::{Problem, Rule};
use model::{Edge, Workflow, WorkflowType};
use sandbox::Phase;

/// Every problem that can be found without compiling scripts, in the order in which reasons are given. The
/// order of nodes and edges in the definition has no effect.
pub fn validate(workflow: &Workflow) -> Vec<Problem> {
    with(workflow, &BUILT_IN)
}

/// The same with these kinds of nodes.
pub(crate) fn with(workflow: &Workflow, kinds: &Kinds) -> Vec<Problem> {
    let chart = Chart::new(workflow, kinds);
    let look = Look::new(&chart);
    let mut problems = match workflow.workflow_type {
        WorkflowType::Session => look.session(workflow),
        _ => look.problems(workflow.workflow_type),
    };
    if workflow.workflow_type != WorkflowType::ToolsCall {
        problems.extend(without_tool(&chart));
    }
    Problem::sort(&mut problems);
    problems
}

/// Terms of a call where no tool is called.
fn without_tool<'a>(chart: &'a Chart<'_>) -> impl Iterator<Item = Problem> + 'a {
    chart.all(Role::Call).into_iter().flat_map(|at| {
        let node = chart.spots[at].node;
        let rest = |name| format!("has data.{name}, which is for tools/call workflows only; remove it");
        terms_of(node).map(move |name| Problem::of(Rule::Data, node, &rest(name)))
    })
}

/// What the rules look at.
struct Look<'a> {
    chart: &'a Chart<'a>,
    starts: Vec<usize>,
    calls: Vec<usize>,
    ends: Vec<usize>,
    /// Which spots stand on a way from start to end.
    on_way: Vec<bool>,
    /// From which spots the call is still to come, the call itself included.
    to_call: Vec<bool>,
    /// Whether ways may part, and so meet again.
    parts: bool,
}

impl<'a> Look<'a> {
    fn new(chart: &'a Chart<'a>) -> Self {
        let (starts, calls, ends) = (chart.all(Role::Start), chart.all(Role::Call), chart.all(Role::End));
        let (after, before) = (chart.from(&starts, None), chart.to(&ends));
        let beside = |at: usize| chart.spots[at].role == Some(Role::Side);
        let on_way = (0..after.len()).map(|at| after[at] && before[at] && !beside(at)).collect();
        let parts = !chart.all(Role::Choice).is_empty();
        let to_call = chart.to(&calls);
        Self { chart, starts, calls, ends, on_way, to_call, parts }
    }

    fn problems(&self, workflow: WorkflowType) -> Vec<Problem> {
        let mut all = Vec::new();
        self.whole(&mut all);
        for (at, spot) in self.chart.spots.iter().enumerate() {
            match spot.kind.filter(|kind| !kind.fits(workflow) && !spot.twin) {
                Some(kind) => {
                    let rest = format!("is an {} node, which only session workflows have", kind.title());
                    all.push(Problem::of(Rule::Misplaced, spot.node, &rest));
                }
                None => self.spot(at, spot, &mut all),
            }
        }
        self.edges(&mut all);
        self.too_many(&[&self.starts, &self.calls, &self.ends], &mut all);
        all
    }

    /// Edges that name nodes which do not exist, and outputs which conditions do not have.
    fn edges(&self, all: &mut Vec<Problem>) {
        let mut add = |rule, edge: &Edge, rest: &str| {
            let message = format!("Edge '{}' {rest}", edge.name());
            all.push(Problem { edge: Some(edge.name()), ..Problem::new(rule, message) });
        };
        for (edge, id) in &self.chart.loose {
            add(Rule::LooseEdge, edge, &format!("names the node '{id}', which does not exist"));
        }
        for edge in &self.chart.odd {
            add(Rule::Outputs, edge, "leaves a condition by an output that is neither true nor false");
        }
    }

    /// Nodes of which there is exactly one.
    fn too_many(&self, groups: &[&[usize]], all: &mut Vec<Problem>) {
        for many in groups {
            for spot in many.iter().skip(1).map(|at| &self.chart.spots[*at]) {
                let title = spot.kind.map_or("", |kind| kind.title());
                let rest = format!("is one {title} node too many; there is exactly one");
                all.push(Problem::of(Rule::MoreThanOne, spot.node, &rest));
            }
        }
    }

    /// The rules for the graph as a whole.
    fn whole(&self, all: &mut Vec<Problem>) {
        let mut missing = |spots: &[usize], rule, message: &str| {
            if spots.is_empty() {
                all.push(Problem::new(rule, message));
            }
        };
        missing(&self.starts, Rule::StartMissing, "Start node is missing");
        missing(&self.calls, Rule::CallMissing, "MCP Call node is missing");
        missing(&self.ends, Rule::EndMissing, "End node is missing");
        // Where two nodes have one id, edges lead to either of them.
        if self.chart.spots.iter().any(|spot| spot.twin) {
            return;
        }
        let leads = |from: &[usize], to: &[usize]| {
            let reached = self.chart.from(from, None);
            from.is_empty() || to.is_empty() || to.iter().any(|&at| reached[at])
        };
        if !leads(&self.starts, &self.calls) {
            all.push(Problem::new(Rule::NoPathToCall, "No path from Start to MCP Call"));
        }
        if !leads(&self.calls, &self.ends) {
            all.push(Problem::new(Rule::NoPathToEnd, "No path from MCP Call to End"));
        }
        if self.chart.order().is_none() {
            all.push(Problem::new(Rule::Cycle, "Workflow contains a cycle"));
        }
        self.around(all);
    }

    /// With conditions, a way could go round the call.
    fn around(&self, all: &mut Vec<Problem>) {
        if self.calls.is_empty() {
            return;
        }
        let reached = self.chart.from(&self.starts, Some(Role::Call));
        if !self.ends.iter().any(|&at| reached[at]) {
            return;
        }
        let here = (0..reached.len()).find(|&at| {
            let spot = &self.chart.spots[at];
            reached[at] && self.on_way[at] && (spot.role == Some(Role::Choice) || !self.parts)
        });
        if let Some(at) = here {
            let rest = "lets a way lead to End that does not pass MCP Call";
            all.push(Problem::of(Rule::AroundCall, self.chart.spots[at].node, rest));
        }
    }

    /// The rules for one node.
    fn spot(&self, at: usize, spot: &Spot<'_>, all: &mut Vec<Problem>) {
        if spot.twin {
            all.push(Problem::of(Rule::SameId, spot.node, "has an id that another node has too"));
            return;
        }
        let (Some(kind), Some(role)) = (spot.kind, spot.role) else {
            let rest = format!("has the type '{}', which this version does not know", spot.node.kind);
            all.push(Problem::of(Rule::UnknownType, spot.node, &rest));
            return;
        };
        all.extend(self.inputs(at, spot, role).map(|rest| Problem::of(Rule::Inputs, spot.node, &rest)));
        let outputs = self.outputs(spot, role);
        all.extend(outputs.iter().map(|rest| Problem::of(Rule::Outputs, spot.node, rest)));
        if matches!(role, Role::Step | Role::Choice) && !self.on_way[at] {
            let rest = "is not on the path from Start to End";
            all.push(Problem::of(Rule::OffPath, spot.node, rest));
        }
        let onward = spot.outputs.iter().filter(|(next, _)| self.on_way[*next]).count();
        if role != Role::Choice && self.on_way[at] && onward > 1 {
            let rest = "has more than one way to End; only a condition may have two";
            all.push(Problem::of(Rule::Split, spot.node, rest));
        }
        all.extend(self.side(at, spot, role).map(|rest| Problem::of(Rule::Data, spot.node, rest)));
        all.extend(kind.check(spot.node).iter().map(|rest| Problem::of(Rule::Data, spot.node, rest)));
        let stop = spot.node.of_hook("onError").is_some_and(|word| word == "stop");
        if role == Role::Side && stop {
            let rest = "is fire and forget, so its onError has no effect";
            all.push(Problem::of(Rule::NoEffect, spot.node, rest));
        }
    }

    fn inputs(&self, at: usize, spot: &Spot<'_>, role: Role) -> Option<String> {
        match (role, spot.inputs.len()) {
            (Role::Start, 0) => None,
            (Role::Start, _) => Some("takes no input".into()),
            (_, 1) => None,
            (_, 0) => Some("needs an input".into()),
            // Ways that a condition parted may meet again.
            (role, _) if self.parts && role != Role::Side && self.meets(at, spot) => None,
            (_, n) => Some(format!("takes one input and has {n}")),
        }
    }

    /// Whether it stands on the wrong side of the call.
    fn side(&self, at: usize, spot: &Spot<'_>, role: Role) -> Option<&'static str> {
        let wanted = spot.kind?.phase()?;
        // What hangs off a node runs once that node is done.
        let stands = if role == Role::Side { *spot.inputs.first()? } else { at };
        let before = self.to_call[stands] && self.chart.spots[stands].role != Some(Role::Call);
        match (wanted, before) {
            (Phase::Pre, false) => Some("may only stand before MCP Call"),
            (Phase::Post, true) => Some("may only stand after MCP Call"),
            _ => None,
        }
    }

    fn meets(&self, at: usize, spot: &Spot<'_>) -> bool {
        self.on_way[at] && spot.inputs.iter().all(|&from| self.on_way[from])
    }

    fn outputs(&self, spot: &Spot<'_>, role: Role) -> Vec<String> {
        let has = spot.outputs.len();
        match role {
            Role::Step => {
                let most = spot.kind.and_then(|kind| kind.most_outputs()).filter(|most| has > *most);
                most.map(|most| format!("has {has} outputs, and at most {most} may leave it"))
                    .into_iter()
                    .collect()
            }
            Role::Choice => self.ways(spot),
            Role::End if has > 0 => vec!["has an output, and End has none".into()],
            Role::Side if has > 0 => vec!["has an output, and a fire-and-forget hook has none".into()],
            Role::Start | Role::Call | Role::End | Role::Side => Vec::new(),
        }
    }

    fn ways(&self, spot: &Spot<'_>) -> Vec<String> {
        let mut broken = Vec::new();
        for way in WAYS {
            let mut targets = spot.outputs.iter().filter(|(_, label)| *label == Some(way));
            match (targets.next(), targets.next()) {
                (None, _) => broken.push(format!("needs a way for {way}")),
                (Some(_), Some(_)) => broken.push(format!("has more than one way for {way}")),
                (Some((next, _)), None) if !self.on_way[*next] => {
                    broken.push(format!("has a way for {way} that does not lead to End"));
                }
                _ => {}
            }
        }
        let unnamed = spot.outputs.iter().any(|(_, label)| label.is_none());
        if unnamed && broken.is_empty() {
            broken.push("has an output that is neither true nor false".into());
        }
        broken
    }
}
