//! The commands and flags. A test holds the defaults that the help states to those in the settings.

use std::path::PathBuf;

use app::model::caller::Role;
use clap::{Args, Parser, Subcommand};

use super::settings;

/// The control room for a fleet of browser jobs.
///
/// A durable queue orders jobs that were recorded in Chrome DevTools, rate gates pace them, a pool of
/// Chrome instances runs each in a context of its own, and what cannot be finished waits for a person
/// with its evidence.
#[derive(Debug, Parser)]
#[command(name = "signalbox", version, propagate_version = true, after_long_help = settings::help())]
pub struct Cli {
    /// Where settings come from.
    #[command(flatten)]
    pub common: Common,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What belongs to every command.
#[derive(Debug, Args)]
pub struct Common {
    /// The settings file, in TOML [default: none; the defaults are made to work without one]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The folder of database, evidence and Chrome profiles [default: data, in the current folder, so that
    /// trying it out leaves nothing elsewhere]
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The database, as sqlite:PATH [default: signalbox.db in the data folder, so that there is nothing to
    /// install]
    #[arg(long, global = true, value_name = "URL")]
    pub database: Option<String>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server: queue, pool, API and pages
    Serve(ServeFlags),
    /// API tokens
    Token {
        /// What to do with them.
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// People
    User {
        /// What to do with them.
        #[command(subcommand)]
        command: UserCommand,
    },
    /// Submit a recording to a running server
    Submit(Submission),
    /// Serve a web shop to practise on
    PracticeSite {
        /// Where the shop listens [default: 127.0.0.1:8123, loopback because it is nobody's but yours]
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8123", hide_default_value = true)]
        listen: String,
    },
    /// Check the settings and print them with all defaults
    CheckConfig,
    /// Say what is there, what is missing and what to do
    Doctor,
}

/// Flags of `serve`; each stands above the environment and the file.
#[derive(Debug, Default, Args)]
pub struct ServeFlags {
    /// Where the server listens [default: 127.0.0.1:3000, loopback because reaching it from elsewhere
    /// should be a decision]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// The address that people use, for links that are printed [default: the listening address]
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
    /// Attempts that run at once [default: the number of cores, at least 2]
    #[arg(long, value_name = "N")]
    pub slots: Option<u32>,
    /// Tasks that may be queued at once [default: 10000, so that a runaway producer is refused before the
    /// disk is full]
    #[arg(long, value_name = "N")]
    pub capacity: Option<u32>,
    /// Seconds that running attempts are given to end when the server is told to stop [default: 30]
    #[arg(long, value_name = "SECONDS")]
    pub drain_s: Option<u32>,
    /// The Chrome to run: a path or a name [default: auto, which looks for one, headless shell first
    /// because it is several times faster]
    #[arg(long, value_name = "CHROME")]
    pub chrome: Option<String>,
    /// A private or loopback address that jobs may reach; may be given again [default: none, because a
    /// recording from elsewhere must not reach what is inside]
    #[arg(long, value_name = "ADDRESS")]
    pub allow: Vec<String>,
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make an API token and print it alone; it is never shown again
    Create {
        /// What it is for
        #[arg(long)]
        name: String,
        /// What it may do: viewer, reviewer, operator or admin
        #[arg(long)]
        role: Role,
    },
}

/// What to do with people.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Make an account and print a sign-in link, good for one hour and once; for an account that is there
    /// already the link sets a new password
    Add {
        /// The person's name
        name: String,
        /// What they may do: viewer, reviewer, operator or admin
        #[arg(long)]
        role: Role,
    },
}

/// A submission to a running server.
#[derive(Debug, Args)]
pub struct Submission {
    /// The recording, as exported from Chrome DevTools' Recorder panel
    #[arg(value_name = "FILE.json")]
    pub file: PathBuf,
    /// A value for one of the flow's {{parameters}}; may be given again
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = pair)]
    pub params: Vec<(String, String)>,
    /// One task for each row; the first line names the parameters
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Wait until what was submitted has ended and print the results; exit 1 where one failed or waits for
    /// a person
    #[arg(long)]
    pub watch: bool,
    /// The server's address [default: http://127.0.0.1:3000, where one listens by default]
    #[arg(
        long,
        value_name = "URL",
        env = "SIGNALBOX_URL",
        default_value = "http://127.0.0.1:3000",
        hide_default_value = true
    )]
    pub server: String,
    /// An API token with the role operator; make one with `signalbox token create`
    #[arg(long, env = "SIGNALBOX_TOKEN", hide_env_values = true)]
    pub token: String,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("must be NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::config::Settings;

    #[test]
    fn the_commands_hold_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_states_the_defaults_that_stand() {
        let mut program = Cli::command();
        // What belongs to every command is spread over them only then.
        program.build();
        let serve = program.find_subcommand_mut("serve").expect("a command").render_long_help().to_string();
        let serve = serve.split_whitespace().collect::<Vec<_>>().join(" ");
        let defaults = Settings::default();
        for stated in [
            format!("[default: {}, loopback", defaults.server.listen),
            format!("[default: {}, in the current folder", defaults.server.data.display()),
            format!("[default: {}, so that a runaway", defaults.queue.capacity),
            format!("[default: {}]", defaults.server.drain_s),
            format!("[default: {}, which looks", defaults.pool.binary),
        ] {
            assert!(serve.contains(&stated), "'{stated}' is not in: {serve}");
        }
    }

    #[test]
    fn a_parameter_is_a_name_and_any_value() {
        assert_eq!(pair("q=a=b"), Ok(("q".to_owned(), "a=b".to_owned())));
        assert_eq!(pair("q="), Ok(("q".to_owned(), String::new())));
        assert!(pair("q").is_err() && pair("=a").is_err());
    }
}
