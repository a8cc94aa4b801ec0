//! `lockgate demo-server`: a small MCP server on standard input and output, to try the gateway
//! with and to show what a server looks like.
//!
//! It speaks every published revision of the protocol: those that begin with `initialize`, and
//! 2026-07-28, where every request says for itself what it speaks. It keeps nothing between two
//! requests, so a line is answered by a pure function.

mod offers;
mod rpc;
mod tools;

use std::io::{self, BufRead, ErrorKind, Write};

/// Answers line by line until standard input ends or nobody reads the answers any more.
pub(crate) fn run() -> io::Result<()> {
    match serve(io::stdin().lock(), io::stdout().lock()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn serve(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        // What is not UTF-8 is not JSON either, and is answered as such.
        if let Some(mut answer) = rpc::answer(&String::from_utf8_lossy(&line)) {
            answer.push('\n');
            output.write_all(answer.as_bytes())?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_is_answered_on_one_line_until_the_input_ends() {
        let input = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\
                     \n\
                     {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\r\n\
                     not json\n\
                     {\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"ping\"}";
        let mut output = Vec::new();
        serve(input.as_bytes(), &mut output).expect("served");
        let output = String::from_utf8(output).expect("UTF-8");
        let lines: Vec<_> = output.lines().collect();
        assert_eq!(lines.len(), 3, "{output}");
        assert_eq!(lines[0], r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        assert!(lines[1].contains("-32700"), "{output}");
        assert_eq!(lines[2], r#"{"jsonrpc":"2.0","id":"two","result":{}}"#);
    }
}
