//! The rules of reading, one by one.

use super::*;

const TEN: &str = "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\n";

/// What a reader sees of a page, apart from the facts about the file.
#[derive(Debug, PartialEq, Eq)]
struct Seen<'a> {
    content: &'a str,
    lines: (u64, u64),
    truncated: bool,
    capped: bool,
    next: Option<(u64, Option<u64>)>,
}

#[track_caller]
fn check(file: &str, request: &Request, expected: &Seen<'_>) {
    let page = read(file, request).unwrap();
    let seen = Seen {
        content: &page.content,
        lines: (page.start_line, page.end_line),
        truncated: page.truncated,
        capped: page.bytes_capped,
        next: page.next_offset.map(|line| (line, page.next_byte)),
    };
    assert_eq!(&seen, expected);
}

fn lines(line: u64, limit: Option<u64>) -> Request {
    Request { span: from(line, 0, limit), ..everything(Format::Numbered) }
}

fn capped(format: Format, max_bytes: usize) -> Request {
    Request { max_bytes: Some(max_bytes), ..everything(format) }
}

#[test]
fn r_read_1_a_small_file_is_one_numbered_page() {
    assert_eq!(
        read("one\n\ttwo\n", &everything(Format::Numbered)),
        Ok(Page {
            content: "     1\tone\n     2\t\ttwo".into(),
            start_line: 1,
            end_line: 2,
            total_lines: 2,
            total_bytes: 9,
            truncated: false,
            bytes_capped: false,
            next_offset: None,
            next_byte: None,
            hash: "a9b2ec09f27dbf0c44f7a42b573c3519094992c103ddd64e652448312099361a".into(),
            eol: Eol::Lf,
            bom: false,
            lossy: false,
            notice: None,
        })
    );
}

#[test]
fn r_read_1_cr_before_lf_is_hidden_in_numbered_form_only() {
    let file = "a\r\nb\rc\r\r\nd\r";
    let page = |format| read(file, &everything(format)).unwrap();
    let numbered = page(Format::Numbered);
    assert_eq!(numbered.content, "     1\ta\n     2\tb\rc\r\n     3\td\r");
    assert_eq!((numbered.eol, numbered.total_lines), (Eol::Crlf, 3));
    assert_eq!(page(Format::Raw).content, file);
}

#[test]
fn r_read_1_numbers_may_begin_with_zero() {
    let request = Request { first_number: 0, ..lines(2, Some(1)) };
    let page = read("a\nb\nc\n", &request).unwrap();
    assert_eq!((page.content.as_str(), page.start_line), ("     1\tb", 2));
    assert_eq!(page.notice.unwrap(), "line 1 of 3 shown; continue with offset 2");
}

#[test]
fn r_read_1_large_numbers_widen_their_column() {
    let file = "\n".repeat(1_000_000);
    let request = lines(999_999, None);
    let page = read_in_chunks(file.as_bytes(), 65536, &request).unwrap();
    assert_eq!(page.content, "999999\t\n1000000\t");
}

#[test]
fn r_read_1_offset_zero_is_read_as_one() {
    assert_eq!(read(TEN, &lines(0, Some(2))), read(TEN, &lines(1, Some(2))));
}

#[test]
fn r_read_7_limits_count_lines_and_next_offset_follows_them() {
    let seen = |content, lines, next: Option<u64>| Seen {
        content,
        lines,
        truncated: next.is_some(),
        capped: false,
        next: next.map(|line| (line, None)),
    };
    check(TEN, &lines(1, Some(2)), &seen("     1\tl1\n     2\tl2", (1, 2), Some(3)));
    check(TEN, &lines(3, Some(2)), &seen("     3\tl3\n     4\tl4", (3, 4), Some(5)));
    check(TEN, &lines(9, None), &seen("     9\tl9\n    10\tl10", (9, 10), None));
    check(TEN, &lines(9, Some(2)), &seen("     9\tl9\n    10\tl10", (9, 10), None));
    check(TEN, &lines(9, Some(200)), &seen("     9\tl9\n    10\tl10", (9, 10), None));
    check("only", &lines(1, None), &seen("     1\tonly", (1, 1), None));
    check("1\n2\n3", &lines(3, Some(1)), &seen("     3\t3", (3, 3), None));
}

#[test]
fn r_read_8_limit_zero_gives_the_facts_only() {
    let nothing = |lines, next: Option<(u64, Option<u64>)>| Seen {
        content: "",
        lines,
        truncated: next.is_some(),
        capped: false,
        next,
    };
    check(TEN, &lines(1, Some(0)), &nothing((1, 0), Some((1, None))));
    check(TEN, &lines(10, Some(0)), &nothing((10, 9), Some((10, None))));
    check("", &lines(1, Some(0)), &nothing((1, 0), None));
    let page = read(TEN, &lines(4, Some(0))).unwrap();
    assert_eq!((page.total_lines, page.total_bytes, page.eol), (10, 31, Eol::Lf));
    assert_eq!(page.notice.unwrap(), "none of 10 lines shown; continue with offset 4");
    assert_eq!(read(TEN, &lines(11, Some(0))), Err(Refusal::LineOutOfRange { line: 11, total_lines: 10 }));
}

#[test]
fn r_read_2_whole_lines_are_kept_while_they_fit() {
    // Each numbered line of this file takes nine bytes, and a newline between two.
    let cut = |content, lines, next| Seen { content, lines, truncated: true, capped: true, next: Some(next) };
    let file = "ab\ncd\nef\n";
    check(file, &capped(Format::Numbered, 19), &cut("     1\tab\n     2\tcd", (1, 2), (3, None)));
    check(file, &capped(Format::Numbered, 27), &cut("     1\tab\n     2\tcd", (1, 2), (3, None)));
    check(
        file,
        &capped(Format::Numbered, 28),
        &cut("     1\tab\n     2\tcd\n     3\te", (1, 3), (3, Some(1))),
    );
    check(file, &capped(Format::Raw, 6), &cut("ab\ncd\n", (1, 2), (3, None)));
    check(file, &capped(Format::Raw, 8), &cut("ab\ncd\nef", (1, 3), (3, Some(2))));
}

#[test]
fn r_read_8_the_final_newline_counts_towards_the_ceiling() {
    let whole = |content| Seen { content, lines: (1, 1), truncated: false, capped: false, next: None };
    let cut =
        |content| Seen { content, lines: (1, 1), truncated: true, capped: true, next: Some((1, Some(3))) };
    check("abc\n", &capped(Format::Raw, 4), &whole("abc\n"));
    check("abc\n", &capped(Format::Raw, 3), &cut("abc"));
    check("abc", &capped(Format::Raw, 3), &whole("abc"));
    check("abc\n", &capped(Format::Numbered, 11), &whole("     1\tabc"));
    check("abc\r\n", &capped(Format::Numbered, 11), &whole("     1\tabc"));
    check("abc\n", &capped(Format::Numbered, 10), &cut("     1\tabc"));
    check("abc", &capped(Format::Numbered, 10), &whole("     1\tabc"));
}

#[test]
fn r_read_2_a_long_line_is_cut_on_a_character_boundary() {
    let file = format!("{}\nend\n", "🦊".repeat(5000));
    let page = read_in_chunks(file.as_bytes(), 4096, &capped(Format::Numbered, 1003)).unwrap();
    assert_eq!(page.content, format!("     1\t{}", "🦊".repeat(249)));
    assert_eq!((page.end_line, page.total_lines, page.truncated, page.bytes_capped), (1, 2, true, true));
    assert_eq!((page.next_offset, page.next_byte), (Some(1), Some(996)));
    assert_eq!(
        page.notice.unwrap(),
        "line 1 of 2 shown, up to byte 996, as it is longer than the ceiling of 1003 bytes; \
         continue with offset 1 and byte 996"
    );
}

#[test]
fn r_read_2_a_page_makes_progress_whatever_the_ceiling() {
    let cut =
        |content, next| Seen { content, lines: (1, 1), truncated: true, capped: true, next: Some(next) };
    for max_bytes in 0..=7 {
        check("é\nb\n", &capped(Format::Numbered, max_bytes), &cut("     1\té", (2, None)));
        check("éa\n", &capped(Format::Numbered, max_bytes), &cut("     1\té", (1, Some(2))));
        check("\nb\n", &capped(Format::Numbered, max_bytes), &cut("     1\t", (2, None)));
    }
    check("éa\n", &capped(Format::Raw, 0), &cut("é", (1, Some(2))));
    check("\n\n", &capped(Format::Raw, 0), &cut("\n", (2, None)));
}

#[test]
fn r_read_7_byte_continues_a_cut_line() {
    let ask = |byte| Request { span: from(2, byte, None), ..everything(Format::Numbered) };
    let page = |byte| read("a\nsix🦊seven\r\nb\n", &ask(byte)).unwrap();
    assert_eq!(page(7).content, "     2\tseven\n     3\tb");
    assert_eq!(page(7).notice.unwrap(), "lines 2-3 of 3 shown, line 2 from byte 7 on");
    // Inside a character: back to its start.
    for byte in 4..7 {
        assert_eq!(page(byte), page(3));
    }
    assert_eq!(page(12).content, "     2\t\n     3\tb");
    assert_eq!(page(13).content, "     2\t\n     3\tb");
}

#[test]
fn r_read_7_a_byte_past_its_line_is_refused() {
    let ask = |line, byte| Request { span: from(line, byte, None), ..everything(Format::Raw) };
    let past = |line, byte, line_bytes| Err(Refusal::ByteOutOfRange { line, byte, line_bytes });
    assert_eq!(read("abc\nde", &ask(1, 3)).unwrap().content, "\nde");
    assert_eq!(read("abc\nde", &ask(1, 4)), past(1, 4, 4));
    assert_eq!(read("abc\nde", &ask(2, 2)), past(2, 2, 2));
    assert_eq!(read("abc\nde", &ask(2, u64::MAX)), past(2, u64::MAX, 2));
    assert_eq!(read("", &ask(1, 1)), past(1, 1, 0));
}

#[test]
fn r_read_7_tail_gives_the_last_lines_and_nothing_to_continue_with() {
    let tail = |lines| Request { span: Span::Tail(lines), ..everything(Format::Numbered) };
    let seen = |content, lines| Seen { content, lines, truncated: false, capped: false, next: None };
    check(TEN, &tail(2), &seen("     9\tl9\n    10\tl10", (9, 10)));
    check("a\r\nb", &tail(1), &seen("     2\tb", (2, 2)));
    check("a\nb\n", &tail(99), &seen("     1\ta\n     2\tb", (1, 2)));
    check(TEN, &tail(0), &seen("", (11, 10)));
    check("", &tail(5), &seen("", (1, 0)));
    let raw = Request { format: Format::Raw, ..tail(2) };
    check("a\r\nb\r\nc\r\n", &raw, &seen("b\r\nc\r\n", (2, 3)));
}

#[test]
fn r_read_7_a_tail_keeps_its_end_under_the_ceiling() {
    let tail =
        |max_bytes, format| Request { span: Span::Tail(3), max_bytes: Some(max_bytes), ..everything(format) };
    let seen = |content, lines, capped| Seen { content, lines, truncated: false, capped, next: None };
    let file = "one\ntwo\nthré\nfour\n";
    let two = "     3\tthré\n     4\tfour";
    let check = |ceiling, format, expected: &Seen<'_>| check(file, &tail(ceiling, format), expected);
    // The final newline counts, so 36 bytes are needed for the 35 of the three lines.
    check(36, Format::Numbered, &seen("     2\ttwo\n     3\tthré\n     4\tfour", (2, 4), false));
    check(35, Format::Numbered, &seen("     2\two\n     3\tthré\n     4\tfour", (2, 4), true));
    check(33, Format::Numbered, &seen(two, (3, 4), true));
    check(25, Format::Numbered, &seen(two, (3, 4), true));
    check(0, Format::Numbered, &seen("     4\tr", (4, 4), true));
    check(15, Format::Raw, &seen("two\nthré\nfour\n", (2, 4), false));
    check(14, Format::Raw, &seen("wo\nthré\nfour\n", (2, 4), true));
    check(8, Format::Raw, &seen("é\nfour\n", (3, 4), true));
    check(7, Format::Raw, &seen("\nfour\n", (3, 4), true));
    check(5, Format::Raw, &seen("four\n", (4, 4), true));
    check(0, Format::Raw, &seen("\n", (4, 4), true));
}

#[test]
fn r_read_6_an_empty_file_has_no_line_and_a_notice() {
    let page = read("", &lines(1, None)).unwrap();
    assert_eq!((page.content.as_str(), page.total_lines, page.truncated), ("", 0, false));
    assert_eq!((page.start_line, page.end_line, page.eol), (1, 0, Eol::None));
    assert_eq!(page.notice.unwrap(), "the file exists and is empty");
    assert_eq!(read("", &lines(2, None)), Err(Refusal::LineOutOfRange { line: 2, total_lines: 0 }));
}

#[test]
fn r_read_6_an_offset_past_the_end_is_out_of_range() {
    assert_eq!(read("a\nb\n", &lines(3, None)), Err(Refusal::LineOutOfRange { line: 3, total_lines: 2 }));
    assert_eq!(
        read("a\nb", &lines(u64::MAX, Some(5))),
        Err(Refusal::LineOutOfRange { line: u64::MAX, total_lines: 2 })
    );
}

#[test]
fn r_read_5_a_nul_near_the_start_makes_a_file_binary() {
    let refused = |bytes: &[u8]| read(bytes, &everything(Format::Raw));
    assert_eq!(refused(b"PK\x03\x04\0\0\xff\xfe"), Err(Refusal::Binary { size: 8 }));
    // An invalid byte before it does not hide what the file is.
    assert_eq!(refused(b"\x89PNG\0"), Err(Refusal::Binary { size: 5 }));
    let lossy = Request { encoding: Encoding::Lossy, ..everything(Format::Raw) };
    assert_eq!(read(b"a\0", &lossy), Err(Refusal::Binary { size: 2 }));
}

#[test]
fn r_read_8_an_invalid_byte_anywhere_refuses_the_file() {
    let refused = |bytes: &[u8], byte_offset| {
        let expected = Err(Refusal::NotUtf8 { byte_offset, encoding: None });
        assert_eq!(read(bytes, &lines(1, Some(1))), expected);
        assert_eq!(read(bytes, &Request { span: Span::Tail(1), ..lines(1, None) }), expected);
        // Also where no such line would be.
        assert_eq!(read(bytes, &lines(9, None)), expected);
    };
    refused(b"caf\xe9\nplain\n", 3);
    refused(b"a\nb\nc\xff", 5);
    refused(b"a\nb\n\xe4\xb8", 4);
    refused(b"\xef\xbb\xbfa\x80", 4);
}

#[test]
fn r_read_5_lossy_reading_shows_replacement_characters() {
    let lossy = Request { encoding: Encoding::Lossy, ..everything(Format::Raw) };
    let page = read(b"caf\xe9\n\xe4\xb8", &lossy).unwrap();
    assert_eq!((page.content.as_str(), page.lossy, page.total_bytes), ("caf\u{fffd}\n\u{fffd}", true, 7));
    assert_eq!(
        page.notice.unwrap(),
        "bytes that are not UTF-8 are shown as U+FFFD, so the file cannot be edited"
    );
    let page = read("valid", &lossy).unwrap();
    assert_eq!((page.lossy, page.notice), (false, None));
}

#[test]
fn r_read_5_lossy_lines_are_continued_in_bytes_as_shown() {
    let lossy = |byte| Request {
        span: from(1, byte, None),
        encoding: Encoding::Lossy,
        max_bytes: Some(4),
        ..everything(Format::Raw)
    };
    let page = read(b"a\xffbc", &lossy(0)).unwrap();
    assert_eq!((page.content.as_str(), page.next_byte), ("a\u{fffd}", Some(4)));
    assert_eq!(read(b"a\xffbc", &lossy(4)).unwrap().content, "bc");
}

#[test]
fn r_read_6_a_utf_16_mark_is_named_before_nuls_are_looked_for() {
    let expected = |name| Err(Refusal::NotUtf8 { byte_offset: 0, encoding: Some(name) });
    for encoding in [Encoding::Utf8, Encoding::Lossy] {
        let ask = Request { encoding, ..everything(Format::Raw) };
        assert_eq!(read(b"\xff\xfeh\0i\0", &ask), expected("UTF-16LE"));
        assert_eq!(read(b"\xfe\xff\0h\0i", &ask), expected("UTF-16BE"));
        assert_eq!(read(b"\xff\xfe", &ask), expected("UTF-16LE"));
    }
}

#[test]
fn r_read_8_a_utf_8_mark_is_not_part_of_line_one() {
    let file = "\u{feff}a\u{feff}\nb\n";
    let page = read(file, &everything(Format::Raw)).unwrap();
    assert_eq!((page.content.as_str(), page.bom, page.total_bytes), ("a\u{feff}\nb\n", true, 10));
    let second = Request { span: from(1, 1, Some(1)), ..everything(Format::Raw) };
    assert_eq!(read(file, &second).unwrap().content, "\u{feff}\n");
    let only = read("\u{feff}", &everything(Format::Numbered)).unwrap();
    assert_eq!((only.content.as_str(), only.total_lines, only.bom, only.total_bytes), ("", 0, true, 3));
    assert_eq!(only.notice.unwrap(), "the file exists and is empty apart from its byte order mark");
}

#[test]
fn r_read_4_the_hash_is_of_the_whole_file_whatever_is_shown() {
    let hash = "e24df29b6f00439da1eb22c30c8db873c8075e1892c5d4e3bed469618a1f91d2";
    for request in [
        lines(1, None),
        lines(1, Some(0)),
        lines(4, Some(1)),
        capped(Format::Raw, 3),
        Request { span: Span::Tail(1), ..lines(1, None) },
    ] {
        assert_eq!(read(TEN, &request).unwrap().hash, hash);
    }
}

#[test]
fn r_read_5_a_refusal_is_known_as_soon_as_it_is_certain() {
    let mut window = Window::new(everything(Format::Raw));
    window.push(b"caf\xe9 ");
    // There may be a NUL yet, which would be the better answer.
    assert!(!window.is_refused());
    window.push(&[b'a'; 8192]);
    assert!(window.is_refused());

    let mut window = Window::new(everything(Format::Raw));
    window.push(b"PK\x03\x04");
    assert!(!window.is_refused());
    window.push(b"\0");
    assert!(window.is_refused());
}
