//! The API of a gateway under test.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::load::http::parse;

/// Asks the gateway on this port, and gives its answer as JSON. Anything but success is an error.
pub(crate) fn ask(port: u16, method: &str, path: &str, body: &str) -> anyhow::Result<Value> {
    ask_as(None, port, method, path, body)
}

/// The same with a key.
pub(crate) fn ask_as(
    key: Option<&str>,
    port: u16,
    method: &str,
    path: &str,
    body: &str,
) -> anyhow::Result<Value> {
    let key = key.map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default();
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         {key}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).with_context(|| format!("{method} {path}"))?;
    let response = parse(&bytes, true)?.with_context(|| format!("{method} {path} was not answered"))?;
    let text = String::from_utf8_lossy(&response.body);
    ensure!(response.status / 100 == 2, "{method} {path}: {} {text}", response.status);
    Ok(serde_json::from_slice(&response.body).unwrap_or_default())
}
