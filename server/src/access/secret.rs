//! The secrets that tokens, sessions and sign-in links are: 256 random bits with a prefix that says which.
//!
//! Only the SHA-256 digest is stored. A secret this random needs no slow hash, and looking a digest up by
//! equality tells an attacker nothing about the secret.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use rand::{TryRng, rngs::SysRng};
use sha2::{Digest as _, Sha256};

use crate::store::access::Digest;

/// Length of the random part as text.
const BODY: usize = 43;

/// What a secret is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An API token.
    Token,
    /// A browser's session.
    Session,
    /// A sign-in link.
    Once,
}

impl Kind {
    /// What its secrets begin with, so that a leaked one can be told from other text.
    fn prefix(self) -> &'static str {
        match self {
            Self::Token => "sbx_",
            Self::Session => "sbs_",
            Self::Once => "sbo_",
        }
    }
}

/// A secret. Its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A new one.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        let mut bytes = [0_u8; 32];
        SysRng.try_fill_bytes(&mut bytes).expect("the system's random numbers cannot run out");
        Self(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The secret itself, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored of it.
    #[must_use]
    pub fn digest(&self) -> Digest {
        digest(&self.0)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The digest of a text that claims to be a secret; none where it does not even look like one, which
/// spares the store the question.
#[must_use]
pub fn digest_of(kind: Kind, text: &str) -> Option<Digest> {
    let body = text.strip_prefix(kind.prefix())?;
    let plausible =
        body.len() == BODY && body.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    plausible.then(|| digest(text))
}

fn digest(text: &str) -> Digest {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_secret_is_recognised_by_its_own_kind_alone() {
        let secret = Secret::new(Kind::Token);
        assert_eq!(digest_of(Kind::Token, secret.reveal()), Some(secret.digest()));
        assert_eq!(digest_of(Kind::Session, secret.reveal()), None);
        assert_ne!(secret, Secret::new(Kind::Token));
    }

    #[test]
    fn what_does_not_look_like_a_secret_is_none() {
        for text in
            ["", "sbx_", "sbx_short", &format!("sbx_{}", "ü".repeat(22)), &format!("sbx_{}", "a".repeat(44))]
        {
            assert_eq!(digest_of(Kind::Token, text), None, "{text}");
        }
    }

    #[test]
    fn a_secret_does_not_print_itself() {
        let secret = Secret::new(Kind::Once);
        assert!(!format!("{secret:?}").contains(&secret.reveal()[4..]));
    }
}
