//! Addresses of remote servers and what they refer to: no text makes the reader panic, and a reference never
//! leads to another origin.

#![no_main]

use libfuzzer_sys::fuzz_target;
use model::Address;

fuzz_target!(|parts: (&str, &str)| {
    let Ok(address) = Address::parse(parts.0) else { return };
    assert!(address.origin().starts_with("http"));
    assert!(!address.authority().contains(['/', '@', ' ']));
    if let Some(joined) = address.join(parts.1) {
        assert_eq!(joined.origin(), address.origin());
    }
});
