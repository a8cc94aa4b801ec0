//! A definition with its edges resolved: who leads to whom.

use crate::kind::{Kind, Role, WAYS};
use crate::kinds::Kinds;
use model::{Edge, Node, Workflow};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A node in its place.
pub(crate) struct Spot<'a> {
    pub(crate) node: &'a Node,
    pub(crate) kind: Option<&'a dyn Kind>,
    pub(crate) role: Option<Role>,
    /// Whether another node has its id already; edges lead to that one.
    pub(crate) twin: bool,
    /// The spots that lead here, one for each edge.
    pub(crate) inputs: Vec<usize>,
    /// Where this leads, one for each edge, with the label of the output.
    pub(crate) outputs: Vec<(usize, Option<&'a str>)>,
}

/// All nodes, in the order of their ids, so that no order of the definition can matter.
pub(crate) struct Chart<'a> {
    pub(crate) spots: Vec<Spot<'a>>,
    /// Edges that name a node which does not exist, and that name.
    pub(crate) loose: Vec<(&'a Edge, &'a str)>,
    /// Edges that leave a condition by an output that it does not have.
    pub(crate) odd: Vec<&'a Edge>,
}

impl<'a> Chart<'a> {
    pub(crate) fn new(workflow: &'a Workflow, kinds: &'a Kinds) -> Self {
        let spot = |node: &'a Node| {
            let kind = kinds.of(&node.kind);
            let role = kind.map(|kind| kind.role(node));
            Spot { node, kind, role, twin: false, inputs: Vec::new(), outputs: Vec::new() }
        };
        let mut spots: Vec<Spot<'a>> = workflow.nodes.iter().map(spot).collect();
        spots.sort_by(|a, b| a.node.id.cmp(&b.node.id));
        let mut places: HashMap<&'a str, usize> = HashMap::with_capacity(spots.len());
        for (place, spot) in spots.iter_mut().enumerate() {
            match places.entry(&spot.node.id) {
                Entry::Occupied(_) => spot.twin = true,
                Entry::Vacant(free) => _ = free.insert(place),
            }
        }
        let (mut loose, mut odd) = (Vec::new(), Vec::new());
        for edge in workflow.edges.iter() {
            let find = |id: &'a str| places.get(id).copied().ok_or((edge, id));
            match (find(&edge.source), find(&edge.target)) {
                (Ok(source), Ok(target)) => {
                    let is_way = edge.way.as_deref().is_none_or(|way| WAYS.contains(&way));
                    odd.extend((spots[source].role == Some(Role::Choice) && !is_way).then_some(edge));
                    spots[source].outputs.push((target, edge.way.as_deref()));
                    spots[target].inputs.push(source);
                }
                (source, target) => loose.extend([source.err(), target.err()].into_iter().flatten()),
            }
        }
        for spot in &mut spots {
            spot.inputs.sort_unstable();
            spot.outputs.sort_unstable();
        }
        Self { spots, loose, odd }
    }

    /// The spots of that role.
    pub(crate) fn all(&self, role: Role) -> Vec<usize> {
        (0..self.spots.len()).filter(|&at| self.spots[at].role == Some(role)).collect()
    }

    /// Which spots can be reached from these, themselves included, without a step out of one with the role
    /// `closed`.
    pub(crate) fn from(&self, begin: &[usize], closed: Option<Role>) -> Vec<bool> {
        self.flood(begin, closed, |spot, see| spot.outputs.iter().for_each(|(next, _)| see(*next)))
    }

    /// From which spots one of these can be reached, themselves included.
    pub(crate) fn to(&self, end: &[usize]) -> Vec<bool> {
        self.flood(end, None, |spot, see| spot.inputs.iter().for_each(|next| see(*next)))
    }

    fn flood(
        &self,
        begin: &[usize],
        closed: Option<Role>,
        each: impl Fn(&Spot<'a>, &mut dyn FnMut(usize)),
    ) -> Vec<bool> {
        let mut seen = vec![false; self.spots.len()];
        let mut open: Vec<usize> = begin.to_vec();
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) || (closed.is_some() && self.spots[at].role == closed) {
                continue;
            }
            each(&self.spots[at], &mut |next| open.push(next));
        }
        seen
    }

    /// The spots in an order in which every one comes after those that lead to it; `None` when there is a cycle.
    pub(crate) fn order(&self) -> Option<Vec<usize>> {
        let mut waits: Vec<usize> = self.spots.iter().map(|spot| spot.inputs.len()).collect();
        let mut ready: Vec<usize> = (0..waits.len()).rev().filter(|&at| waits[at] == 0).collect();
        let mut order = Vec::with_capacity(waits.len());
        while let Some(at) = ready.pop() {
            order.push(at);
            for (next, _) in &self.spots[at].outputs {
                waits[*next] -= 1;
                if waits[*next] == 0 {
                    ready.push(*next);
                }
            }
        }
        (order.len() == waits.len()).then_some(order)
    }
}
