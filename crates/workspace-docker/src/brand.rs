//! What finds each process of a command, however it hides.
//!
//! The soft limit of resident memory does nothing on Linux and is inherited by
//! all that a process starts, over `setsid`, `exec` and an empty environment
//! alike. So each command gets a limit of its own, and `/proc` tells who has it.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

/// A limit in KiB that nobody else has, far beyond what a container gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Brand(u64);

impl Brand {
    fn random() -> Self {
        const LEAST: u64 = 1 << 33;
        Self(LEAST + random() % LEAST)
    }

    /// As `/proc` tells it, in bytes.
    fn told(self) -> u64 {
        self.0 << 10
    }
}

impl fmt::Display for Brand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// 64 random bits, from the keys that the standard library draws for each hasher.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The brands of all that runs by our hand.
#[derive(Debug, Clone, Default)]
pub(crate) struct Brands(Arc<Mutex<HashSet<Brand>>>);

/// A brand in use, until it is dropped.
#[derive(Debug)]
pub(crate) struct Branded {
    pub(crate) brand: Brand,
    all: Brands,
}

impl Brands {
    pub(crate) fn take(&self) -> Branded {
        let brand = Brand::random();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(brand);
        Branded { brand, all: self.clone() }
    }

    fn others(&self, than: Brand) -> Vec<Brand> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().copied().filter(|brand| *brand != than).collect()
    }
}

impl Drop for Branded {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.brand);
    }
}

/// Whom a sweep reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Who has the brand.
    Branded,
    /// Who has the brand, and who has none that is known: it has thrown it away.
    AllButOthers,
}

impl Branded {
    /// A script that sends a signal to each process until none is left, at most
    /// `rounds` times, and prints how many were found other than `known`.
    ///
    /// It needs no process but its shell, so that it works where no other can be started.
    pub(crate) fn sweep(&self, signal: u8, rounds: u32, known: Option<u32>, reach: Reach) -> String {
        let ours = self.brand.told();
        let pattern = match reach {
            Reach::Branded => format!("{ours}) w_hit=1 ;;"),
            Reach::AllButOthers => {
                let others: Vec<String> =
                    self.all.others(self.brand).into_iter().map(|other| other.told().to_string()).collect();
                if others.is_empty() {
                    format!("{ours} | *) w_hit=1 ;;")
                } else {
                    format!("{ours}) w_hit=1 ;; {}) ;; *) w_hit=1 ;;", others.join(" | "))
                }
            }
        };
        let known = known.unwrap_or_default();
        format!(
            r#"w_seen=' ' w_count=0 w_round=0
while [ "$w_round" -lt {rounds} ]; do
  w_round=$((w_round + 1)) w_found=0
  for w_proc in /proc/[0-9]*; do
    w_pid=${{w_proc#/proc/}} w_hit=0
    [ -O "$w_proc" ] && [ "$w_pid" != "$$" ] || continue
    while read -r w_a w_b w_c w_d w_rest; do
      case "$w_a $w_b $w_c" in
        'Max resident set') case $w_d in {pattern} esac; break ;;
      esac
    done <"$w_proc/limits"
    [ "$w_hit" = 1 ] || continue
    kill -{signal} "$w_pid" || continue
    w_found=1
    case $w_seen in
      *" $w_pid "*) ;;
      *) w_seen="$w_seen$w_pid "; [ "$w_pid" = {known} ] || w_count=$((w_count + 1)) ;;
    esac
  done
  [ "$w_found" = 1 ] || break
done
echo "$w_count $w_found""#
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brand_is_known_while_it_is_in_use() {
        let brands = Brands::default();
        let (one, two) = (brands.take(), brands.take());
        assert_eq!(brands.others(one.brand), [two.brand]);
        let script = one.sweep(9, 20, None, Reach::AllButOthers);
        assert!(script.contains(&two.brand.told().to_string()));
        drop(two);
        assert!(brands.others(one.brand).is_empty());
    }
}
