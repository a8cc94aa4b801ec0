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
    /// List the tools of all servers
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
    /// Only this server
    pub(crate) server: Option<String>,
    /// Print the same JSON as GET /mcp/tools
    #[arg(long)]
    pub(crate) json: bool,
}

/// `lockgate call`.
#[derive(clap::Args)]
pub(crate) struct Call {
    /// The server
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

/// `lockgate verify-hooks`.
#[derive(clap::Args)]
pub(crate) struct VerifyHooks {
    /// Switch the hooks off, to see that this is noticed
    #[arg(long, hide = true)]
    pub(crate) without_hooks: bool,
}

/// `lockgate import`.
#[derive(clap::Args)]
pub(crate) struct Import {
    /// File of Claude Desktop, Claude Code, Cursor, VS Code (JSON) or Codex (TOML); `-` reads
    /// standard input. Without it, the usual places are searched and listed
    pub(crate) file: Option<PathBuf>,
    /// Write the new servers to the config file; a backup is kept beside it
    #[arg(long)]
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
    fn flags_stand_before_or_after_the_command() {
        for line in [["lockgate", "--port", "5", "serve"], ["lockgate", "serve", "--port", "5"]] {
            assert_eq!(Args::parse_from(line).flags.port, Some(5));
        }
        assert!(Args::parse_from(["lockgate"]).command.is_none());
        assert!(Args::try_parse_from(["lockgate", "--host", "nowhere"]).is_err());
    }
}
