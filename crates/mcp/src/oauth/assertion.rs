//! A signed assertion in place of a secret (RFC 7523, `private_key_jwt`).

use super::error::OauthError;
use super::random::fresh;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::json;

/// How long an assertion is good, in seconds.
const LIFE: u64 = 60;

/// A key that signs.
enum Key {
    Elliptic(EcdsaKeyPair),
    Edwards(Ed25519KeyPair),
    Rsa(Box<RsaKeyPair>),
}

/// Whether a text is a private key that can be used.
pub fn is_private_key(pem: &str) -> bool {
    Key::read(pem).is_ok()
}

/// An assertion that the gateway is that client, for that issuer.
pub(super) fn assertion(pem: &str, client: &str, issuer: &str, now: u64) -> Result<String, OauthError> {
    let key = Key::read(pem)?;
    let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = part(json!({"alg": key.algorithm(), "typ": "JWT"}));
    let claims =
        json!({"iss": client, "sub": client, "aud": issuer, "iat": now, "exp": now + LIFE, "jti": fresh()});
    let text = format!("{header}.{}", part(claims));
    let signature = key.sign(text.as_bytes())?;
    Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

impl Key {
    fn read(pem: &str) -> Result<Self, OauthError> {
        let body: String = pem.lines().filter(|line| !line.contains("-----")).map(str::trim).collect();
        let der = STANDARD.decode(body).map_err(|_| OauthError::Key)?;
        let random = SystemRandom::new();
        if let Ok(pair) = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &random) {
            return Ok(Key::Elliptic(pair));
        }
        if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der) {
            return Ok(Key::Edwards(pair));
        }
        RsaKeyPair::from_pkcs8(&der).map(|pair| Key::Rsa(Box::new(pair))).map_err(|_| OauthError::Key)
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Key::Elliptic(_) => "ES256",
            Key::Edwards(_) => "EdDSA",
            Key::Rsa(_) => "RS256",
        }
    }

    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, OauthError> {
        let random = SystemRandom::new();
        match self {
            Key::Elliptic(pair) => {
                pair.sign(&random, text).map(|made| made.as_ref().to_vec()).map_err(|_| OauthError::Key)
            }
            Key::Edwards(pair) => Ok(pair.sign(text).as_ref().to_vec()),
            Key::Rsa(pair) => {
                let mut made = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, text, &mut made).map_err(|_| OauthError::Key)?;
                Ok(made)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, KeyPair, UnparsedPublicKey};

    fn pem(der: &[u8]) -> String {
        format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(der))
    }

    #[test]
    fn an_assertion_is_signed_with_the_key_and_says_who_for_whom() {
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
            .expect("a key");
        let made = assertion(&pem(der.as_ref()), "me", "https://issuer", 1000).expect("an assertion");
        let (text, signature) = made.rsplit_once('.').expect("three parts");
        let Key::Elliptic(pair) = Key::read(&pem(der.as_ref())).expect("a key") else { panic!("P-256") };
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref());
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
        assert!(public.verify(text.as_bytes(), &signature).is_ok());
        let claims = text.split_once('.').expect("two parts").1;
        let claims: serde_json::Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).expect("base64")).expect("JSON");
        assert_eq!((&claims["iss"], &claims["sub"]), (&json!("me"), &json!("me")));
        assert_eq!((&claims["aud"], &claims["exp"]), (&json!("https://issuer"), &json!(1060)));
    }

    #[test]
    fn what_is_no_key_is_told_without_being_shown() {
        let edwards = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        assert!(is_private_key(&pem(edwards.as_ref())));
        for odd in ["", "s3cret", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"] {
            let error = assertion(odd, "me", "https://issuer", 0).expect_err("no key").to_string();
            assert!(!is_private_key(odd) && !error.contains("s3cret"), "{error}");
        }
    }
}
