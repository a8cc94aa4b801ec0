//! Real children behind real guards. The binary is its own guard, and its own gateway to be killed.

mod ends;
mod grace;
mod harden;
mod leaks;
mod starts;
mod strays;
mod support;

use libtest_mimic::{Arguments, Trial};

fn main() {
    lockgate_process::guard::enter();
    let args: Vec<String> = std::env::args().collect();
    if let [_, mode, folder] = args.as_slice()
        && mode == strays::GATEWAY
    {
        return strays::gateway(folder);
    }

    let mut arguments = Arguments::from_args();
    // Descriptors and children of this process are counted, so only one test may make them.
    arguments.test_threads = Some(1);
    let tests =
        [starts::tests(), ends::tests(), grace::tests(), strays::tests(), harden::tests(), leaks::tests()];
    libtest_mimic::run(&arguments, tests.into_iter().flatten().collect::<Vec<Trial>>()).exit();
}
