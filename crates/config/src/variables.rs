//! The variables of the gateway itself (spec 1.12), each with its rule.

use crate::{Environment, Error};
use model::settings::RestartPolicy;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};
use std::ops::RangeInclusive;

/// What is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Log {
    /// `LOG_LEVEL`.
    pub level: Level,
    /// `LOG_INCLUDE_STACK`.
    pub include_stack: bool,
}

/// The least important kind of line that is still logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Everything.
    Debug,
    /// The usual course of things.
    #[default]
    Info,
    /// What somebody should look at.
    Warn,
    /// Failures only.
    Error,
}

impl Level {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// The health intervals that make sense, in milliseconds.
pub(crate) const HEALTH_RANGE: RangeInclusive<u64> = 5_000..=300_000;

/// The longest time that `MAX_TIMEOUT` may name: some 24 days.
const TIMEOUT_MAX: u64 = i32::MAX as u64;

const TIMEOUT_RULE: &str = "must be an integer between 1 and 2147483647";

/// `PORT`. 0 stands for any free port.
pub fn port(env: &Environment) -> Result<u16, Error> {
    let read = |text: &str| digits(text)?.parse().ok();
    variable(env, "PORT", 3001, read, "must be an integer between 0 and 65535")
}

/// `HOST`.
pub(crate) fn host(env: &Environment) -> Result<IpAddr, Error> {
    let usual = IpAddr::V4(Ipv4Addr::LOCALHOST);
    variable(env, "HOST", usual, parse_host, "must be an IP address or 'localhost'")
}

/// The address that a host names: an IP address, also in brackets, or `localhost`.
pub fn parse_host(text: &str) -> Option<IpAddr> {
    if text.eq_ignore_ascii_case("localhost") {
        return Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok()
}

/// `LOG_LEVEL` and `LOG_INCLUDE_STACK`.
pub(crate) fn log(env: &Environment) -> Result<Log, Error> {
    let levels = [Level::Debug, Level::Info, Level::Warn, Level::Error];
    let read = |text: &str| levels.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(text));
    let level =
        variable(env, "LOG_LEVEL", Level::default(), read, "must be one of debug, info, warn, error")?;
    Ok(Log { level, include_stack: flag(env, "LOG_INCLUDE_STACK")? })
}

/// `DEFAULT_TIMEOUT` and `MAX_TIMEOUT`; the first is never above the second.
pub(crate) fn timeouts(env: &Environment) -> Result<(u64, u64), Error> {
    let read = |text: &str| digits(text)?.parse().ok().filter(|n| (1..=TIMEOUT_MAX).contains(n));
    let max = variable(env, "MAX_TIMEOUT", 300_000, read, TIMEOUT_RULE)?;
    let usual = variable(env, "DEFAULT_TIMEOUT", 30_000, read, TIMEOUT_RULE)?;
    Ok((usual.min(max), max))
}

/// `DISABLE_VALIDATION`.
pub(crate) fn validation_disabled(env: &Environment) -> Result<bool, Error> {
    flag(env, "DISABLE_VALIDATION")
}

/// `HEALTH_CHECK_INTERVAL`, for a file without `healthCheckInterval`.
pub(crate) fn health_interval(env: &Environment) -> Result<u64, Error> {
    let name = "HEALTH_CHECK_INTERVAL";
    let value = env.setting(name).unwrap_or("30000");
    let unsigned = value.strip_prefix(['-', '+']).unwrap_or(value);
    if digits(unsigned).is_none() {
        return Err(Error::HealthCheckFormat { value: value.to_owned() });
    }
    let read = |text: &str| text.parse().ok().filter(|n| HEALTH_RANGE.contains(n));
    variable(env, name, 30_000, read, "must be between 5000 and 300000")
}

/// `MCP_SERVER_RESTART_POLICY`, for a file without `restartPolicy`.
pub(crate) fn restart_policy(env: &Environment) -> Result<RestartPolicy, Error> {
    let field = "MCP_SERVER_RESTART_POLICY";
    let Some(value) = env.setting(field) else { return Ok(RestartPolicy::default()) };
    parse_policy(value).ok_or_else(|| Error::RestartPolicy { field, value: value.to_owned() })
}

/// The policy that a word names.
pub(crate) fn parse_policy(word: &str) -> Option<RestartPolicy> {
    match word {
        "never" => Some(RestartPolicy::Never),
        "on-failure" => Some(RestartPolicy::OnFailure),
        _ => None,
    }
}

fn flag(env: &Environment, name: &'static str) -> Result<bool, Error> {
    let read = |text: &str| match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    };
    variable(env, name, false, read, "must be 'true' or 'false'")
}

fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then_some(text)
}

fn variable<T>(
    env: &Environment,
    name: &'static str,
    usual: T,
    read: impl Fn(&str) -> Option<T>,
    rule: &'static str,
) -> Result<T, Error> {
    let Some(value) = env.setting(name) else { return Ok(usual) };
    read(value).ok_or_else(|| Error::Variable { name, value: value.to_owned(), rule })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T: std::fmt::Debug>(
        read: impl Fn(&Environment) -> Result<T, Error>,
        name: &str,
        value: &str,
    ) -> String {
        let found = read(&Environment::from_pairs([(name, value)]));
        found.map_or_else(|error| error.to_string(), |value| format!("{value:?}"))
    }

    #[test]
    fn a_port_is_a_number_up_to_65535() {
        for (value, expected) in [
            ("", "3001"),
            ("8080", "8080"),
            (" 8080 ", "8080"),
            ("65535", "65535"),
            ("0", "0"),
            ("65536", "invalid PORT: 65536 (must be an integer between 0 and 65535)"),
            ("-1", "invalid PORT: -1 (must be an integer between 0 and 65535)"),
            ("+80", "invalid PORT: +80 (must be an integer between 0 and 65535)"),
            ("http", "invalid PORT: http (must be an integer between 0 and 65535)"),
            ("a\nb", "invalid PORT: a\\nb (must be an integer between 0 and 65535)"),
        ] {
            assert_eq!(with(port, "PORT", value), expected);
        }
    }

    #[test]
    fn a_host_is_an_address() {
        for (value, expected) in [
            ("", "127.0.0.1"),
            ("0.0.0.0", "0.0.0.0"),
            ("::", "::"),
            ("[::1]", "::1"),
            ("localhost", "127.0.0.1"),
            ("example.com", "invalid HOST: example.com (must be an IP address or 'localhost')"),
        ] {
            assert_eq!(with(host, "HOST", value), expected);
        }
    }

    #[test]
    fn a_level_is_read_in_any_case() {
        for (value, expected) in [("DEBUG", Level::Debug), ("Warn", Level::Warn), ("", Level::Info)] {
            let env = Environment::from_pairs([("LOG_LEVEL", value)]);
            assert_eq!(log(&env).unwrap(), Log { level: expected, include_stack: false });
        }
        let line = with(log, "LOG_LEVEL", "loud");
        assert_eq!(line, "invalid LOG_LEVEL: loud (must be one of debug, info, warn, error)");
    }

    #[test]
    fn a_switch_is_true_or_false() {
        for (value, expected) in [
            ("", "false"),
            ("true", "true"),
            ("TRUE", "true"),
            ("false", "false"),
            ("1", "invalid DISABLE_VALIDATION: 1 (must be 'true' or 'false')"),
            ("0", "invalid DISABLE_VALIDATION: 0 (must be 'true' or 'false')"),
            ("yes", "invalid DISABLE_VALIDATION: yes (must be 'true' or 'false')"),
        ] {
            assert_eq!(with(validation_disabled, "DISABLE_VALIDATION", value), expected);
        }
        let env = Environment::from_pairs([("LOG_INCLUDE_STACK", "true")]);
        assert!(log(&env).unwrap().include_stack);
    }

    #[test]
    fn the_default_timeout_is_capped_at_the_maximum() {
        let read = |usual, max| {
            timeouts(&Environment::from_pairs([("DEFAULT_TIMEOUT", usual), ("MAX_TIMEOUT", max)]))
                .map_or_else(|error| error.to_string(), |pair| format!("{pair:?}"))
        };
        assert_eq!(read("", ""), "(30000, 300000)");
        assert_eq!(read("700", ""), "(700, 300000)");
        assert_eq!(read("", "1000"), "(1000, 1000)");
        assert_eq!(read("5000", "1000"), "(1000, 1000)");
        assert_eq!(read("0", ""), format!("invalid DEFAULT_TIMEOUT: 0 ({TIMEOUT_RULE})"));
        assert_eq!(read("", "-1"), format!("invalid MAX_TIMEOUT: -1 ({TIMEOUT_RULE})"));
        assert_eq!(read("", "1.5"), format!("invalid MAX_TIMEOUT: 1.5 ({TIMEOUT_RULE})"));
        assert_eq!(read("", "2147483648"), format!("invalid MAX_TIMEOUT: 2147483648 ({TIMEOUT_RULE})"));
    }

    #[test]
    fn the_health_interval_tells_range_from_format() {
        for (value, expected) in [
            ("", "30000"),
            ("5000", "5000"),
            ("300000", "300000"),
            ("4999", "invalid HEALTH_CHECK_INTERVAL: 4999 (must be between 5000 and 300000)"),
            ("300001", "invalid HEALTH_CHECK_INTERVAL: 300001 (must be between 5000 and 300000)"),
            ("-5000", "invalid HEALTH_CHECK_INTERVAL: -5000 (must be between 5000 and 300000)"),
            ("0", "invalid HEALTH_CHECK_INTERVAL: 0 (must be between 5000 and 300000)"),
            (
                "99999999999999999999999",
                "invalid HEALTH_CHECK_INTERVAL: 99999999999999999999999 (must be between 5000 and 300000)",
            ),
            ("abc", "invalid HEALTH_CHECK_INTERVAL format: abc"),
            ("30s", "invalid HEALTH_CHECK_INTERVAL format: 30s"),
            ("-", "invalid HEALTH_CHECK_INTERVAL format: -"),
        ] {
            assert_eq!(with(health_interval, "HEALTH_CHECK_INTERVAL", value), expected);
        }
    }

    #[test]
    fn a_restart_policy_is_one_of_two_words() {
        for (value, expected) in [
            ("", "Never"),
            ("never", "Never"),
            ("on-failure", "OnFailure"),
            ("always", "invalid restart policy: always (must be 'never' or 'on-failure')"),
        ] {
            assert_eq!(with(restart_policy, "MCP_SERVER_RESTART_POLICY", value), expected);
        }
    }
}
