//! An HTTP answer.

use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// One answer of the gateway.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Header names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body as JSON; null when it is not.
    pub body: Value,
    /// The body as it came.
    pub bytes: Vec<u8>,
    /// From the connection to the last byte.
    pub elapsed: Duration,
}

/// The error of a failed request.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The HTTP status.
    pub status: u16,
    /// The stable name.
    pub code: String,
    /// The text for people.
    pub message: String,
    /// The facts for programs.
    pub details: Value,
}

impl Reply {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// One header; empty when absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Fails unless the status is this one.
    #[track_caller]
    pub fn expect_status(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }

    /// The `result` of a successful call; fails unless the whole envelope is right.
    #[track_caller]
    pub fn result(&self) -> &Value {
        assert_eq!(self.status, 200, "{}", self.text());
        assert!(self.header("content-type").starts_with("application/json"), "{:?}", self.headers);
        assert_eq!(self.body["success"], true, "{}", self.text());
        assert_eq!(self.body.as_object().map(serde_json::Map::len), Some(2), "{}", self.text());
        self.body.get("result").expect("a success has a result")
    }

    /// The error of a failed request; fails unless the whole envelope is right.
    #[track_caller]
    pub fn fault(&self) -> Fault {
        assert!(self.header("content-type").starts_with("application/json"), "{:?}", self.headers);
        assert_eq!(self.body["success"], false, "{} {}", self.status, self.text());
        let error = &self.body["error"];
        let text = |field: &str| error[field].as_str().unwrap_or_else(|| panic!("no {field} in {error}"));
        assert!(error["details"].is_object(), "details is an object: {error}");
        assert_eq!(self.body.as_object().map(serde_json::Map::len), Some(2), "{}", self.body);
        assert_eq!(error.as_object().map(serde_json::Map::len), Some(3), "{error}");
        Fault {
            status: self.status,
            code: text("code").to_owned(),
            message: text("message").to_owned(),
            details: error["details"].clone(),
        }
    }

    /// Fails unless this is exactly that error. An empty message stands for any.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "callers write the details in place")]
    pub fn expect_fault(&self, status: u16, code: &str, message: &str, details: Value) -> &Self {
        let fault = self.fault();
        assert_eq!((fault.status, fault.code.as_str()), (status, code), "{}", self.text());
        if message.is_empty() {
            assert!(!fault.message.is_empty(), "{}", self.text());
        } else {
            assert_eq!(fault.message, message);
        }
        assert_eq!(fault.details, details, "{}", self.text());
        self
    }

    /// Fails unless this is an error of that status and code.
    #[track_caller]
    pub fn expect_code(&self, status: u16, code: &str) -> Fault {
        let fault = self.fault();
        assert_eq!((fault.status, fault.code.as_str()), (status, code), "{}", self.text());
        fault
    }
}
