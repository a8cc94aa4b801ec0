//! The binary `lockgate`.

fn main() -> std::process::ExitCode {
    // A guard of a child is this same binary; it must stay small, so nothing comes before.
    process::guard::enter();
    // So is a worker for scripts, for the same reason.
    sandbox::worker::enter();
    lockgate::main()
}
