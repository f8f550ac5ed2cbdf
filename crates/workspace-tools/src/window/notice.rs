//! The sentence that tells a reader what a page leaves out and how to go on.

use super::excerpt::{Excerpt, Layout, Start};
use super::request::{Request, Span};

/// What a notice is made from.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) request: &'a Request,
    pub(super) excerpt: &'a Excerpt,
    pub(super) total_lines: u64,
    pub(super) bom: bool,
    pub(super) lossy: bool,
}

impl Facts<'_> {
    /// The notice of a page; `None` when its fields cannot mislead.
    pub(super) fn notice(&self) -> Option<String> {
        let mut notes = Vec::new();
        if self.total_lines == 0 {
            let apart = if self.bom { " apart from its byte order mark" } else { "" };
            notes.push(format!("the file exists and is empty{apart}"));
        }
        notes.extend(self.extent());
        notes.extend(self.continuation());
        if self.lossy {
            let note = "bytes that are not UTF-8 are shown as U+FFFD, so the file cannot be edited";
            notes.push(note.to_owned());
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// The lines shown, when the file goes on, something asked for is missing, or a
    /// line is not shown from its start.
    fn extent(&self) -> Option<String> {
        let Excerpt { start_line, start, end_line, next, capped, .. } = *self.excerpt;
        if next.is_none() && !capped && start == Start::Line {
            return None;
        }
        let total = self.total_lines;
        if end_line < start_line {
            return Some(format!("none of {total} lines shown"));
        }
        let layout = Layout::of(self.request);
        let (first, last) = (layout.number(start_line), layout.number(end_line));
        let single = first == last;
        let mut parts = vec![if single {
            format!("line {first} of {total} shown")
        } else {
            format!("lines {first}-{last} of {total} shown")
        }];
        let of_line = |line| if single { String::new() } else { format!("line {line} ") };
        match start {
            Start::Line => {}
            Start::Byte(byte) => parts.push(format!("{}from byte {byte} on", of_line(first))),
            Start::Inside => parts.push(format!("{}without its start", of_line(first))),
        }
        let cut = next.and_then(|next| next.byte);
        if let Some(byte) = cut {
            parts.push(format!("{}up to byte {byte}", of_line(last)));
        }
        if let Some(ceiling) = self.request.max_bytes.filter(|_| capped) {
            parts.push(if single && (cut.is_some() || start == Start::Inside) {
                format!("as it is longer than the ceiling of {ceiling} bytes")
            } else {
                format!("to keep to the ceiling of {ceiling} bytes")
            });
        }
        Some(parts.join(", "))
    }

    /// What to ask for next.
    fn continuation(&self) -> Option<String> {
        let layout = Layout::of(self.request);
        match (self.excerpt.next, self.request.span) {
            (Some(next), _) => {
                let line = layout.number(next.line);
                let byte = next.byte.map(|byte| format!(" and byte {byte}")).unwrap_or_default();
                Some(format!("continue with offset {line}{byte}"))
            }
            (None, Span::Tail(lines)) if self.excerpt.capped => {
                let first = layout.number(self.total_lines.saturating_sub(lines) + 1);
                Some(format!("read what is missing with offset {first}"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::excerpt::Next;
    use crate::window::request::{Encoding, Format};

    fn request(span: Span) -> Request {
        Request {
            span,
            format: Format::Numbered,
            max_bytes: Some(1003),
            encoding: Encoding::Utf8,
            first_number: 1,
        }
    }

    fn excerpt(start_line: u64, end_line: u64, next: Option<(u64, Option<u64>)>) -> Excerpt {
        Excerpt {
            content: String::new(),
            start_line,
            start: Start::Line,
            end_line,
            next: next.map(|(line, byte)| Next { line, byte }),
            capped: false,
        }
    }

    #[track_caller]
    fn check(request: &Request, excerpt: &Excerpt, total_lines: u64, expected: Option<&str>) {
        let facts = Facts { request, excerpt, total_lines, bom: false, lossy: false };
        assert_eq!(facts.notice().as_deref(), expected);
    }

    const FROM: Span = Span::From { line: 1, byte: 0, limit: None };

    #[test]
    fn r_read_3_a_page_with_more_after_it_says_where_to_go_on() {
        let ask = request(FROM);
        check(&ask, &excerpt(1, 10, None), 10, None);
        check(
            &ask,
            &excerpt(1, 2000, Some((2001, None))),
            5300,
            Some("lines 1-2000 of 5300 shown; continue with offset 2001"),
        );
        check(&ask, &excerpt(7, 7, Some((8, None))), 10, Some("line 7 of 10 shown; continue with offset 8"));
        check(
            &ask,
            &excerpt(1, 0, Some((1, None))),
            10,
            Some("none of 10 lines shown; continue with offset 1"),
        );
        check(
            &Request { first_number: 0, ..request(FROM) },
            &excerpt(1, 2, Some((3, Some(4)))),
            5,
            Some("lines 0-1 of 5 shown, line 1 up to byte 4; continue with offset 2 and byte 4"),
        );
    }

    #[test]
    fn r_read_3_a_page_cut_by_the_ceiling_says_so() {
        let ask = request(FROM);
        check(
            &ask,
            &Excerpt { capped: true, ..excerpt(1, 90, Some((91, None))) },
            200,
            Some(
                "lines 1-90 of 200 shown, to keep to the ceiling of 1003 bytes; \
                 continue with offset 91",
            ),
        );
        check(
            &ask,
            &Excerpt { capped: true, ..excerpt(1, 9, Some((9, Some(12)))) },
            20,
            Some(
                "lines 1-9 of 20 shown, line 9 up to byte 12, to keep to the ceiling of \
                 1003 bytes; continue with offset 9 and byte 12",
            ),
        );
        let cut = Excerpt { capped: true, ..excerpt(3, 3, Some((3, Some(1992)))) };
        check(
            &ask,
            &cut,
            20,
            Some(
                "line 3 of 20 shown, up to byte 1992, as it is longer than the ceiling of \
                 1003 bytes; continue with offset 3 and byte 1992",
            ),
        );
        check(
            &ask,
            &Excerpt { start: Start::Byte(996), ..cut },
            20,
            Some(
                "line 3 of 20 shown, from byte 996 on, up to byte 1992, as it is longer than \
                 the ceiling of 1003 bytes; continue with offset 3 and byte 1992",
            ),
        );
    }

    #[test]
    fn r_read_7_a_page_that_begins_inside_a_line_says_so() {
        check(
            &request(FROM),
            &Excerpt { start: Start::Byte(996), ..excerpt(3, 3, None) },
            3,
            Some("line 3 of 3 shown, from byte 996 on"),
        );
        check(
            &request(FROM),
            &Excerpt { start: Start::Byte(996), ..excerpt(3, 8, Some((9, None))) },
            20,
            Some("lines 3-8 of 20 shown, line 3 from byte 996 on; continue with offset 9"),
        );
    }

    #[test]
    fn r_read_7_a_capped_tail_says_what_is_missing() {
        let ask = request(Span::Tail(50));
        check(&ask, &excerpt(151, 200, None), 200, None);
        check(
            &ask,
            &Excerpt { capped: true, ..excerpt(195, 200, None) },
            200,
            Some(
                "lines 195-200 of 200 shown, to keep to the ceiling of 1003 bytes; \
                 read what is missing with offset 151",
            ),
        );
        check(
            &ask,
            &Excerpt { capped: true, start: Start::Inside, ..excerpt(195, 200, None) },
            200,
            Some(
                "lines 195-200 of 200 shown, line 195 without its start, to keep to the ceiling \
                 of 1003 bytes; read what is missing with offset 151",
            ),
        );
        check(
            &request(Span::Tail(1)),
            &Excerpt { capped: true, start: Start::Inside, ..excerpt(200, 200, None) },
            200,
            Some(
                "line 200 of 200 shown, without its start, as it is longer than the ceiling of \
                 1003 bytes; read what is missing with offset 200",
            ),
        );
    }

    #[test]
    fn r_read_6_an_empty_file_is_said_to_exist() {
        let (ask, none) = (request(FROM), excerpt(1, 0, None));
        let facts = Facts { request: &ask, excerpt: &none, total_lines: 0, bom: false, lossy: false };
        assert_eq!(facts.notice().as_deref(), Some("the file exists and is empty"));
        assert_eq!(
            Facts { bom: true, ..facts }.notice().as_deref(),
            Some("the file exists and is empty apart from its byte order mark")
        );
    }

    #[test]
    fn r_read_5_replacement_characters_are_explained() {
        let (ask, page) = (request(FROM), excerpt(1, 2, Some((3, None))));
        let facts = Facts { request: &ask, excerpt: &page, total_lines: 5, bom: false, lossy: true };
        assert_eq!(
            facts.notice().as_deref(),
            Some(
                "lines 1-2 of 5 shown; continue with offset 3; \
                 bytes that are not UTF-8 are shown as U+FFFD, so the file cannot be edited"
            )
        );
    }
}
