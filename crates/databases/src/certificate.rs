//! Certificates for servers that speak TLS.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Makes `server.key` and `server.crt` in a folder, for the name `localhost`; gives both, the key first.
pub(crate) fn make(folder: &Path) -> (PathBuf, PathBuf) {
    let (key, certificate) = (folder.join("server.key"), folder.join("server.crt"));
    let mut command = Command::new("openssl");
    command.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
    command.args(["-days", "2", "-subj", "/CN=throw-away server"]);
    command.args(["-addext", "subjectAltName=DNS:localhost"]);
    command.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    command.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
    let done = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(done.is_ok_and(|status| status.success()), "openssl makes a certificate");
    (key, certificate)
}
