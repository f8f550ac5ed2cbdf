//! Standard input and output, one message a line.
//!
//! The SDK reads the lines. What is added here keeps the server alive, and its calls apart,
//! whatever a client sends: a request with the number of one that is still being answered, a line
//! that is too long, words before the greeting; and the end of input ends the calls.

use std::collections::HashSet;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::LONGEST;
use super::calls::in_use;

/// How long a call may go on after the end of input, for its answer may still be wanted.
const GRACE: Duration = Duration::from_secs(1);

/// Lines of JSON-RPC over two streams.
pub(super) struct Lines<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Input<R>, W>,
    /// Requests that have no answer yet.
    open: Arc<Mutex<HashSet<RequestId>>>,
    /// Whether there has been a request.
    greeted: bool,
    too_long: UnboundedReceiver<()>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Lines that end the server's work, by `ending`, a moment after their own end.
    pub(super) fn new(input: R, output: W, ending: CancellationToken) -> Self {
        let (noticed, too_long) = unbounded_channel();
        let input = Input { inner: input, length: 0, too_long: noticed, ending };
        Self {
            inner: AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST),
            open: Arc::default(),
            greeted: false,
            too_long,
        }
    }

    /// Answers by itself. What is being received may be given up at any time, this may not.
    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        tokio::spawn(self.inner.send(ServerJsonRpcMessage::error(error, id)));
    }

    /// Whether a message goes on to the server.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                self.greeted = true;
                if lock(&self.open).insert(request.id.clone()) {
                    return true;
                }
                self.refuse(Some(request.id.clone()), in_use(&request.id));
                false
            }
            JsonRpcMessage::Notification(notification) => {
                // One that is cancelled gets no answer.
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    lock(&self.open).remove(id);
                }
                self.greeted
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => self.greeted,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = answered {
            lock(&self.open).remove(id);
        }
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            tokio::select! {
                Some(()) = self.too_long.recv() => {
                    let why = format!("the message has over {LONGEST} bytes; it was passed over");
                    self.refuse(None, ErrorData::invalid_request(why, None));
                }
                message = self.inner.receive() => {
                    let message = message?;
                    if self.admits(&message) {
                        return Some(message);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// Input that notices lines which are too long, and its own end.
struct Input<R> {
    inner: R,
    /// Of the line that is being read, so far, in bytes.
    length: usize,
    too_long: UnboundedSender<()>,
    ending: CancellationToken,
}

impl<R> Input<R> {
    fn notice(&mut self, bytes: &[u8]) {
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            let before = self.length;
            self.length += line.len();
            if before <= LONGEST && self.length > LONGEST {
                // Nobody hears it once the server ends.
                let _ = self.too_long.send(());
            }
            if lines.peek().is_some() || line.ends_with(b"\n") {
                self.length = 0;
            }
        }
    }

    fn ended(&self) {
        let ending = self.ending.clone();
        tokio::spawn(async move {
            tokio::time::sleep(GRACE).await;
            ending.cancel();
        });
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Input<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut this.inner).poll_read(context, buffer));
        match buffer.filled().get(before..) {
            Some(bytes) if read.is_ok() && !bytes.is_empty() => this.notice(bytes),
            _ => this.ended(),
        }
        Poll::Ready(read)
    }
}
