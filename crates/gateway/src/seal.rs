//! Tokens that only this gateway, and others with its key, can make and read.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use model::access::Digest;

/// Bytes of the nonce that stands before every sealed text.
const NONCE: usize = 24;

/// Authenticated encryption under one key. Instances with the same key read each other's tokens.
#[derive(Clone)]
pub struct Seal {
    cipher: XChaCha20Poly1305,
    mark: String,
}

impl Seal {
    /// A seal whose key is derived from a secret text.
    pub fn new(secret: &str) -> Self {
        let mark = Digest::of(format!("mark of {secret}").as_bytes());
        Self {
            cipher: XChaCha20Poly1305::new(&Digest::of(secret.as_bytes()).0.into()),
            mark: model::text::hex(&mark.0[..4]),
        }
    }

    /// A short word that tells seals apart and nothing of their keys: seals of the same key have the same.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// A secret that nobody knows: 32 random bytes as hexadecimal digits.
    pub fn fresh_secret() -> String {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the system gives random bytes");
        model::text::hex(&bytes)
    }

    /// Seals a text for a purpose; a token of one purpose is worth nothing for another.
    pub fn seal(&self, purpose: &str, text: &[u8]) -> String {
        let mut sealed = vec![0; NONCE];
        getrandom::fill(&mut sealed).expect("the system gives random bytes");
        let nonce = XNonce::try_from(&sealed[..]).expect("the length is right");
        let payload = Payload { msg: text, aad: purpose.as_bytes() };
        let body = self.cipher.encrypt(&nonce, payload).expect("a short text in memory can be sealed");
        sealed.extend_from_slice(&body);
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// Opens a token of that purpose; `None` for anything else.
    pub fn open(&self, purpose: &str, token: &str) -> Option<Vec<u8>> {
        let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (nonce, body) = sealed.split_at_checked(NONCE)?;
        let payload = Payload { msg: body, aad: purpose.as_bytes() };
        self.cipher.decrypt(&XNonce::try_from(nonce).ok()?, payload).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_with_its_key_for_its_purpose_and_unchanged_only() {
        let seal = Seal::new("secret");
        let token = seal.seal("session", b"hello");
        assert_eq!(Seal::new("secret").open("session", &token).as_deref(), Some(&b"hello"[..]));
        assert_ne!(token, seal.seal("session", b"hello"));
        assert_eq!(seal.open("other", &token), None);
        assert_eq!(Seal::new("another").open("session", &token), None);
        assert_eq!((seal.mark().len(), seal.mark()), (8, Seal::new("secret").mark()));
        assert_ne!(seal.mark(), Seal::new("another").mark());
        for at in 0..token.len() {
            let mut forged = token.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(seal.open("session", &String::from_utf8_lossy(&forged)), None, "changed at {at}");
        }
        for odd in ["", "A", "!!!!", &token[..20]] {
            assert_eq!(seal.open("session", odd), None);
        }
    }
}
