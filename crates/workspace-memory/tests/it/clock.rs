//! Clocks and their alarms.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use workspace_memory::{Clock, ManualClock, SystemClock};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn alarms_ring_in_the_order_of_their_times() {
    let clock = ManualClock::new(UNIX_EPOCH);
    let rung = Arc::new(Mutex::new(Vec::new()));
    let set = |seconds: u32, name: &'static str| {
        let rung = Arc::clone(&rung);
        clock.alarm(UNIX_EPOCH + SECOND * seconds, Box::new(move || rung.lock().unwrap().push(name))).unwrap()
    };
    let alarms =
        [set(3, "third"), set(1, "first"), set(2, "second"), set(1, "first, set later"), set(9, "never")];
    let taken_back = set(2, "taken back");
    assert_eq!(clock.alarms(), 6);
    drop(taken_back);
    clock.advance(SECOND / 2);
    assert_eq!(*rung.lock().unwrap(), Vec::<&str>::new());
    clock.advance(SECOND * 3);
    assert_eq!(*rung.lock().unwrap(), ["first", "first, set later", "second", "third"]);
    assert_eq!(clock.alarms(), 1);
    drop(alarms);
    assert_eq!(clock.alarms(), 0);
}

#[test]
fn an_alarm_may_set_another() {
    let clock = ManualClock::new(UNIX_EPOCH);
    let again = clock.clone();
    let kept = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&kept);
    let ring = move || {
        *keep.lock().unwrap() = Some(again.alarm(UNIX_EPOCH + SECOND * 2, Box::new(|| ())).unwrap());
    };
    let _alarm = clock.alarm(UNIX_EPOCH + SECOND, Box::new(ring)).unwrap();
    clock.advance(SECOND);
    assert_eq!(clock.alarms(), 1);
    assert!(kept.lock().unwrap().is_some());
}

#[test]
fn the_time_of_a_manual_clock_has_an_end() {
    let clock = ManualClock::new(UNIX_EPOCH);
    clock.advance(Duration::MAX);
    assert_eq!(clock.now(), UNIX_EPOCH);
}

#[test]
fn real_alarms_ring_in_real_time() {
    let (sender, receiver) = channel();
    let before = SystemTime::now();
    let ring = move || sender.send(()).unwrap();
    let _alarm = SystemClock.alarm(before + Duration::from_millis(30), Box::new(ring)).unwrap();
    receiver.recv().unwrap();
    assert!(before.elapsed().unwrap() >= Duration::from_millis(30));
}

#[test]
fn a_real_alarm_that_is_taken_back_ends_its_thread() {
    let (sender, receiver) = channel::<()>();
    // The sender goes with the alarm's thread, which would else wait for a day.
    let alarm = SystemClock
        .alarm(SystemTime::now() + SECOND * 86_400, Box::new(move || sender.send(()).unwrap()))
        .unwrap();
    drop(alarm);
    receiver.recv().unwrap_err();
}

#[test]
fn a_closure_is_a_clock() {
    let clock = || UNIX_EPOCH + SECOND;
    assert_eq!(clock.now(), UNIX_EPOCH + SECOND);
}
