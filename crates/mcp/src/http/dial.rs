//! One TCP connection to a remote server, with TLS where the address asks for it. Name, address check,
//! connect and TLS handshake share ten seconds.

use hyper::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, CertificateError, ClientConfig, RootCertStore, crypto::ring};

/// How long a connection may take to be made.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// Opens connections for the HTTP client.
#[derive(Clone)]
pub(super) struct Dialer {
    /// Which addresses a name may resolve to.
    admits: fn(IpAddr) -> bool,
}

impl Dialer {
    pub(super) fn new(admits: fn(IpAddr) -> bool) -> Self {
        Self { admits }
    }

    /// Connects to the host of `uri`.
    async fn dial(self, uri: Uri) -> Result<Wire> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let tcp = self.reach(&host, port).await?;
        tcp.set_nodelay(true)?;
        if !secure {
            return Ok(Wire::Plain(TokioIo::new(tcp)));
        }
        let name = ServerName::try_from(host).map_err(|_| Error::other("the host has no valid name"))?;
        let tls = TlsConnector::from(trust()?).connect(name, tcp).await.map_err(|error| distrust(&error))?;
        Ok(Wire::Tls(Box::new(TokioIo::new(tls))))
    }

    /// Tries every address of the host that may be used, in the resolver's order.
    async fn reach(&self, host: &str, port: u16) -> Result<TcpStream> {
        let found: Vec<SocketAddr> = tokio::net::lookup_host((host, port)).await?.collect();
        let usable: Vec<&SocketAddr> = found.iter().filter(|at| (self.admits)(at.ip())).collect();
        let mut last = match (found.is_empty(), usable.is_empty()) {
            (false, true) => Error::other("its address is private, which outbound.allow does not permit"),
            _ => Error::new(ErrorKind::NotFound, "its name has no address"),
        };
        for address in usable {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// What is wrong with the other side, in words that name neither side.
fn distrust(error: &Error) -> Error {
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let Some(rustls::Error::InvalidCertificate(fault)) = cause else {
        return Error::new(error.kind(), "the TLS handshake failed");
    };
    Error::other(match fault {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired",
        CertificateError::UnknownIssuer => "its certificate comes from an unknown authority",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name"
        }
        _ => "its certificate is not valid",
    })
}

/// The certificate authorities of the system, read once.
fn trust() -> Result<Arc<ClientConfig>> {
    static TRUST: OnceLock<Option<Arc<ClientConfig>>> = OnceLock::new();
    let config = TRUST.get_or_init(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return None;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .ok()?;
        Some(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
    });
    config.clone().ok_or_else(|| {
        Error::other("no certificate authorities were found (install ca-certificates or set SSL_CERT_FILE)")
    })
}

impl tower_service::Service<Uri> for Dialer {
    type Response = Wire;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Wire>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let dial = self.clone().dial(uri);
        Box::pin(async move {
            let late = || Error::new(ErrorKind::TimedOut, "no connection within 10 seconds");
            tokio::time::timeout(CONNECT_MAX, dial).await.unwrap_or_else(|_| Err(late()))
        })
    }
}

/// An open connection.
pub(super) enum Wire {
    Plain(TokioIo<TcpStream>),
    Tls(Box<TokioIo<TlsStream<TcpStream>>>),
}

/// Does the same with either kind of connection.
macro_rules! either {
    ($wire:expr, $io:ident => $act:expr) => {
        match $wire.get_mut() {
            Wire::Plain(io) => {
                let $io = Pin::new(io);
                $act
            }
            Wire::Tls(io) => {
                let $io = Pin::new(&mut **io);
                $act
            }
        }
    };
}

impl Connection for Wire {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<Result<()>> {
        either!(self, io => io.poll_read(cx, buf))
    }
}

impl Write for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<Result<usize>> {
        either!(self, io => io.poll_write(cx, buf))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        either!(self, io => io.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        either!(self, io => io.poll_shutdown(cx))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Wire::Plain(io) => io.is_write_vectored(),
            Wire::Tls(io) => io.is_write_vectored(),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        either!(self, io => io.poll_write_vectored(cx, bufs))
    }
}
