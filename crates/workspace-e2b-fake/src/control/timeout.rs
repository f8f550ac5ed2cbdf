//! Times to live, as requests state them.

use std::time::Duration;

use axum::http::StatusCode;

use crate::answer::{Refused, refused};
use crate::state::State;

/// The time to live of a sandbox that is made or resumed, or the refusal of it.
pub(super) fn life_of(state: &State, seconds: i64) -> Result<Duration, Refused> {
    match u64::try_from(seconds) {
        Ok(0) | Err(_) => Err(refused(StatusCode::BAD_REQUEST, "Timeout must be greater than 0")),
        Ok(seconds) => no_longer(state, Duration::from_secs(seconds)),
    }
}

/// The time to live that is set anew, where less than nothing is now.
pub(super) fn life_from_now(state: &State, seconds: i64) -> Result<Duration, Refused> {
    no_longer(state, Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

fn no_longer(state: &State, life: Duration) -> Result<Duration, Refused> {
    let longest = state.options.longest_life;
    if life <= longest {
        return Ok(life);
    }
    let hours = longest.as_secs() / 3600;
    Err(refused(StatusCode::BAD_REQUEST, format!("Timeout cannot be greater than {hours} hours")))
}
