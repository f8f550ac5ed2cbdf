//! What a process of the sandbox tells, in the JSON of protobuf.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;

use crate::failure::Failure;

const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// One event of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    /// It runs.
    Started,
    /// It printed.
    Stdout(Vec<u8>),
    /// It complained.
    Stderr(Vec<u8>),
    /// It is over. A program that a signal ended has no code.
    Ended { code: Option<i32>, signal: Option<i32> },
    /// Nothing new.
    Alive,
}

#[derive(Deserialize)]
struct Message {
    event: Option<Event>,
}

#[derive(Deserialize)]
struct Event {
    start: Option<serde::de::IgnoredAny>,
    data: Option<Data>,
    end: Option<End>,
}

#[derive(Deserialize)]
struct Data {
    stdout: Option<String>,
    stderr: Option<String>,
    pty: Option<String>,
}

/// Zero values are left out: a missing code is code 0, where the program has exited.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct End {
    exit_code: Option<i32>,
    exited: Option<bool>,
    status: Option<String>,
}

/// Reads one message of a stream of process events.
///
/// # Errors
/// Where it is none.
pub(crate) fn read(message: &[u8]) -> Result<Told, Failure> {
    let message: Message = serde_json::from_slice(message)
        .map_err(|cause| Failure::garbled(format!("a message is no event of a process: {cause}")))?;
    let Some(event) = message.event else { return Ok(Told::Alive) };
    if event.start.is_some() {
        return Ok(Told::Started);
    }
    if let Some(data) = event.data {
        return match (data.stdout.or(data.pty), data.stderr) {
            (Some(text), None) => Ok(Told::Stdout(bytes(&text)?)),
            (None, Some(text)) => Ok(Told::Stderr(bytes(&text)?)),
            (None, None) => Ok(Told::Alive),
            (Some(_), Some(_)) => Err(Failure::garbled("an event holds both outputs".into())),
        };
    }
    let Some(end) = event.end else { return Ok(Told::Alive) };
    let signal = end.status.as_deref().and_then(signal);
    let exited = end.exited.unwrap_or_default() && signal.is_none();
    Ok(Told::Ended { code: exited.then(|| end.exit_code.unwrap_or_default()), signal })
}

fn bytes(text: &str) -> Result<Vec<u8>, Failure> {
    STANDARD
        .decode(text)
        .or_else(|_| URL_SAFE.decode(text))
        .map_err(|_| Failure::garbled("the output of a process is no base64".into()))
}

/// The number of a signal by the name that the sandbox prints.
fn signal(status: &str) -> Option<i32> {
    let name = status.strip_prefix("signal: ")?;
    Some(match name.strip_suffix(" (core dumped)").unwrap_or(name) {
        "hangup" => 1,
        "interrupt" => 2,
        "quit" => 3,
        "illegal instruction" => 4,
        "aborted" => 6,
        "bus error" => 7,
        "floating point exception" => 8,
        "segmentation fault" => 11,
        "broken pipe" => 13,
        "terminated" => 15,
        _ => 9,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(message: &str, expected: &Told) {
        assert_eq!(&read(message.as_bytes()).unwrap(), expected);
    }

    #[test]
    fn events_are_read() {
        check(r#"{"event":{"start":{"pid":7}}}"#, &Told::Started);
        check(r#"{"event":{"data":{"stdout":"b3V0Cg=="}}}"#, &Told::Stdout(b"out\n".to_vec()));
        check(r#"{"event":{"data":{"stderr":"ZXJyCg"}}}"#, &Told::Stderr(b"err\n".to_vec()));
        check(r#"{"event":{"data":{"stdout":"-_8="}}}"#, &Told::Stdout(vec![0xfb, 0xff]));
        check(r#"{"event":{"keepalive":{}}}"#, &Told::Alive);
        check(r#"{"event":{"somethingNew":{"a":1}},"more":2}"#, &Told::Alive);
        check("{}", &Told::Alive);
    }

    #[test]
    fn a_code_that_is_left_out_is_zero_and_a_signal_has_none() {
        let ended = |code, signal| Told::Ended { code, signal };
        check(r#"{"event":{"end":{"exited":true,"status":"exit status 0"}}}"#, &ended(Some(0), None));
        check(
            r#"{"event":{"end":{"exited":true,"status":"exit status 3","exitCode":3,"error":"exit status 3"}}}"#,
            &ended(Some(3), None),
        );
        check(
            r#"{"event":{"end":{"exitCode":-1,"status":"signal: killed","error":"signal: killed"}}}"#,
            &ended(None, Some(9)),
        );
        check(
            r#"{"event":{"end":{"exitCode":-1,"status":"signal: segmentation fault (core dumped)"}}}"#,
            &ended(None, Some(11)),
        );
        // Nothing says that it has exited: that is no success.
        check(r#"{"event":{"end":{}}}"#, &ended(None, None));
    }

    #[test]
    fn what_is_no_event_is_refused() {
        for message in ["", "[]", "<html>", r#"{"event":{"data":{"stdout":"*"}}}"#, r#"{"event":7}"#] {
            assert!(read(message.as_bytes()).is_err(), "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }
    }
}
