//! A session as it is kept, and the words to ask for it.

/// What lists, limits and timers look at, besides the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its name; unique. It never changes.
    pub id: String,
    /// The name of its workflow. It never changes.
    pub workflow: String,
    /// Who started it. It never changes.
    pub caller: String,
    /// `pending`, `running`, `paused`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// Whether it is not finished.
    pub open: bool,
    /// When it was started, in milliseconds since 1970, like all times here. It never changes.
    pub started_at: i64,
    /// When its last event happened.
    pub updated_at: i64,
    /// When it was finished.
    pub completed_at: Option<i64>,
    /// The session that runs it as a step. It never changes.
    pub parent: Option<String>,
    /// What it waits for, such as `event:paid`.
    pub waiting: Option<String>,
    /// When the engine must look at it next.
    pub due: Option<i64>,
    /// The hash of the definition that it is pinned to.
    pub definition: String,
}

impl SessionRow {
    /// A session that was started at that time and runs since then, by nobody in particular.
    pub fn started(id: &str, workflow: &str, at: i64) -> Self {
        Self {
            id: id.to_owned(),
            workflow: workflow.to_owned(),
            caller: String::new(),
            status: "running".to_owned(),
            open: true,
            started_at: at,
            updated_at: at,
            completed_at: None,
            parent: None,
            waiting: None,
            due: None,
            definition: String::new(),
        }
    }
}

/// A session with its journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSession {
    /// What is known without the events.
    pub row: SessionRow,
    /// The JSON texts of all events, in order.
    pub events: Vec<String>,
}

/// How many sessions there may be, and which go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// Sessions that may exist, finished ones included.
    pub most: u64,
    /// Sessions that were finished before this time go.
    pub finished_before: i64,
    /// Whether the oldest open session goes when there is no finished one. Those that the new one runs in stay.
    pub evict_open: bool,
    /// How often workflows had been changed when it was decided to create the session, where that matters: when they
    /// were changed since, it is [`Error::Moved`](crate::Error::Moved), and nothing is done.
    pub since: Option<u64>,
}

/// What came of the wish to create a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Created {
    /// It was made.
    Made,
    /// The same workflow, caller and key have a session already: the one of this id.
    Exists(String),
    /// There are as many sessions as there may be.
    Full,
}

/// Which sessions are meant; what is `None` does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter<'a> {
    /// Those of the workflow of this name.
    pub workflow: Option<&'a str>,
    /// Those in this status.
    pub status: Option<&'a str>,
    /// Those that this caller started.
    pub caller: Option<&'a str>,
    /// Those that this session runs as its steps.
    pub parent: Option<&'a str>,
    /// Those that wait for something that begins with this.
    pub waiting: Option<&'a str>,
}
