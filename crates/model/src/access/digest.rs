//! What a key is known by: its SHA-256, which shows nothing of the key.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

/// Stands before the digits.
const PREFIX: &str = "sha256:";

/// A SHA-256 digest, written `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ToSchema)]
#[schema(value_type = String)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_all([bytes])
    }

    /// The digest of all of these one after the other.
    pub fn of_all<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut digest = ring::digest::Context::new(&ring::digest::SHA256);
        parts.into_iter().for_each(|part| digest.update(part));
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest.finish().as_ref());
        Self(bytes)
    }

    /// Reads `sha256:<hex>`, in either case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let digit = |at: usize| (pair[at] as char).to_digit(16);
            *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
        }
        Some(Self(bytes))
    }

    /// The digits alone.
    pub fn hex(&self) -> String {
        crate::text::hex(&self.0)
    }
}

/// The digest of a good key shows nothing of it, but nobody needs it in a log either.
impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Digest(***)")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{PREFIX}{}", self.hex()))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("must be sha256: and 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_that_of_the_standard() {
        let known = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Some(Digest::of(b"abc")), Digest::parse(known));
        assert_eq!(Digest::of_all([&b"a"[..], b"", b"bc"]), Digest::of(b"abc"));
    }

    #[test]
    fn a_digest_is_read_as_it_is_written_and_is_not_shown() {
        let digest = Digest(std::array::from_fn(|n| n as u8 * 7));
        let text = serde_json::to_string(&digest).expect("text");
        assert_eq!(serde_json::from_str::<Digest>(&text).expect("a digest"), digest);
        assert_eq!(Digest::parse(&text.trim_matches('"').replace("sha256:", "").to_uppercase()), None);
        assert_eq!(Digest::parse(&format!("sha256:{}", digest.hex().to_uppercase())), Some(digest));
        assert_eq!(format!("{digest:?}"), "Digest(***)");
        for wrong in ["", "sha256:", "sha256:00", &format!("sha256:{}x", &digest.hex()[1..]), &digest.hex()] {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
    }
}
