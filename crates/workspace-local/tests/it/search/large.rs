//! Large files are swept before they are read as a whole; the answer is the portable search's.

use workspace_core::{FsProvider, GrepMode};

use super::{grep_query, told};
use crate::support::Scene;

/// More than a sweep takes in at a time, and more than makes a file large.
const PART: usize = 128 << 10;
const LARGE: usize = 600 << 10;

fn filled(line: &str) -> String {
    line.repeat(LARGE / line.len() + 1)
}

#[tokio::test]
async fn r_grep_3_a_large_file_is_searched_as_the_portable_search_does() {
    let scene = Scene::new();
    let hay = filled("hay and straw\n");
    scene.put("none", &hay);
    scene.put("first", &format!("needle\n{hay}"));
    scene.put("last", &format!("{hay}needle"));
    scene.put("marked", &format!("\u{feff}needle\n{hay}"));
    scene.put("a mark inside", &format!("hay\n\u{feff}needle\n{hay}"));
    scene.put("returns", &format!("{}x needle\r\n", filled("hay\r\n")));
    scene.put("empty lines at the end", &format!("{hay}\n\n"));
    scene.put("one line", &format!("{} needle", "x".repeat(LARGE)));
    scene.put("a long line", &format!("{}\nneedle\n{}", "x".repeat(3 * PART), "y".repeat(LARGE)));
    for at in PART - 4..PART + 4 {
        scene.put(&format!("at/{at}"), &format!("{}needle\n{hay}", "hay\n".repeat(at / 4)));
        scene.put(&format!("within/{at}"), &format!("{}needle\n{hay}", "x".repeat(at)));
    }
    scene.put("binary", &format!("{}\0{hay}needle\n", "x".repeat((8 << 10) - 1)));
    scene.put("nul later", &format!("{}\0{hay}needle\n", "x".repeat(8 << 10)));
    scene.put("over", &format!("{}needle\n", hay.repeat(4)));
    let local = scene.open();
    for pattern in ["needle", "^needle$", "needle$", r"^\x{feff}?needle", "^$", "nothing", "x{9}.*needle"] {
        for mode in [GrepMode::Content, GrepMode::Files, GrepMode::Count] {
            for (results, limit) in [(None, None), (Some(2), Some(2 << 20)), (None, Some(LARGE as u64))] {
                let mut query = grep_query("", pattern);
                query.mode = mode;
                (query.limits.max_results, query.max_file_bytes) = (results, limit);
                (query.context, query.cut_line_chars) = (1, 20);
                let native = told(local.grep(query.clone()).await);
                let portable = told(workspace_search::grep(&local, &query).await);
                assert_eq!(native, portable, "{query:?}");
            }
        }
    }
}
