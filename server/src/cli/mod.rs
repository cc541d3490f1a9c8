//! The program's command line.
//!
//! - [`args`]: the commands and flags, with what `--help` says of them;
//! - `settings`: from flags, environment and file to the settings;
//! - `serve`, `accounts`, `submit`, `practice`, `check`, [`doctor`]: the commands;
//! - [`lock`]: the lock that keeps a second server off a data folder.
//!
//! What a command answers goes to the standard output, everything else to the standard error. Exit codes:
//! 0 done, 1 failed, 2 wrong use.

mod accounts;
pub mod args;
mod check;
pub mod doctor;
pub mod lock;
mod practice;
mod serve;
mod settings;
mod submit;

use std::{
    fmt::Display,
    future::Future,
    io::{IsTerminal, Write},
    process::ExitCode,
};

use clap::Parser;
use tracing_subscriber::EnvFilter;

use args::{Cli, Command, TokenCommand, UserCommand};

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Exit code 1.
    #[error("{0}")]
    Failed(String),
    /// Exit code 2.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    fn failed(why: impl Display) -> Self {
        Self::Failed(why.to_string())
    }

    fn usage(why: impl Display) -> Self {
        Self::Usage(why.to_string())
    }

    fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
        })
    }
}

type Done = Result<(), Failure>;

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A closed terminal is no reason to fail in another way.
            let _unseen = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure);
            failure.exit_code()
        }
    }
}

fn run(cli: Cli) -> Done {
    let Cli { common, command } = cli;
    match command {
        Command::Serve(flags) => serve::run(&common, &flags),
        Command::Token { command: TokenCommand::Create { name, role } } => {
            accounts::create_token(&common, &name, role)
        }
        Command::User { command: UserCommand::Add { name, role } } => {
            accounts::add_user(&common, &name, role)
        }
        Command::Submit(submission) => submit::run(&submission),
        Command::PracticeSite { listen } => practice::run(&listen),
        Command::CheckConfig => check::run(&common),
        Command::Doctor => doctor::run(&common),
    }
}

/// One line of what a command answers.
fn say(line: impl Display) -> Done {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(|why| Failure::failed(format!("cannot write: {why}")))
}

/// One line beside the answer.
fn note(line: impl Display) {
    // Nobody reads it: nothing to be done about that.
    let _unseen = writeln!(std::io::stderr().lock(), "{line}");
}

fn complain(failure: &Failure) {
    note(format_args!("signalbox: {failure}"));
}

/// Sends the log to the standard error: what `RUST_LOG` asks for, else from `default` up.
fn log(default: &str) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .finish();
    // In a process that has a log already, that one stays.
    let _kept = tracing::subscriber::set_global_default(subscriber);
}

/// Runs something asynchronous to its end.
fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|why| Failure::failed(format!("cannot start: {why}")))?;
    runtime.block_on(work)
}
