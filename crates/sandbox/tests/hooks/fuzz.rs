//! Random scripts out of parts that have caused trouble before: a bounded run, the same every time.

use crate::support::{Call, is_through, new_sandbox, pre, runtime};
use lockgate_sandbox::Phase;
use std::time::{Duration, Instant};

crate::tests![random_scripts_leave_the_sandbox_healthy];

const VALUES: [&str; 24] = [
    "context",
    "context.request",
    "context.request.params",
    "context.metadata",
    "context.metadata.shared",
    "[]",
    "{}",
    "[1, [2, {a: 3}]]",
    "'text'",
    "'\\ud800'",
    "NaN",
    "-0",
    "1e300",
    "10n",
    "null",
    "undefined",
    "Symbol('s')",
    "(() => 1)",
    "new Proxy({}, {})",
    "new Map([[1, {}]])",
    "new Uint8Array(8)",
    "/a+/g",
    "new Error('e')",
    "globalThis",
];

const SHAPES: [&str; 26] = [
    "try { A.x = B } catch {}",
    "try { A[B] = C } catch {}",
    "try { delete A.request } catch {}",
    "try { Object.defineProperty(A, 'params', {get() { return B }}) } catch {}",
    "try { Object.freeze(A) } catch {}",
    "try { Object.setPrototypeOf(A, B) } catch {}",
    "try { A.push(B, C) } catch {}",
    "try { A.sort(() => B) } catch {}",
    "try { JSON.stringify(A) } catch {}",
    "try { JSON.stringify({a: B, b: A}) } catch {}",
    "console.log(A, B)",
    "try { redact(A) } catch {}",
    "try { redact(A, B, C) } catch {}",
    "try { validateToken(A); getServerInfo(B) } catch {}",
    "sleep(1).then(() => A)",
    "await sleep(A)",
    "Promise.resolve(A).then(B).catch(() => 1)",
    "try { await A } catch {}",
    "context.request.params = A",
    "context.metadata.shared = A",
    "try { [...A] } catch {}",
    "try { for (const k in A) A[k] = B } catch {}",
    "try { structuredCopy(A) } catch {}",
    "try { A.toJSON = () => B } catch {}",
    "try { A.then = B } catch {}",
    "try { Array.prototype.concat.call(A, B) } catch {}",
];

const ENDS: [&str; 12] = [
    "",
    "return A",
    "return {continue: A}",
    "return {context: A}",
    "return {response: A}",
    "throw A",
    "return {continue: false, error: A}",
    "return {continue: true, context}",
    "return {continue: false, response: B}",
    "return {context: {request: {params: A}}}",
    "return {context: {metadata: {shared: A}}}",
    "return new Promise((_, no) => no(A))",
];

/// A small generator of numbers: the run is the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn fill(&mut self, shape: &str) -> String {
        let mut text = shape.to_owned();
        for hole in ["A", "B", "C"] {
            let value = VALUES[self.roll(VALUES.len())];
            // Only a hole stands alone: names that contain the letter are left.
            text = text
                .split_inclusive(|c: char| !c.is_ascii_alphanumeric())
                .map(|word| {
                    word.strip_prefix(hole)
                        .filter(|rest| rest.chars().all(|c| !c.is_ascii_alphanumeric()))
                        .map_or(word.to_owned(), |rest| format!("{value}{rest}"))
                })
                .collect();
        }
        text
    }

    fn script(&mut self) -> String {
        let mut lines: Vec<String> = (0..self.roll(5))
            .map(|_| {
                let at = self.roll(SHAPES.len());
                self.fill(SHAPES[at])
            })
            .collect();
        let at = self.roll(ENDS.len());
        lines.push(self.fill(ENDS[at]));
        lines.join(";\n")
    }
}

fn random_scripts_leave_the_sandbox_healthy() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    runtime().block_on(async {
        let sandbox = new_sandbox(1);
        let end = Instant::now() + Duration::from_secs(4);
        let mut count = 0;
        while Instant::now() < end && count < 3000 {
            let scripts: Vec<String> = (0..1 + dice.roll(3)).map(|_| dice.script()).collect();
            let texts: Vec<&str> = scripts.iter().map(String::as_str).collect();
            let call = pre(&texts).limit(Duration::from_millis(300));
            let call = if dice.roll(2) == 0 {
                Call { phase: Phase::Post, response: Some("{\"a\":[1.0]}".to_owned()), ..call }
            } else {
                call
            };
            let ran = call.run_in(&sandbox).await;
            let crashed = |report: &lockgate_sandbox::Report| format!("{report:?}").contains("worker ended");
            assert!(!ran.reports.iter().any(crashed), "{scripts:?}: {:?}", ran.reports);
            let healthy = pre(&["context.request.params.ok = 1"]).params("{}").run_in(&sandbox).await;
            assert!(
                is_through(&healthy) && healthy.params.as_deref() == Some("{\"ok\":1}"),
                "after {scripts:?}"
            );
            count += 1;
        }
        assert!(count > 20, "{count}");
        sandbox.stop().await;
    });
}
