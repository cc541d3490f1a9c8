//! Who asks: every call of the control room carries its caller, and authorises it once.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a person or a token may do. Each role may all that the one before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads everything but evidence, private values and what is the admin's; checks flows.
    Viewer,
    /// And evidence, work orders, rules and proofs.
    Reviewer,
    /// And tasks, flows, gates, pool, breaker and pause.
    Operator,
    /// And people, tokens, secrets and settings.
    Admin,
}

impl Role {
    /// Every role, the least first.
    pub const ALL: [Role; 4] = [Role::Viewer, Role::Reviewer, Role::Operator, Role::Admin];

    /// The role's name as the API and the program write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Reviewer => "reviewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

impl std::str::FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| format!("'{text}' is no role: viewer, reviewer, operator or admin"))
    }
}

/// By what a caller proved who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallerKind {
    /// A person, by the session of a browser.
    Person,
    /// A program, by an API token.
    Token,
}

/// A person or an API token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Caller {
    /// The account's or token's id.
    pub id: Uuid,
    /// The person's or token's name, for showing.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Person or token.
    pub kind: CallerKind,
}
