//! A moment: Unix milliseconds inside, RFC 3339 with milliseconds outside.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// A moment in UTC, in milliseconds since the Unix epoch.
///
/// Its JSON is RFC 3339 with three digits of fraction: `2026-11-30T09:15:00.250Z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The moment `ms` milliseconds after this one.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this moment; negative where `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// RFC 3339 in UTC with milliseconds; a moment that no calendar holds is clamped to the epoch.
    #[must_use]
    pub fn rfc3339(self) -> String {
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH);
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            at.year(),
            u8::from(at.month()),
            at.day(),
            at.hour(),
            at.minute(),
            at.second(),
            at.millisecond()
        )
    }

    /// Reads RFC 3339, with any offset and any fraction.
    ///
    /// # Errors
    /// When the text is not an RFC 3339 date and time.
    pub fn parse(text: &str) -> Result<Self, String> {
        let at = OffsetDateTime::parse(text, &Rfc3339)
            .map_err(|_| format!("'{text}' is not a time in RFC 3339 form, such as 2026-11-30T09:15:00Z"))?;
        Ok(Self((at.unix_timestamp_nanos() / 1_000_000) as i64))
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.rfc3339())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.rfc3339())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(feature = "ssr")]
impl utoipa::PartialSchema for Timestamp {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .into()
    }
}

#[cfg(feature = "ssr")]
impl utoipa::ToSchema for Timestamp {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_rfc3339_with_milliseconds() {
        let json = serde_json::to_string(&Timestamp(1_796_029_700_250)).expect("a string");
        assert_eq!(json, "\"2026-11-30T09:08:20.250Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>(&json).expect("the same"), Timestamp(1_796_029_700_250));
    }

    #[test]
    fn offsets_are_read_as_utc() {
        assert_eq!(Timestamp::parse("1970-01-01T01:00:00+01:00"), Ok(Timestamp(0)));
        assert!(Timestamp::parse("tomorrow").is_err());
    }
}
