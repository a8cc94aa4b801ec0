//! What the writer promises, with sinks that can be held up.

use super::*;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Passes every write on; with a gate, only after it was opened.
struct Probe {
    writes: Sender<Vec<u8>>,
    gate: Option<Receiver<()>>,
}

impl Write for Probe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(gate) = &self.gate {
            gate.recv().map_err(|_| io::Error::from(ErrorKind::BrokenPipe))?;
        }
        let _ = self.writes.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const LONG: Duration = Duration::from_secs(20);

fn start(gate: Option<Receiver<()>>) -> (Writer, Receiver<Vec<u8>>) {
    let (writes, written) = channel();
    let writer = Writer::start(Style::Json, Box::new(Probe { writes, gate }));
    (writer, written)
}

fn everything(written: &Receiver<Vec<u8>>) -> String {
    String::from_utf8(written.try_iter().flatten().collect()).expect("UTF-8")
}

#[test]
fn lines_are_written_without_being_asked_for_and_in_order() {
    let (writer, written) = start(None);
    let expected: String = (0..1000).map(|i| format!("line {i}\n")).collect();
    for i in 0..1000 {
        writer.append(format!("line {i}\n").as_bytes(), false);
    }
    let mut found = Vec::new();
    while found.len() < expected.len() {
        found.extend(written.recv_timeout(LONG).expect("written by itself"));
    }
    assert_eq!(String::from_utf8(found).expect("UTF-8"), expected);
}

#[test]
fn lines_of_one_thread_stay_in_order_beside_those_of_others() {
    let (writer, written) = start(None);
    std::thread::scope(|scope| {
        for t in 0..4 {
            let writer = &writer;
            scope.spawn(move || {
                for i in 0..500 {
                    writer.append(format!("{t} {i}\n").as_bytes(), i % 50 == 0);
                }
            });
        }
    });
    writer.flush(LONG);
    let text = everything(&written);
    for t in 0..4 {
        let prefix = format!("{t} ");
        let found: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(&prefix)).collect();
        assert_eq!(found, (0..500).map(|i| i.to_string()).collect::<Vec<_>>());
    }
}

#[test]
fn lines_that_come_while_another_batch_is_written_go_out_together() {
    let (open, gate) = channel();
    let (writer, written) = start(Some(gate));
    writer.append(b"first\n", true);
    while !writer.0.lock().buffer.is_empty() {
        std::thread::yield_now();
    }
    for _ in 0..100 {
        writer.append(b"more\n", false);
    }
    open.send(()).expect("the writer waits");
    open.send(()).expect("the writer waits");
    assert_eq!(written.recv_timeout(LONG).expect("written"), b"first\n");
    assert_eq!(written.recv_timeout(LONG).expect("written"), b"more\n".repeat(100));
}

#[test]
fn a_sink_that_is_stuck_costs_lines_and_not_callers() {
    let (open, gate) = channel();
    let (writer, written) = start(Some(gate));
    let line = [&[b'x'; 65_535][..], b"\n"].concat();
    // Enough for the batch that is stuck, for the full buffer, and for some to be dropped.
    let lines = 3 * LIMIT / line.len();
    for _ in 0..lines {
        writer.append(&line, false);
    }
    let dropped = writer.0.lock().dropped;
    assert!(dropped > 0);
    assert!(writer.0.lock().buffer.len() <= LIMIT);
    writer.flush(Duration::from_millis(1));

    for _ in 0..1000 {
        open.send(()).expect("the writer waits");
    }
    writer.flush(LONG);
    writer.append(b"after\n", true);
    writer.flush(LONG);
    let text = everything(&written);
    let reported = text.lines().filter(|line| line.contains("log lines were dropped"));
    let count: u64 = reported
        .map(|line| {
            let report: serde_json::Value = serde_json::from_str(line).expect("JSON");
            report["count"].as_u64().expect("a number")
        })
        .sum();
    assert_eq!(count, dropped);
    assert_eq!(text.matches("x\n").count() as u64 + dropped, lines as u64);
    assert!(text.contains("after\n"));
}

#[test]
fn a_closed_sink_is_given_up() {
    let (open, gate) = channel();
    drop(open);
    let (writer, written) = start(Some(gate));
    for _ in 0..3 {
        writer.append(b"nobody reads this\n", true);
        writer.flush(LONG);
    }
    assert!(writer.0.lock().broken);
    assert!(everything(&written).is_empty());
}

#[test]
fn a_pipe_that_does_not_block_is_tried_again() {
    struct Shy(u32, Sender<Vec<u8>>);
    impl Write for Shy {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 % 3 {
                0 => Err(ErrorKind::WouldBlock.into()),
                1 => Err(ErrorKind::Interrupted.into()),
                _ => {
                    let part = &bytes[..bytes.len().min(7)];
                    let _ = self.1.send(part.to_vec());
                    Ok(part.len())
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (writes, written) = channel();
    let writer = Writer::start(Style::Json, Box::new(Shy(2, writes)));
    writer.append(b"a line that is written in parts\n", false);
    writer.flush(LONG);
    assert_eq!(everything(&written), "a line that is written in parts\n");
}
