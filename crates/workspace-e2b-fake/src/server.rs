//! Where requests come in: recorded, meddled with, and sent on.

use std::sync::{Arc, PoisonError};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, State as Held};
use axum::http::request::Parts;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use crate::answer::{self, with_body};
use crate::fault::{Canned, Effect};
use crate::proxy::{self, Address};
use crate::requests::Recorded;
use crate::state::State;
use crate::wire::{Gate, Tear};
use crate::{Call, control, meddle};

/// Serves until it is told to stop; then connections end as their requests do.
pub(crate) async fn serve(gate: Gate, state: Arc<State>, stop: CancellationToken) {
    let service = Router::new()
        .fallback(answer)
        .layer(DefaultBodyLimit::disable())
        .with_state(state)
        .into_make_service_with_connect_info::<Tear>();
    let served = axum::serve(gate, service).with_graceful_shutdown(stop.cancelled_owned());
    if let Err(error) = served.await {
        tracing::error!(%error, "the fake stops serving");
    }
}

async fn answer(
    Held(state): Held<Arc<State>>,
    ConnectInfo(tear): ConnectInfo<Tear>,
    request: Request<Body>,
) -> Response {
    let (parts, body) = request.into_parts();
    let call = Call::of(&parts.method, parts.uri.path());
    let address = Address::of(&parts);
    let sandbox = match &address {
        Some(address) => Some(address.sandbox.clone()),
        None => control::sandbox_id(parts.uri.path()).map(str::to_owned),
    };
    let number = state.log.arrived(Recorded::new(&parts, call, sandbox));
    // A service goes on with what it was asked for when the client has left.
    let work = tokio::spawn(work(Arc::clone(&state), call, parts, body));
    let Some(response) = work.await.unwrap_or_else(|error| Some(failed(&error))) else {
        tear.reset();
        return meddle::nothing();
    };
    state.log.answered(number, response.status().as_u16());
    response
}

/// Does what a request asks for, late or wrongly where that was injected; `None`
/// is no answer at all.
async fn work(state: Arc<State>, call: Option<Call>, parts: Parts, body: Body) -> Option<Response> {
    let _under_way = state.working.begin();
    let latency = *state.latency.lock().unwrap_or_else(PoisonError::into_inner);
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    match state.faults.take(call) {
        Some(effect) => faulty(&state, &effect, call, parts, body).await,
        None => Some(route(&state, call, &parts, body).await),
    }
}

fn failed(error: &JoinError) -> Response {
    answer::problem(StatusCode::INTERNAL_SERVER_ERROR, format!("the fake failed: {error}"))
}

/// Sends a request to the control plane or to the proxy, by its address.
async fn route(state: &Arc<State>, call: Option<Call>, parts: &Parts, body: Body) -> Response {
    match Address::of(parts) {
        Some(address) => proxy::answer(state, call, address, parts, body).await,
        None => control::answer(state, call, parts, body).await,
    }
}

/// Answers a request that meets a fault.
async fn faulty(
    state: &Arc<State>,
    effect: &Effect,
    call: Option<Call>,
    parts: Parts,
    body: Body,
) -> Option<Response> {
    let id = Address::of(&parts).map(|address| address.sandbox).unwrap_or_default();
    Some(match effect {
        Effect::Delay(time) => {
            tokio::time::sleep(*time).await;
            route(state, call, &parts, body).await
        }
        Effect::ResetBefore => return None,
        Effect::ResetAfter => {
            drop(route(state, call, &parts, body).await);
            return None;
        }
        Effect::DeliverTwice => {
            let body = to_bytes(body, usize::MAX).await.ok()?;
            drop(route(state, call, &parts, body.clone().into()).await);
            route(state, call, &parts, body.into()).await
        }
        Effect::Instead(canned) => self::canned(canned),
        Effect::Replaced(canned) => {
            drop(route(state, call, &parts, body).await);
            self::canned(canned)
        }
        Effect::NotFoundByProxy => answer::not_found_by_proxy(&id),
        Effect::PortNotOpen => answer::port_not_open(&id, 49983),
        Effect::SlowReader(bytes, every) => {
            let body = meddle::read_slowly(body, *bytes, *every);
            route(state, call, &parts, body).await
        }
        _ => meddle::with_answer(effect, route(state, call, &parts, body).await).await,
    })
}

fn canned(canned: &Canned) -> Response {
    let mut response = with_body(canned.status, &canned.content_type, canned.body.clone());
    for (name, value) in &canned.headers {
        answer::set(&mut response, axum::http::HeaderName::from_static(name), value);
    }
    response
}
