//! The table of what was measured.

use super::turn::Turn;

/// The turns of one row.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) ours: Vec<Turn>,
    pub(super) theirs: Vec<Turn>,
    /// The most memory of ours over that of a process that searches nothing, in KiB.
    pub(super) over_idle: u64,
}

pub(super) const HEAD: &str = "\
| search | ours, ms | theirs, ms | ratio | CPU ours, ms | CPU theirs, ms | ratio | peak over idle, MiB | lines ours | lines theirs |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

impl Measured {
    /// The row of the table: medians, and the ratio of medians.
    pub(super) fn line(&self) -> String {
        let wall = [median(&self.ours, |turn| turn.wall), median(&self.theirs, |turn| turn.wall)];
        let cpu = [median(&self.ours, |turn| turn.cpu), median(&self.theirs, |turn| turn.cpu)];
        let lines = [&self.ours, &self.theirs].map(|turns| turns.first().map_or(0, |turn| turn.lines));
        let mebibytes = f64::from(u32::try_from(self.over_idle).unwrap_or(u32::MAX)) / 1024.0;
        format!(
            "| {} | {:.0} | {:.0} | {:.2} | {:.0} | {:.0} | {:.2} | {mebibytes:.1} | {} | {} |",
            self.name,
            wall[0] * 1000.0,
            wall[1] * 1000.0,
            wall[0] / wall[1],
            cpu[0] * 1000.0,
            cpu[1] * 1000.0,
            cpu[0] / cpu[1],
            lines[0],
            lines[1],
        )
    }
}

fn median(turns: &[Turn], of: impl Fn(&Turn) -> f64) -> f64 {
    let mut values: Vec<f64> = turns.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_tells_medians_and_their_ratio() {
        let turns = |walls: [f64; 3]| {
            walls.into_iter().map(|wall| Turn { wall, cpu: wall * 2.0, lines: 7 }).collect::<Vec<_>>()
        };
        let (ours, theirs) = (turns([0.9, 0.1, 0.2]), turns([0.4, 0.1, 9.0]));
        let measured = Measured { name: "x".into(), ours, theirs, over_idle: 1536 };
        assert_eq!(measured.line(), "| x | 200 | 400 | 0.50 | 400 | 800 | 0.50 | 1.5 | 7 | 7 |");
    }
}
