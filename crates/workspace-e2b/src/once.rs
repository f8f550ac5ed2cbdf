//! A script that runs once, however often its request arrives.
//!
//! A network that drops an answer leaves it open whether the request was carried
//! out, and one that delivers late or twice may carry it out again. So each script
//! that changes something first claims a name that only it has, by an act that
//! succeeds once: who comes second waits for the first one's answer and repeats it.

use std::time::Duration;

/// What a script says that found no place for its claim and has done nothing.
pub(crate) const UNCLAIMED: &[u8] = b"!unclaimed";
/// What a second one says where the first was ended half way.
pub(crate) const BROKEN: &[u8] = b"!broken";
/// Where claims lie: not on the disk, which may be full. They are links whose text is a process.
pub(crate) const CLAIMS: &str = "/dev/shm";
/// Where they lie in a sandbox that has no such place.
pub(crate) const OTHER_CLAIMS: &str = "/tmp";
/// How the names of claims begin.
pub(crate) const PREFIX: &str = ".workspace-";

/// The script, to be sent as often as it takes.
pub(crate) fn once(script: &str, token: &str, wait: Duration) -> String {
    let rounds = (wait.as_millis() / 50).max(1);
    format!(
        r#"w_claim={CLAIMS}
[ -d $w_claim ] && [ -w $w_claim ] || w_claim={OTHER_CLAIMS}
w_claim=$w_claim/{PREFIX}{token}
w_main() {{
{script}
}}
if ln -s $$ $w_claim 2>/dev/null; then
  w_answer=$(w_main)
  printf %s "$w_answer" 2>/dev/null >$w_claim.part && mv $w_claim.part $w_claim.done 2>/dev/null
  printf %s "$w_answer"
elif [ -L $w_claim ]; then
  w_round=0 w_first=$(readlink $w_claim)
  while [ ! -e $w_claim.done ] && [ $w_round -lt {rounds} ]; do
    w_round=$((w_round + 1))
    kill -0 "$w_first" 2>/dev/null || [ -d "/proc/$w_first" ] || w_round={rounds}
    sleep 0.05 2>/dev/null || sleep 1
  done
  if [ -e $w_claim.done ]; then cat $w_claim.done; else printf %s '!broken'; fi
else printf %s '!unclaimed'
fi"#
    )
}

/// What takes claims away that no request can be under way for.
pub(crate) fn forget(tokens: &[String]) -> String {
    use std::fmt::Write as _;

    if tokens.is_empty() {
        return String::new();
    }
    let mut line = "rm -f".to_owned();
    for token in tokens {
        for place in [CLAIMS, OTHER_CLAIMS] {
            let _ = write!(line, " {place}/{PREFIX}{token} {place}/{PREFIX}{token}.done");
        }
    }
    line.push_str(" 2>/dev/null\n");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_is_named() {
        assert_eq!(forget(&[]), "");
        let line = forget(&["ab".into()]);
        assert!(line.starts_with("rm -f /dev/shm/.workspace-ab /dev/shm/.workspace-ab.done /tmp/"), "{line}");
    }

    #[test]
    fn the_words_of_the_script_are_those_that_are_read() {
        let script = once("echo", "ab", Duration::from_secs(1));
        for word in [UNCLAIMED, BROKEN] {
            assert!(script.contains(std::str::from_utf8(word).unwrap()));
        }
    }
}
