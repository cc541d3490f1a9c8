//! Why a step goes no further.

use app::model::fault::Fault;

use super::classify;
use super::job::NotRecorded;
use crate::cdp::CdpError;

/// A fault on its way out of a step.
#[derive(Debug)]
pub(super) struct Stop(pub Box<Fault>);

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self(Box::new(fault))
    }
}

impl From<CdpError> for Stop {
    fn from(error: CdpError) -> Self {
        classify::chrome(&error).into()
    }
}

impl From<NotRecorded> for Stop {
    fn from(error: NotRecorded) -> Self {
        classify::internal(&error).into()
    }
}
