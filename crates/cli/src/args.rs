//! What can be typed.

use clap::{Parser, Subcommand};
use clap_complete::Shell;
use std::net::IpAddr;
use std::path::PathBuf;

/// A programmable MCP gateway: many MCP servers behind one endpoint.
#[derive(Parser)]
#[command(name = "lockgate", version, propagate_version = true)]
#[command(after_help = "Without a command, lockgate runs `serve`.\n\n\
    Examples:\n  \
    lockgate --config lockgate.yaml\n  \
    lockgate call health-server calculate-bmi '{\"weight_kg\":70,\"height_m\":1.75}'\n  \
    lockgate import ~/.cursor/mcp.json --write\n  \
    lockgate doctor")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) flags: Flags,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags that every command takes.
#[derive(clap::Args)]
pub(crate) struct Flags {
    /// Config file [default: CONFIG_PATH, else the first that exists of ./lockgate.yaml,
    /// ./config/config.yaml, /config/config.yaml]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Folder that holds lockgate.db
    #[arg(long, global = true, value_name = "FOLDER", default_value = "./data")]
    pub(crate) data: PathBuf,
    /// Port to listen on [default: PORT, else 3001]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) port: Option<u16>,
    /// Address to listen on [default: HOST, else 127.0.0.1]
    #[arg(long, global = true, value_name = "ADDRESS", value_parser = address)]
    pub(crate) host: Option<IpAddr>,
}

fn address(text: &str) -> Result<IpAddr, String> {
    config::parse_host(text).ok_or_else(|| "must be an IP address or 'localhost'".to_owned())
}

/// The commands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the gateway over HTTP (the default)
    Serve,
    /// Serve the MCP endpoint on standard input and output, for a desktop client
    Stdio,
    /// Check the config file and print the effective settings; secrets are masked
    Check,
    /// List the tools of all servers and those of workflows
    Tools(Tools),
    /// Call one tool and print its result as JSON
    Call(Call),
    /// Draw a workflow of the store
    Diagram(Diagram),
    /// Try every server and say why one would not start or work
    Doctor,
    /// Add the servers of a desktop client's configuration to the config file
    Import(Import),
    /// Prove on a throw-away gateway that no way in goes round the hooks
    VerifyHooks(VerifyHooks),
    /// Bring the tables of the store up to date
    Migrate(Migrate),
    /// Work on stores
    #[command(subcommand)]
    Store(StoreCommand),
    /// Make, list and revoke keys
    Key {
        #[command(subcommand)]
        command: Key,
    },
    /// Check or print the audit log
    Audit {
        #[command(subcommand)]
        command: Audit,
    },
    /// Run the built-in demo server on standard input and output
    DemoServer,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// `lockgate tools`.
#[derive(clap::Args)]
pub(crate) struct Tools {
    /// Only this server; `lockgate` for the tools of workflows
    pub(crate) server: Option<String>,
    /// Print JSON in the form of GET /mcp/tools
    #[arg(long)]
    pub(crate) json: bool,
}

/// `lockgate call`.
#[derive(clap::Args)]
pub(crate) struct Call {
    /// The server; `lockgate` for an activity that is published
    pub(crate) server: String,
    /// The tool
    pub(crate) tool: String,
    /// The arguments as a JSON object; `-` reads them from standard input
    #[arg(default_value = "{}")]
    pub(crate) input: String,
    /// Milliseconds to wait for the result
    #[arg(long, value_name = "MS")]
    pub(crate) timeout: Option<u64>,
    /// Print the whole result instead of its value
    #[arg(long)]
    pub(crate) raw: bool,
}

/// `lockgate diagram`.
#[derive(clap::Args)]
pub(crate) struct Diagram {
    /// The id or the name of the workflow
    pub(crate) workflow: String,
    /// How it is drawn
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DiagramFormat,
    /// Show what this run did in it
    #[arg(long, value_name = "ID", conflicts_with = "session")]
    pub(crate) run: Option<String>,
    /// Show what this session did in it
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// How a workflow is drawn.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub(crate) enum DiagramFormat {
    /// Text that Markdown pages can hold
    #[default]
    Mermaid,
    /// A picture
    Svg,
}

/// `lockgate migrate`.
#[derive(clap::Args)]
pub(crate) struct Migrate {
    /// Only tell whether there is something to do; exit 1 if there is
    #[arg(long)]
    pub(crate) check: bool,
}

/// `lockgate store`.
#[derive(Subcommand)]
pub(crate) enum StoreCommand {
    /// Copy everything from one store to another, which must be empty
    Copy(StoreCopy),
}

/// `lockgate store copy`.
#[derive(clap::Args)]
pub(crate) struct StoreCopy {
    /// The store to read, as in store.url
    #[arg(long, value_name = "URL")]
    pub(crate) from: String,
    /// The store to fill, as in store.url
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
}

/// `lockgate verify-hooks`.
#[derive(clap::Args)]
pub(crate) struct VerifyHooks {
    /// Switch the hooks off, to see that this is noticed
    #[arg(long, hide = true)]
    pub(crate) without_hooks: bool,
}

/// `lockgate key`.
#[derive(Subcommand)]
pub(crate) enum Key {
    /// Make a key and print it, once. With the first key, every route needs one, but for /health,
    /// the web page and the addresses of OAuth
    Create(CreateKey),
    /// List the keys, without the keys themselves
    List,
    /// Revoke a key; a running gateway notices within seconds
    Revoke {
        /// Its name
        name: String,
    },
}

/// `lockgate key create`.
#[derive(clap::Args)]
pub(crate) struct CreateKey {
    /// Its name, which is the client id of whoever uses it
    pub(crate) name: String,
    /// Servers that it reaches, with * and ? [default: all]
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub(crate) servers: Vec<String>,
    /// Tools that it reaches, as `tool` or `server/tool`, with * and ? [default: all]
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// Only tools whose server says that they change nothing
    #[arg(long)]
    pub(crate) read_only: bool,
    /// What it may do on the admin routes: none, viewer, editor or operator [default: none]
    #[arg(long)]
    pub(crate) role: Option<String>,
    /// Requests per second
    #[arg(long, value_name = "N")]
    pub(crate) rate: Option<u64>,
    /// Requests at once after a pause [default: as many as in a second]
    #[arg(long, value_name = "N", requires = "rate")]
    pub(crate) burst: Option<u64>,
    /// Requests at a time
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<u64>,
    /// When it ends, such as 2027-01-31T00:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) expires: Option<String>,
}

/// `lockgate audit`.
#[derive(Subcommand)]
pub(crate) enum Audit {
    /// Check that no entry was changed, taken out or put in
    Verify,
    /// Print the log, one JSON object a line, the oldest first
    Export {
        /// Only entries after this number
        #[arg(long, value_name = "N", default_value_t = 0)]
        after: u64,
    },
}

/// `lockgate import`.
#[derive(clap::Args)]
pub(crate) struct Import {
    /// File of Claude Desktop, Claude Code, Cursor, VS Code (JSON) or Codex (TOML); `-` reads
    /// standard input. Without it, the usual places are searched and listed
    pub(crate) file: Option<PathBuf>,
    /// Write the new servers to the config file; a backup is kept beside it
    #[arg(long, requires = "file")]
    pub(crate) write: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn nothing_can_be_written_without_a_file_to_import() {
        assert!(Args::try_parse_from(["lockgate", "import", "--write"]).is_err());
        for line in [&["lockgate", "import"][..], &["lockgate", "import", "--write", "-"]] {
            assert!(Args::try_parse_from(line).is_ok(), "{line:?}");
        }
    }

    #[test]
    fn flags_stand_before_or_after_the_command() {
        for line in [["lockgate", "--port", "5", "serve"], ["lockgate", "serve", "--port", "5"]] {
            assert_eq!(Args::parse_from(line).flags.port, Some(5));
        }
        assert!(Args::parse_from(["lockgate"]).command.is_none());
        assert!(Args::try_parse_from(["lockgate", "--host", "nowhere"]).is_err());
    }
}
