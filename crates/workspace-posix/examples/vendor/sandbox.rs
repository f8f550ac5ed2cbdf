//! The made-up vendor: a sandbox behind an HTTP API, and its server in this process.
//!
//! | request | answer |
//! | --- | --- |
//! | `POST /processes`, a line for `sh` | `201`, the process's number |
//! | `GET /processes/N/events` | `200`, lines: `out BASE64`, `err BASE64`, `exit CODE` |
//! | `POST /processes/N/stdin`, bytes | `204` |
//! | `POST /processes/N/stdin/close` | `204` |
//! | `DELETE /processes/N` | `204`: it is killed with all that it started |

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use workspace_core::{Command, Event, Feed, ProcessControl, ShellProvider, Stdin, Stream};
use workspace_local::LocalShell;

/// What the server answers: a status, and a body in lines.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) lines: Feed<String>,
}

impl Response {
    fn new(status: u16, line: Option<String>) -> Self {
        Self { status, lines: Feed::from_items(line.map(Ok)) }
    }
}

type Processes = HashMap<usize, (ProcessControl, Option<Feed<Event>>)>;

/// The vendor's client. Here it leads to a server in the same process.
#[derive(Clone)]
pub(crate) struct Http {
    shell: LocalShell,
    processes: Arc<Mutex<Processes>>,
}

impl Http {
    pub(crate) fn new(shell: LocalShell) -> Self {
        Self { shell, processes: Arc::default() }
    }

    fn table(&self) -> MutexGuard<'_, Processes> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request.
    pub(crate) async fn request(&self, method: &str, path: &str, body: Vec<u8>) -> Response {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        match (method, parts.as_slice()) {
            ("POST", ["processes"]) => self.start(body).await,
            ("GET", ["processes", number, "events"]) => self.events(number),
            ("POST", ["processes", number, "stdin"]) => match self.control(number) {
                Some(control) => status(control.write_stdin(body).await.is_ok()),
                None => Response::new(404, None),
            },
            ("POST", ["processes", number, "stdin", "close"]) => match self.control(number) {
                Some(control) => status(control.close_stdin().await.is_ok()),
                None => Response::new(404, None),
            },
            ("DELETE", ["processes", number]) => match self.control(number) {
                Some(control) => status(control.kill().await.is_ok()),
                None => Response::new(404, None),
            },
            _ => Response::new(404, None),
        }
    }

    async fn start(&self, line: Vec<u8>) -> Response {
        let command = Command::sh(String::from_utf8_lossy(&line));
        match self.shell.spawn(command.with_stdin(Stdin::Open)).await {
            Ok(process) => {
                let mut processes = self.table();
                let number = processes.len();
                processes.insert(number, (process.control, Some(process.events)));
                Response::new(201, Some(number.to_string()))
            }
            Err(_) => Response::new(500, None),
        }
    }

    fn control(&self, number: &str) -> Option<ProcessControl> {
        let processes = self.table();
        processes.get(&number.parse().ok()?).map(|(control, _)| control.clone())
    }

    /// The lines of a process; a client that hangs up kills it.
    fn events(&self, number: &str) -> Response {
        let taken = number
            .parse()
            .ok()
            .and_then(|number: usize| self.table().get_mut(&number).and_then(|(_, events)| events.take()));
        let Some(mut events) = taken else { return Response::new(404, None) };
        let lines = Feed::from_poll_fn(move |cx| {
            events.poll_next(cx).map(|event| {
                Some(event?.map(|event| match event {
                    Event::Output(Stream::Stdout, bytes) => format!("out {}", STANDARD.encode(bytes)),
                    Event::Output(Stream::Stderr, bytes) => format!("err {}", STANDARD.encode(bytes)),
                    Event::Exit(exit) => format!("exit {}", exit.status.code()),
                    _ => String::new(),
                }))
            })
        });
        Response { status: 200, lines }
    }
}

fn status(done: bool) -> Response {
    Response::new(if done { 204 } else { 409 }, None)
}
