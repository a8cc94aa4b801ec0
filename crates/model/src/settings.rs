//! The settings of the config file, with their defaults: one type for the file and for the gateway.

use crate::access::{Audit, Bounds, KeyEntry};
use crate::oauth::Issuer;
pub use crate::restate::{EngineKind, Restate};
use crate::secret::SecretValues;
use crate::session::Face;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Everything in the config file apart from `servers`, `activities` and `workflows`, joined with
/// the environment variables that change how calls are handled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// Milliseconds between pings, 5000 to 300000.
    pub health_check_interval: u64,
    /// Missed pings in a row that mark a server as crashed.
    pub missed_pings: u32,
    /// What happens to a server that crashes or cannot start.
    pub restart_policy: RestartPolicy,
    /// What happens when a server cannot start with the gateway.
    pub startup: Startup,
    /// Names of variables that every child receives.
    pub inherit_env: Vec<String>,
    /// Whether a progress notification restarts the clock of its call.
    pub timeout_reset_on_progress: bool,
    /// MCP, both sides.
    pub mcp: Mcp,
    /// The HTTP surface.
    pub http: Http,
    /// How a call finds its server.
    pub routing: Routing,
    /// Sizes of requests.
    pub limits: Limits,
    /// The tool list.
    pub tools: Tools,
    /// How the file itself is read.
    pub config: ConfigFile,
    /// Where definitions and records are kept.
    pub store: Store,
    /// Requests to the outside.
    pub outbound: Outbound,
    /// Hooks.
    pub hooks: Hooks,
    /// Captured calls.
    pub captures: Captures,
    /// Graphs, and what session workflows run on.
    pub workflow: Workflow,
    /// Restate, where session workflows run on it.
    pub restate: Restate,
    /// Node types that stand in a folder.
    pub plugins: Plugins,
    /// Templates of workflows.
    pub templates: Templates,
    /// Records of runs.
    pub runs: Runs,
    /// Sessions.
    pub sessions: Sessions,
    /// The log of requests.
    pub requests: Requests,
    /// Traces.
    pub tracing: Tracing,
    /// Who may come in; everybody when empty.
    pub keys: Vec<KeyEntry>,
    /// Whose tokens open the gateway.
    pub oauth: Option<Issuer>,
    /// The audit log.
    pub audit: Audit,
    /// `DEFAULT_TIMEOUT`: milliseconds for a call to a server without a timeout of its own.
    #[serde(skip)]
    pub default_timeout: u64,
    /// `MAX_TIMEOUT`: milliseconds that no call exceeds.
    #[serde(skip)]
    pub max_timeout: u64,
    /// `DISABLE_VALIDATION`: no input validation, no result checks. For tests only.
    #[serde(skip)]
    pub validation_disabled: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            health_check_interval: 30_000,
            missed_pings: 3,
            restart_policy: RestartPolicy::default(),
            startup: Startup::default(),
            inherit_env: vec!["PATH".into()],
            timeout_reset_on_progress: false,
            mcp: Mcp::default(),
            http: Http::default(),
            routing: Routing::default(),
            limits: Limits::default(),
            tools: Tools::default(),
            config: ConfigFile::default(),
            store: Store::default(),
            outbound: Outbound::default(),
            hooks: Hooks::default(),
            captures: Captures::default(),
            workflow: Workflow::default(),
            restate: Restate::default(),
            plugins: Plugins::default(),
            templates: Templates::default(),
            runs: Runs::default(),
            sessions: Sessions::default(),
            requests: Requests::default(),
            tracing: Tracing::default(),
            keys: Vec::new(),
            oauth: None,
            audit: Audit::default(),
            default_timeout: 30_000,
            max_timeout: 300_000,
            validation_disabled: false,
        }
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// The words a user may write.
            pub const WORDS: &[&str] = &[$($word),+];
        }
    };
}

words! {
    /// `restartPolicy`.
    RestartPolicy {
        /// A server that ended stays as it is.
        #[default] Never = "never",
        /// At most three attempts, after 1, 2 and 4 seconds.
        OnFailure = "on-failure",
    }
}

words! {
    /// `startup.onServerFailure`.
    OnServerFailure {
        /// The gateway ends with exit code 1.
        #[default] Exit = "exit",
        /// The gateway starts without the server.
        Degrade = "degrade",
    }
}

words! {
    /// `http.resultMode`.
    ResultMode {
        /// Structured content, or the JSON of a single text part, or the whole result.
        #[default] Value = "value",
        /// Always the whole result.
        Raw = "raw",
    }
}

words! {
    /// `tools.refresh`.
    Refresh {
        /// When the server says that its tools changed.
        #[default] OnChange = "on-change",
        /// Only when the server is started anew.
        Startup = "startup",
    }
}

words! {
    /// `config.expand`.
    Expand {
        /// Values of environment variables only.
        #[default] Envs = "envs",
        /// Every string of the file.
        All = "all",
    }
}

words! {
    /// `mcp.toolNames`.
    ToolNames {
        /// The tool's own name where it is unique.
        #[default] Auto = "auto",
        /// Always `<server>__<name>`.
        Prefixed = "prefixed",
    }
}

words! {
    /// `hooks.trace`.
    Trace {
        /// In the log only.
        #[default] Log = "log",
        /// In the reply too.
        Reply = "reply",
    }
}

words! {
    /// `workflow.onError`.
    OnGraphError {
        /// The client gets the error.
        #[default] Fail = "fail",
        /// The plain request is made instead.
        Bypass = "bypass",
    }
}

words! {
    /// `workflow.activation`.
    Activation {
        /// One graph per type is active.
        #[default] Single = "single",
    }
}

words! {
    /// `sessions.onFull`.
    OnFull {
        /// A new session is refused.
        #[default] Reject = "reject",
        /// The oldest open session is removed.
        EvictOldest = "evict-oldest",
    }
}

macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $type:ty = $default:expr),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
        pub struct $name { $($(#[$fdoc])* pub $field: $type),+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default),+ }
            }
        }
    };
}

section! {
    /// `startup`.
    Startup {
        /// Whether a failed start ends the gateway.
        on_server_failure: OnServerFailure = OnServerFailure::default(),
    }
}

section! {
    /// `mcp`.
    Mcp {
        /// Whether a server is told that its call was given up.
        cancel_on_timeout: bool = true,
        /// Whether the old HTTP+SSE transport is served.
        sse: bool = true,
        /// How tools are named towards MCP clients.
        tool_names: ToolNames = ToolNames::default(),
        /// Longest name towards MCP clients; 0 for no limit.
        max_name_length: u64 = 64,
        /// Key that seals session ids; created in the data folder when absent.
        session_key: Option<String> = None,
    }
}

section! {
    /// `http`.
    Http {
        /// HTTP status of `TIMEOUT_ERROR`: 408 or 504.
        timeout_status: u16 = 408,
        /// What `result` holds.
        result_mode: ResultMode = ResultMode::default(),
        /// Host headers accepted besides loopback.
        allowed_hosts: Vec<String> = Vec::new(),
        /// Origin headers accepted besides loopback.
        allowed_origins: Vec<String> = Vec::new(),
        /// Milliseconds for a client to send the head of a request, to send each MiB of its body, and to take
        /// something of its reply; then the connection ends.
        client_timeout: u64 = 30_000,
        /// Address under which others reach the gateway, such as `https://gate.example.com`.
        public_url: Option<String> = None,
    }
}

section! {
    /// `routing`.
    Routing {
        /// Whether `server` may be left out when one server has the tool.
        allow_tool_only: bool = false,
    }
}

section! {
    /// `limits`.
    Limits {
        /// Bytes of a request body.
        body: u64 = 1_048_576,
        /// Bytes of `input`, serialised again.
        input: u64 = 102_400,
        /// Levels of nesting in `input`.
        depth: u64 = 10,
        /// HTTP requests under way at a time; more are turned away. 0 for no limit.
        in_flight: u64 = 10_000,
        /// Calls of all clients together.
        calls: Bounds = Bounds::default(),
    }
}

section! {
    /// `tools`.
    Tools {
        /// When the list of a server is read again.
        refresh: Refresh = Refresh::default(),
        /// Tools shown per session workflow.
        expose: Vec<Face> = Face::ALL.to_vec(),
    }
}

section! {
    /// `config`.
    ConfigFile {
        /// Where `${NAME}` is replaced.
        expand: Expand = Expand::default(),
        /// Whether an edit of the file reloads it.
        watch: bool = false,
    }
}

section! {
    /// `store`.
    Store {
        /// `memory:`, `sqlite:<path>`, `postgres://…`; `sqlite:<data>/lockgate.db` when absent.
        url: Option<String> = None,
    }
}

section! {
    /// `outbound`.
    Outbound {
        /// Hosts and origins that activities and added servers may reach.
        allow: Vec<String> = Vec::new(),
    }
}

section! {
    /// `hooks`.
    Hooks {
        /// The ordered list.
        list: HookList = HookList::default(),
        /// Milliseconds for one execution.
        timeout_ms: u64 = 5000,
        /// Where the hooks that ran are named.
        trace: Trace = Trace::default(),
    }
}

section! {
    /// `hooks.list`.
    HookList {
        /// Whether the ordered list runs.
        enabled: bool = true,
    }
}

section! {
    /// `captures`.
    Captures {
        /// How many calls are kept; 0 switches it off.
        keep: u64 = 200,
    }
}

section! {
    /// `workflow`.
    Workflow {
        /// What a failing graph does.
        on_error: OnGraphError = OnGraphError::default(),
        /// How many graphs of a type are active.
        activation: Activation = Activation::default(),
        /// What session workflows run on.
        engine: EngineKind = EngineKind::default(),
    }
}

section! {
    /// `plugins`.
    Plugins {
        /// The folder of the manifests; without one there are no plug-ins.
        folder: Option<String> = None,
    }
}

section! {
    /// `templates`.
    Templates {
        /// A folder of templates that a team shares, or the address of an index of them.
        catalogue: Option<String> = None,
    }
}

section! {
    /// `runs`.
    Runs {
        /// How many runs are kept; 0 switches recording off.
        keep: u64 = 10_000,
        /// For how many days a run is kept at most.
        days: u64 = 7,
    }
}

section! {
    /// `sessions`.
    Sessions {
        /// The most sessions kept.
        max_sessions: u64 = 1000,
        /// Milliseconds after which a finished session may go.
        #[serde(rename = "sessionTTLMs")]
        session_ttl_ms: u64 = 3_600_000,
        /// What happens at the cap.
        on_full: OnFull = OnFull::default(),
        /// Whether callers may use each other's sessions.
        shared: bool = false,
        /// Milliseconds after which the step of an instance that shows no sign of life is taken up by another.
        lease_ms: u64 = 10_000,
    }
}

section! {
    /// `requests`.
    Requests {
        /// How many of the last requests can be looked at; 0 switches it off.
        keep: u64 = 1000,
    }
}

section! {
    /// `tracing`.
    Tracing {
        /// Address that takes traces over OTLP/HTTP; without one nothing is traced.
        otlp: Option<String> = None,
        /// The part of the requests that is traced, 0 to 1, where the client does not say.
        sample: f64 = 0.01,
        /// Headers for that address; values may hold `${NAME}` or name a file with `file:/path`.
        headers: Option<SecretValues> = None,
    }
}
