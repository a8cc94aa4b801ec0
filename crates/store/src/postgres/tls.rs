//! TLS to a server, with its certificate checked.

use crate::Error;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Inner;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// What is trusted; `None` where TLS is not wanted at all.
#[derive(Clone)]
pub(super) struct Tls(Option<Arc<ClientConfig>>);

/// One handshake to come.
pub(super) struct Handshake {
    config: Option<Arc<ClientConfig>>,
    host: String,
}

/// A stream that the TLS of this file made.
pub(super) struct Stream<S>(Inner<S>);

impl Tls {
    /// No TLS.
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// Trusts the authorities in `file`, or those of the system.
    pub(super) fn trusting(file: Option<&Path>) -> Result<Self, Error> {
        let mut roots = RootCertStore::empty();
        let found = match file {
            Some(path) => CertificateDer::pem_slice_iter(&Error::authorities(path)?)
                .collect::<Result<Vec<_>, _>>()
                .map_err(|_| {
                    Error::Url("names with sslrootcert a file that holds no certificates in PEM".into())
                })?,
            None => rustls_native_certs::load_native_certs().certs,
        };
        roots.add_parsable_certificates(found);
        if roots.is_empty() {
            return Err(Error::Url(
                "needs certificate authorities to check the server with: install ca-certificates, or name a file \
                 with sslrootcert"
                    .into(),
            ));
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| Error::Url("needs TLS, which cannot be set up".into()))?;
        Ok(Self(Some(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Stream<S>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        Ok(Handshake { config: self.0.clone(), host: host.to_owned() })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Stream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let config = self.config.ok_or_else(|| io::Error::other("TLS is turned off"))?;
            let name = ServerName::try_from(self.host).map_err(io::Error::other)?;
            TlsConnector::from(config).connect(name, stream).await.map(Stream)
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Stream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
