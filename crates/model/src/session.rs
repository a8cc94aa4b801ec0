//! Session workflows: activities, steps and procedures as they are written, sessions as they are shown
//! (spec 4).

mod activity;
mod check;
mod detail;
pub(crate) mod parse;
mod procedure;
mod record;
mod road;
mod scripts;
mod step;
mod trail;

pub use activity::{Activity, HttpRun, OnUnknown, Retry, Run, ToolRun, WorkflowRun};
pub use check::check;
pub use detail::{ExecutionDetail, StepDetail};
pub use parse::{SCHEMA_MAX, TIME_MAX};
pub use procedure::{Face, Procedure, Terms, TimeoutScope, Tools};
pub use record::{
    BranchDecision, BranchOption, Compensation, Decision, INPUT_KEY, RunningStep, SessionStats,
    SessionStatus, StepExecution, ToolCallSuggestion, UncertainMember, Waiting, WorkflowSession,
};
pub use road::{Fork, Onward, Road};
pub use scripts::{Form, Script};
pub use step::{Approve, Approvers, Branches, OnTimeout, PatternBranch, PredicateBranch, Step, WaitFor};
pub use trail::Trail;
