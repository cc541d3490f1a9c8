//! The program; all of it is in the library's command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::cli::main()
}
