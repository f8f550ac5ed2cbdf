//! What must hold for any patch and any text.

use proptest::prelude::*;

use super::{Hunk, HunkLine, apply, parse, parse_content, parse_hunks};

/// Text out of the pieces of which patches are made, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("*** Begin Patch\n"),
        Just("*** End Patch\n"),
        Just("*** Add File: a\n"),
        Just("*** Update File: b\n"),
        Just("*** Delete File: c\n"),
        Just("*** Move to: d\n"),
        Just("*** End of File\n"),
        Just("***"),
        Just("@@\n"),
        Just("@@ f\n"),
        Just("@@ -1 +1 @@"),
        Just("+x\n"),
        Just("-x\n"),
        Just(" x\r\n"),
        Just("\n"),
        Just("\u{feff}é\u{0}"),
        Just(" "),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// Lines of few kinds, so that equal ones are common.
fn lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ab]{0,2} ?", 0..12)
}

/// The hunk that turns one text into another, whole.
fn whole(old: &[String], new: &[String]) -> Hunk {
    let gone = old.iter().cloned().map(HunkLine::Remove);
    let come = new.iter().cloned().map(HunkLine::Add);
    Hunk { line: 1, headers: Vec::new(), lines: gone.chain(come).collect(), at_end: true }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn r_patch_1_no_text_brings_the_parser_down(text in prop_oneof![any::<String>(), pieces()]) {
        let lines = text.lines().count().max(1);
        for failure in [
            parse(&text).err(),
            parse(&format!("*** Begin Patch\n{text}")).err(),
            parse_hunks(&text).err(),
            parse_content(&text).err(),
        ].into_iter().flatten() {
            prop_assert!((1..=lines + 1).contains(&failure.line), "{failure:?}");
        }
    }

    #[test]
    fn r_patch_2_no_patch_brings_a_change_down(diff in pieces(), text in "([xf ]{0,2}(\r\n|\n)){0,6}x?") {
        if let Ok(hunks) = parse_hunks(&diff) {
            let _ = apply(&text, &hunks);
        }
    }

    #[test]
    fn r_patch_2_a_patch_of_all_lines_gives_the_new_text(old in lines(), new in lines()) {
        let text = |lines: &[String]| lines.iter().fold(String::new(), |text, line| text + line + "\n");
        let applied = apply(&text(&old), &[whole(&old, &new)]).unwrap();
        prop_assert_eq!(applied.text, text(&new));
        prop_assert_eq!(applied.tolerated, 0);
    }

    #[test]
    fn r_patch_3_what_no_hunk_names_stays_to_the_last_byte(
        before in "([ab]{0,2}(\r\n|\n)){0,6}",
        after in "([ab]{0,2}(\r\n|\n)){0,6}[ab]?",
    ) {
        let text = format!("{before}the one\r\n{after}");
        let hunks = parse_hunks("-the one\n+another\n+and more\n").unwrap();
        let applied = apply(&text, &hunks).unwrap();
        prop_assert_eq!(applied.text, format!("{before}another\r\nand more\r\n{after}"));
    }
}
