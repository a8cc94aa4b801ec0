//! `lockgate import`: gives the entries that would be added as YAML, or adds them when asked to.

use crate::args::{Flags, Import};
use crate::wire::{self, remark, say};
use anyhow::Context;
use config::Environment;
use config::import::{Plan, Planned, Target, Values, Verdict, apply, plan};
use model::ServerEntry;
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where clients keep their configuration, below the home folder or the current one.
const HOME_PLACES: [&str; 7] = [
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
    ".claude.json",
    ".cursor/mcp.json",
    ".config/Code/User/mcp.json",
    "Library/Application Support/Code/User/mcp.json",
    ".codex/config.toml",
];
const HERE_PLACES: [&str; 3] = [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"];

/// Settings of VS Code, below the home folder; those of most people hold no servers.
const SETTINGS: [&str; 2] =
    [".config/Code/User/settings.json", "Library/Application Support/Code/User/settings.json"];

pub(crate) fn run(flags: &Flags, options: &Import) -> anyhow::Result<ExitCode> {
    let Some(file) = &options.file else { return Ok(suggest()) };
    let text = read(file)?;
    let (target, existing, port) = target(flags)?;
    let plan = plan(&text, &existing, Target { port, values: Values::Replaced })?;
    // The entries alone are on standard output, so that they can be piped into a file.
    let tell: fn(&str) = if options.write { |line| say(line) } else { |line| remark(line) };
    show(&plan, tell);
    let count = plan.new_servers().count();
    if count == 0 {
        tell("Nothing to add.");
        return Ok(ExitCode::SUCCESS);
    }
    if !options.write {
        say(plan.yaml().trim_end());
        let target = target.display();
        tell(&format!("{count} to add to {target}. Nothing was written; add --write to do it."));
        return Ok(ExitCode::SUCCESS);
    }
    let applied = apply(&plan, &target, &Environment::from_process())?;
    say(format_args!("Added {} to {}.", applied.added.join(", "), applied.path.display()));
    if let Some(backup) = applied.backup {
        say(format_args!("The file as it was: {}", backup.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> anyhow::Result<String> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("reading standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))
}

/// The config file to add to, what it holds, and the port of its gateway. One that does not exist yet is made, and one
/// without servers gets its first.
fn target(flags: &Flags) -> anyhow::Result<(PathBuf, Vec<ServerEntry>, u16)> {
    let fresh = || -> anyhow::Result<_> {
        let port = flags.port.map_or_else(|| config::port(&Environment::from_process()), Ok)?;
        Ok((place(flags), Vec::new(), port))
    };
    match wire::config(flags) {
        Ok(config) => Ok((config.path, config.servers, config.port)),
        Err(config::Error::NotFound { .. }) => fresh(),
        Err(error) if error.field().as_deref() == Some("servers") => fresh(),
        Err(error) => Err(error.into()),
    }
}

/// Where the config file is, or will be.
fn place(flags: &Flags) -> PathBuf {
    let variable = std::env::var("CONFIG_PATH").ok().filter(|path| !path.trim().is_empty());
    let given = flags.config.clone().or(variable.map(|path| PathBuf::from(path.trim())));
    let usual = || config::CANDIDATES.iter().map(PathBuf::from).find(|path| path.exists());
    given.or_else(usual).unwrap_or_else(|| "lockgate.yaml".into())
}

fn show(plan: &Plan, tell: fn(&str)) {
    let width = plan.entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    for Planned { name, verdict, reason, notes, .. } in &plan.entries {
        let word = match verdict {
            Verdict::New => "new",
            Verdict::Exists => "exists",
            Verdict::Invalid => "invalid",
            Verdict::Skipped => "skipped",
        };
        let reason = reason.as_deref().unwrap_or_default();
        tell(format!("{name:width$}  {word:7}  {reason}").trim_end());
        for note in notes {
            tell(&format!("{:width$}           {note}", ""));
        }
    }
}

/// The files of clients that are there, each once.
fn found(home: Option<&Path>, here: &Path) -> Vec<PathBuf> {
    let below = |places: &'static [&str]| places.iter().filter_map(move |place| Some(home?.join(place)));
    let holds_servers = |place: &PathBuf| {
        let target = Target { port: 0, values: Values::Replaced };
        let text = std::fs::read_to_string(place).unwrap_or_default();
        plan(&text, &[], target).is_ok_and(|plan| !plan.entries.is_empty())
    };
    let places = below(&HOME_PLACES).chain(below(&SETTINGS).filter(holds_servers));
    let mut found: Vec<PathBuf> = Vec::new();
    let mut known = HashSet::new();
    for place in places.chain(HERE_PLACES.iter().map(|place| here.join(place))) {
        // Whoever stands in the home folder sees some of them twice.
        if place.is_file() && known.insert(std::fs::canonicalize(&place).unwrap_or_else(|_| place.clone())) {
            found.push(place);
        }
    }
    found
}

fn suggest() -> ExitCode {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let found = found(home.as_deref(), Path::new(""));
    if found.is_empty() {
        say("No configuration of Claude, Cursor, VS Code or Codex was found in the usual places.");
        say("Name the file: lockgate import <file>");
        return ExitCode::FAILURE;
    }
    say("Found; look at one of them with:");
    for place in found {
        say(format_args!("  lockgate import {:?}", place.display().to_string()));
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_client_is_found_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let (home, here) = (folder.path().join("home"), folder.path().join("here"));
        let write = |at: &Path, place: &str, text: &str| {
            let path = at.join(place);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, text).expect("written");
            path
        };
        assert_eq!(found(Some(&home), &here), Vec::<PathBuf>::new());
        let user = write(&home, ".config/Code/User/mcp.json", "{}");
        let mac = write(&home, "Library/Application Support/Code/User/mcp.json", "{}");
        let cursor = write(&home, ".cursor/mcp.json", "{}");
        let own = write(&here, ".cursor/mcp.json", "{}");
        let settings = write(&home, ".config/Code/User/settings.json", r#"{"editor.fontSize": 12}"#);
        assert_eq!(found(Some(&home), &here), [&cursor, &user, &mac, &own].map(PathBuf::clone));
        // Settings count when they hold servers.
        std::fs::write(&settings, r#"{"mcp": {"servers": {"a": {"command": "c"}}}}"#).expect("written");
        assert_eq!(found(Some(&home), &here)[3], settings);
        // Nobody's home, and a home that is here.
        assert_eq!(found(None, &here), [own]);
        let twice = found(Some(&home), &home).into_iter().filter(|place| *place == cursor).count();
        assert_eq!(twice, 1);
    }
}
