//! An example recording that ships with the program, for a first try.

use serde::{Deserialize, Serialize};

/// One example recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExampleRecording {
    /// Its file's name, which names it in addresses.
    pub file: String,
    /// What it is called.
    pub title: String,
    /// What it does, in one sentence.
    pub description: String,
    /// The recording's JSON.
    pub json: String,
}
