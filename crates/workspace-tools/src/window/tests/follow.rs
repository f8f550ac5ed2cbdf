//! Following a page's `next_offset` and `next_byte` to the end of the file.

use proptest::prelude::*;

use super::model::{format, text};
use super::*;

/// Most lines and bytes of one page; a reader may ask differently each time.
type Step = (Option<u64>, Option<usize>);

/// All pages of a file. Fails when a page makes no progress.
fn follow(file: &str, format: Format, steps: &[Step]) -> Vec<(u64, Page)> {
    let mut pages = Vec::new();
    let (mut line, mut byte) = (1, 0);
    for (limit, max_bytes) in steps.iter().cycle() {
        let request = Request { span: from(line, byte, *limit), max_bytes: *max_bytes, ..everything(format) };
        let page = read_in_chunks(file.as_bytes(), 5, &request).unwrap();
        let next = page.next_offset.map(|line| (line, page.next_byte.unwrap_or(0)));
        pages.push((byte, page));
        match next {
            None => break,
            Some(next) => {
                assert!(next > (line, byte), "no progress from {line}, {byte}");
                (line, byte) = next;
            }
        }
    }
    pages
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (prop::option::of(1..6_u64), prop::option::of(0..40_usize));
    prop::collection::vec(step, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn r_read_7_raw_pages_give_the_whole_file_back(file in text(), steps in steps()) {
        let pages = follow(&file, Format::Raw, &steps);
        let joined: String = pages.iter().map(|(_, page)| page.content.as_str()).collect();
        prop_assert_eq!(joined, file.strip_prefix('\u{feff}').unwrap_or(&file));
    }

    #[test]
    fn r_read_7_numbered_pages_give_every_line_back(file in text(), steps in steps()) {
        let mut lines: Vec<String> = Vec::new();
        for (byte, page) in follow(&file, Format::Numbered, &steps) {
            let numbers = page.start_line..=page.end_line;
            let texts = if numbers.is_empty() { Vec::new() } else { page.content.split('\n').collect() };
            prop_assert_eq!(texts.len() as u64, page.end_line + 1 - page.start_line);
            for (number, text) in numbers.zip(texts) {
                let text = text.strip_prefix(&format!("{number:>6}\t")).unwrap();
                match lines.last_mut().filter(|_| number == page.start_line && byte > 0) {
                    Some(line) => line.push_str(text),
                    None => lines.push(text.to_owned()),
                }
            }
        }
        let text = file.strip_prefix('\u{feff}').unwrap_or(&file);
        let expected: Vec<&str> = text
            .split_inclusive('\n')
            .map(|line| line.strip_suffix("\r\n").or(line.strip_suffix('\n')).unwrap_or(line))
            .collect();
        prop_assert_eq!(lines, expected);
    }

    #[test]
    fn r_read_2_content_passes_the_ceiling_by_one_character_at_most(
        file in text(),
        format in format(),
        max_bytes in 0..40_usize,
        line in 1..6_u64,
    ) {
        let request = Request { span: from(line, 0, None), max_bytes: Some(max_bytes), ..everything(format) };
        if let Ok(page) = read_in_chunks(file.as_bytes(), 5, &request)
            && page.content.len() > max_bytes
        {
            let shown = page.content.strip_prefix(&format!("{line:>6}\t")).unwrap_or(&page.content);
            prop_assert!(shown.chars().count() <= 1, "{:?}", page.content);
        }
    }
}
