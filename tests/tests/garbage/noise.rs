//! Bytes that are no request.

use crate::bodies::flipped;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::Duration;
use testkit::{Random, TestGateway};

/// Bytes that break the rules of HTTP itself.
pub(crate) fn bytes(random: &mut Random) -> Vec<u8> {
    const HEADS: [&str; 10] = [
        "POST /mcp/call HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\nContent-Type: application/json\r\n\r\n{",
        "POST /mcp/call HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        "POST /mcp/call HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}",
        "POST /mcp/call HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        "POST /mcp/call HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "POST /mcp/call HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        "GET /health HTTP/9.9\r\n\r\n",
        "GET  /health HTTP/1.1\r\n\r\n",
        "GET /health HTTP/1.1\r\nBad Header: x\r\n\r\n",
        "\r\n\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    let head = random.pick(&HEADS).as_bytes().to_vec();
    match random.below(4) {
        0 => {
            let count = 1 + random.below(2000);
            random.bytes(count)
        }
        1 => flipped(random, head),
        2 => head[..random.below(head.len())].to_vec(),
        _ => head,
    }
}

/// Sends the bytes and the end of the stream, and gives what comes back until the gateway closes.
pub(crate) fn exchange(gateway: &TestGateway, bytes: &[u8]) -> Vec<u8> {
    let mut stream = gateway.http().connect().expect("the port is open");
    stream.set_read_timeout(Some(Duration::from_secs(8))).expect("a timeout can be set");
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        let waited = matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
        assert!(!waited, "the connection was left open: {}", String::from_utf8_lossy(bytes));
    }
    answer
}
