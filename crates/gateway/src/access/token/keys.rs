//! The public keys of an issuer (RFC 7517), and what they prove.

use super::jwt::Jwt;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{self as sign, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm};
use serde::Deserialize;

/// The most keys of an issuer that are looked at.
const KEYS_MAX: usize = 100;

/// The keys of an issuer.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Key>);

#[derive(Deserialize)]
struct Written {
    keys: Vec<serde_json::Value>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Key {
    kty: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default)]
    alg: Option<String>,
    #[serde(default, rename = "use")]
    purpose: Option<String>,
    #[serde(default)]
    key_ops: Option<Vec<String>>,
    #[serde(default)]
    crv: Option<String>,
    #[serde(default)]
    n: String,
    #[serde(default)]
    e: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
}

/// What a signature is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It is that of the issuer.
    Good,
    /// It is not.
    Bad,
    /// The key that it names is not among these.
    Unknown,
}

/// The algorithms that are taken. None that needs a secret, and none that proves nothing, is among them.
const RSA: [(&str, &sign::RsaParameters); 6] = [
    ("RS256", &sign::RSA_PKCS1_2048_8192_SHA256),
    ("RS384", &sign::RSA_PKCS1_2048_8192_SHA384),
    ("RS512", &sign::RSA_PKCS1_2048_8192_SHA512),
    ("PS256", &sign::RSA_PSS_2048_8192_SHA256),
    ("PS384", &sign::RSA_PSS_2048_8192_SHA384),
    ("PS512", &sign::RSA_PSS_2048_8192_SHA512),
];

impl Keys {
    /// Reads a set of keys. A key that is not understood is left out.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let written: Written = serde_json::from_slice(bytes).ok()?;
        let each = written.keys.into_iter().take(KEYS_MAX);
        Some(Self(each.filter_map(|key| serde_json::from_value(key).ok()).collect()))
    }

    /// Whether none of these is gone from others.
    pub(super) fn are_among(&self, others: &Self) -> bool {
        self.0.iter().all(|key| others.0.contains(key))
    }

    /// What the signature of a token is worth.
    pub(super) fn check(&self, jwt: &Jwt<'_>) -> Proof {
        if !is_known(&jwt.header.alg) {
            return Proof::Bad;
        }
        let named = |key: &&Key| jwt.header.kid.is_none() || key.kid == jwt.header.kid;
        let mut candidates = self.0.iter().filter(named).peekable();
        if candidates.peek().is_none() {
            return Proof::Unknown;
        }
        if candidates.any(|key| key.proves(jwt).is_some()) { Proof::Good } else { Proof::Bad }
    }
}

fn is_known(alg: &str) -> bool {
    matches!(alg, "ES256" | "ES384" | "EdDSA") || RSA.iter().any(|(name, _)| *name == alg)
}

impl Key {
    /// Something when this key made the signature. The kind of the key decides what it may be used for; the token
    /// only says which of these it was.
    fn proves(&self, jwt: &Jwt<'_>) -> Option<()> {
        let alg = jwt.header.alg.as_str();
        if self.alg.as_deref().is_some_and(|own| own != alg)
            || self.purpose.as_deref().is_some_and(|own| own != "sig")
            || self.key_ops.as_ref().is_some_and(|all| all.iter().all(|one| one != "verify"))
        {
            return None;
        }
        let number = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
        let plain = |algorithm: &'static dyn VerificationAlgorithm, key: Vec<u8>| {
            UnparsedPublicKey::new(algorithm, key).verify(jwt.signed, &jwt.signature).ok()
        };
        let point = || Some([vec![4], number(&self.x)?, number(&self.y)?].concat());
        match (self.kty.as_str(), self.crv.as_deref(), alg) {
            ("EC", Some("P-256"), "ES256") => plain(&sign::ECDSA_P256_SHA256_FIXED, point()?),
            ("EC", Some("P-384"), "ES384") => plain(&sign::ECDSA_P384_SHA384_FIXED, point()?),
            ("OKP", Some("Ed25519"), "EdDSA") => plain(&sign::ED25519, number(&self.x)?),
            ("RSA", _, _) => {
                let (_, parameters) = RSA.into_iter().find(|(name, _)| *name == alg)?;
                let key = RsaPublicKeyComponents { n: number(&self.n)?, e: number(&self.e)? };
                key.verify(parameters, jwt.signed, &jwt.signature).ok()
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{EcdsaKeyPair, Ed25519KeyPair, KeyPair};
    use serde_json::{Value, json};

    fn part(value: &Value) -> String {
        URL_SAFE_NO_PAD.encode(value.to_string())
    }

    fn token(alg: &str, kid: Option<&str>, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
        let mut header = json!({"alg": alg});
        kid.into_iter().for_each(|kid| header["kid"] = json!(kid));
        let text = format!("{}.{}", part(&header), part(&json!({"iss": "i", "exp": 1})));
        let signature = sign(text.as_bytes());
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn proof(keys: &Value, token: &str) -> Proof {
        let keys = Keys::read(json!({ "keys": keys }).to_string().as_bytes()).expect("keys");
        keys.check(&Jwt::read(token).expect("a token"))
    }

    #[test]
    fn a_signature_is_that_of_the_key_it_names() {
        let random = SystemRandom::new();
        let kind = &ring::signature::ECDSA_P256_SHA256_FIXED_SIGNING;
        let der = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(kind, der.as_ref(), &random).expect("a key");
        let at = |range: std::ops::Range<usize>| URL_SAFE_NO_PAD.encode(&pair.public_key().as_ref()[range]);
        let key = json!({"kty": "EC", "crv": "P-256", "kid": "one", "x": at(1..33), "y": at(33..65)});
        let sign = |text: &[u8]| pair.sign(&random, text).expect("signed").as_ref().to_vec();
        assert_eq!(proof(&json!([key]), &token("ES256", Some("one"), sign)), Proof::Good);
        assert_eq!(proof(&json!([key]), &token("ES256", None, sign)), Proof::Good);
        assert_eq!(proof(&json!([key]), &token("ES256", Some("two"), sign)), Proof::Unknown);
        assert_eq!(proof(&json!([]), &token("ES256", None, sign)), Proof::Unknown);
        assert_eq!(proof(&json!([key]), &token("ES256", Some("one"), |_| vec![0; 64])), Proof::Bad);
        let mut other = key.clone();
        other["use"] = json!("enc");
        assert_eq!(proof(&json!([other]), &token("ES256", None, sign)), Proof::Bad);
        for (uses, expected) in [
            (json!(["encrypt"]), Proof::Bad),
            (json!([]), Proof::Bad),
            (json!(["sign", "verify"]), Proof::Good),
            (json!(null), Proof::Good),
        ] {
            other = key.clone();
            other["key_ops"] = uses;
            assert_eq!(proof(&json!([other]), &token("ES256", None, sign)), expected, "{other}");
        }
        other = key;
        other["alg"] = json!("ES384");
        assert_eq!(proof(&json!([other, {"kty": 5}, "x"]), &token("ES256", None, sign)), Proof::Bad);
    }

    #[test]
    fn no_algorithm_that_proves_nothing_is_taken() {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a key");
        let public = pair.public_key().as_ref().to_vec();
        let key = json!({"kty": "OKP", "crv": "Ed25519", "x": URL_SAFE_NO_PAD.encode(&public)});
        assert_eq!(
            proof(&json!([key]), &token("EdDSA", None, |text| pair.sign(text).as_ref().to_vec())),
            Proof::Good
        );
        for alg in ["none", "None", "", "HS256", "hs256", "ES256K", "RS1"] {
            assert_eq!(proof(&json!([key]), &token(alg, None, |_| Vec::new())), Proof::Bad, "{alg}");
        }
        // The public key, which everybody knows, as the secret of an HMAC.
        let hmac = |text: &[u8]| {
            let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &public);
            ring::hmac::sign(&secret, text).as_ref().to_vec()
        };
        let symmetric = json!({"kty": "oct", "k": URL_SAFE_NO_PAD.encode(&public)});
        assert_eq!(proof(&json!([key, symmetric]), &token("HS256", None, hmac)), Proof::Bad);
    }
}
