//! The polite ways to end a program that serves.

use tokio_util::sync::CancellationToken;

/// Cancels a token at SIGTERM and SIGINT, so that what was started is ended in order.
///
/// Where signals cannot be heard, they end the program at once, and a waiting process ends its
/// commands.
pub(crate) fn cancel_at_signal(token: CancellationToken) {
    tokio::spawn(async move {
        if heard().await {
            token.cancel();
        }
    });
}

#[cfg(unix)]
async fn heard() -> bool {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return false;
    };
    tokio::select! {
        heard = term.recv() => heard.is_some(),
        heard = int.recv() => heard.is_some(),
    }
}

#[cfg(not(unix))]
async fn heard() -> bool {
    tokio::signal::ctrl_c().await.is_ok()
}
