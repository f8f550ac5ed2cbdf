//! Connections that can be torn: what a real network does to them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Tears the connection that a request came by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tear(Arc<AtomicBool>);

impl Tear {
    /// Nothing more is sent, and the other side sees a reset.
    pub(crate) fn reset(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_reset(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Connected<IncomingStream<'_, Gate>> for Tear {
    fn connect_info(stream: IncomingStream<'_, Gate>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A listener whose connections carry their [`Tear`] as their address.
#[derive(Debug)]
pub(crate) struct Gate(pub(crate) TcpListener);

impl Listener for Gate {
    type Io = Wire;
    type Addr = Tear;

    async fn accept(&mut self) -> (Wire, Tear) {
        let (stream, _) = Listener::accept(&mut self.0).await;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "small answers may wait");
        }
        let tear = Tear::default();
        (Wire { stream, tear: tear.clone() }, tear)
    }

    fn local_addr(&self) -> io::Result<Tear> {
        Ok(Tear::default())
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    tear: Tear,
}

impl Wire {
    fn whole(&self) -> io::Result<()> {
        if self.tear.is_reset() { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(()) }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if self.tear.is_reset() {
            // A close with nothing to linger for is a reset.
            if let Err(error) = self.stream.set_zero_linger() {
                tracing::debug!(%error, "the connection ends without a reset");
            }
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.whole()?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.whole()?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.whole()?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.whole()?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
