//! The binary `lockgate`.

fn main() -> std::process::ExitCode {
    // A guard of a child is this same binary; it must stay small, so nothing comes before.
    process::guard::enter();
    lockgate::main()
}
