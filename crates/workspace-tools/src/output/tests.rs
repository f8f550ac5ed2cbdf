//! Both streams through a collector.

use proptest::prelude::*;

use super::*;

fn budget(max_bytes: usize) -> Budget {
    Budget { max_bytes, ..Budget::default() }
}

#[track_caller]
fn check(budget: &Budget, stdout: &str, stderr: &str, expected: (&str, &str, u64, u64)) {
    let mut collector = Collector::new(budget.clone());
    collector.push(Stream::Stdout, stdout.as_bytes());
    collector.push(Stream::Stderr, stderr.as_bytes());
    let Output { stdout, stderr, omitted } = collector.finish(|| None);
    assert_eq!((stdout.as_str(), stderr.as_str(), omitted.stdout, omitted.stderr), expected);
}

#[test]
fn r_exec_4_output_within_the_budget_is_whole() {
    check(&budget(8), "out\n", "bad\n", ("out\n", "bad\n", 0, 0));
    check(&budget(4), "", "bad\n", ("", "bad\n", 0, 0));
    check(&budget(0), "", "", ("", "", 0, 0));
    check(&Budget::default(), "x\u{4e2d}\n", "", ("x\u{4e2d}\n", "", 0, 0));
}

#[test]
fn r_exec_4_an_unused_share_goes_to_the_other_stream() {
    let ninety = "0123456789".repeat(9);
    let cut = |head: usize, omitted: u64, tail: usize| {
        format!("{}\n[... {omitted} bytes left out ...]\n{}", &ninety[..head], &ninety[90 - tail..])
    };
    // 60 bytes for a stream: 29 go to the marker, 16 to the start, 15 to the end.
    check(&budget(70), &ninety, "0123456789", (&cut(16, 59, 15), "0123456789", 59, 0));
    check(&budget(70), "0123456789", &ninety, ("0123456789", &cut(16, 59, 15), 0, 59));
    // 35 bytes for each: 3 go to the start, 3 to the end.
    check(&budget(70), &ninety, &ninety, (&cut(3, 84, 3), &cut(3, 84, 3), 84, 84));
}

#[test]
fn r_exec_4_a_budget_per_stream_is_not_shared() {
    let budget = Budget { per_stream: true, ..budget(10) };
    check(&budget, "0123456789", "0123456789", ("0123456789", "0123456789", 0, 0));
    check(&budget, "0123456789a", "", ("0123456789", "", 1, 0));
}

#[test]
fn r_exec_5_decoded_text_is_capped_again() {
    let mut collector = Collector::new(budget(100));
    collector.push(Stream::Stdout, &[0xff; 90]);
    let output = collector.finish(|| None);
    let replaced = |count| "\u{fffd}".repeat(count);
    assert_eq!(output.stdout, format!("{}\n[... 67 bytes left out ...]\n{}", replaced(12), replaced(11)));
    assert_eq!(output.omitted, Omitted { stdout: 67, stderr: 0 });
    assert!(output.is_truncated());
}

#[test]
fn r_exec_5_a_character_split_over_two_chunks_is_whole() {
    let mut collector = Collector::new(Budget::default());
    collector.push(Stream::Stdout, b"x\xe4\xb8");
    collector.push(Stream::Stderr, b"between");
    collector.push(Stream::Stdout, b"\xad\n");
    let output = collector.finish(|| None);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("x\u{4e2d}\n", "between"));
    assert!(!output.is_truncated());
}

#[test]
fn what_the_terminal_drops_costs_no_budget() {
    let progress = "\u{1b}[32m10%\u{1b}[0m\r".repeat(100) + "done\n";
    check(&budget(5), &progress, "", ("done\n", "", 0, 0));
    let raw = Budget { terminal: false, ..budget(8) };
    check(&raw, "1%\r2%\r\n", "", ("1%\r2%\r\n", "", 0, 0));
}

#[test]
fn r_exec_4_long_output_keeps_the_first_and_the_last_lines() {
    let mut collector = Collector::new(budget(8000));
    for line in 1..=5000 {
        collector.push(Stream::Stdout, format!("line {line}\n").as_bytes());
    }
    collector.push(Stream::Stdout, b"FATAL: last words\n");
    let output = collector.finish(|| None);
    assert!(output.stdout.starts_with("line 1\nline 2\n"));
    assert!(output.stdout.ends_with("line 5000\nFATAL: last words\n"));
    assert!(output.stdout.len() <= 8000 && output.stdout.len() > 7980, "{}", output.stdout.len());
    let markers: Vec<_> = output.stdout.lines().filter(|line| line.starts_with("[...")).collect();
    assert_eq!(markers, [format!("[... {} bytes left out ...]", output.omitted.stdout)]);
}

fn printed() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"a".to_vec()),
        Just("中🦊é\n".as_bytes().to_vec()),
        Just(b"\xff\xfe".to_vec()),
        Just(b"\xe4\xb8".to_vec()),
        Just(b"0123456789".to_vec()),
        any::<u8>().prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn any_budget() -> impl Strategy<Value = Budget> {
    (0..300_usize, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(max_bytes, head, per_stream, terminal)| Budget {
            max_bytes,
            keep: if head { Keep::Head } else { Keep::Ends },
            per_stream,
            terminal,
        },
    )
}

fn collect(budget: &Budget, stdout: &[u8], stderr: &[u8], size: usize) -> Output {
    let mut collector = Collector::new(budget.clone());
    let mut errors = stderr.chunks(size);
    for chunk in stdout.chunks(size) {
        collector.push(Stream::Stdout, chunk);
        collector.push(Stream::Stderr, errors.next().unwrap_or_default());
    }
    errors.for_each(|chunk| collector.push(Stream::Stderr, chunk));
    collector.finish(|| None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn r_exec_4_any_chunks_give_the_same_within_the_budget(
        budget in any_budget(),
        stdout in printed(),
        stderr in printed(),
        size in 1_usize..20,
    ) {
        let output = collect(&budget, &stdout, &stderr, 1 << 20);
        prop_assert_eq!(&collect(&budget, &stdout, &stderr, size), &output);
        let (out, err) = (output.stdout.len(), output.stderr.len());
        if budget.per_stream {
            prop_assert!(out <= budget.max_bytes && err <= budget.max_bytes);
        } else {
            prop_assert!(out + err <= budget.max_bytes);
        }
    }

    #[test]
    fn r_exec_4_what_is_left_out_is_what_is_missing(
        budget in any_budget(),
        stdout in printed(),
        stderr in printed(),
    ) {
        // The unfinished character at the end of a stream, which is dropped, is none of it.
        let whole = |bytes: &[u8]| {
            let (text, _) = lossy::start(bytes, usize::MAX);
            (text, lossy::end(bytes, usize::MAX).1)
        };
        let budget = Budget { terminal: false, ..budget };
        let output = collect(&budget, &stdout, &stderr, 7);
        for (printed, shown, omitted) in [
            (&stdout, &output.stdout, output.omitted.stdout),
            (&stderr, &output.stderr, output.omitted.stderr),
        ] {
            let (text, length) = whole(printed);
            prop_assert_eq!(length, printed.len());
            if omitted == 0 {
                prop_assert_eq!(shown, &text);
                continue;
            }
            let Some((start, end)) = shown.split_once(&format!("[... {omitted} bytes left out ...]\n")) else {
                prop_assert!(text.starts_with(shown.as_str()));
                continue;
            };
            let start = if text.starts_with(start) { start } else { start.strip_suffix('\n').unwrap() };
            prop_assert!(text.starts_with(start) && text.ends_with(end));
            // What lies between start and end was decoded from the bytes left out.
            let between = &text[start.len()..text.len() - end.len()];
            let (shortest, longest) = (between.len().div_ceil(3), between.len() + 3);
            let omitted = usize::try_from(omitted).unwrap();
            prop_assert!((shortest..=longest).contains(&omitted), "{} for {:?}", omitted, between);
        }
    }

    #[test]
    fn r_exec_4_no_replacement_is_brought_into_valid_text(
        budget in any_budget(),
        text in "[a-c\né中🦊\r]{0,300}",
        cut in 0_usize..4,
    ) {
        // Also of a command that was killed inside a character.
        let bytes = &text.as_bytes()[..text.len().saturating_sub(cut)];
        let output = collect(&budget, bytes, bytes, 5);
        let replaced = |text: &str| text.contains('\u{fffd}');
        prop_assert!(!replaced(&output.stdout) && !replaced(&output.stderr));
    }
}
