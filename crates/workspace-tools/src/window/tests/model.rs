//! The rules once more, as plainly as can be: with the whole file in memory and one
//! character at a time. Whatever the file, the request and the chunks, a window gives
//! what this gives.

use proptest::prelude::*;

use super::*;

/// What of a page depends on the request.
#[derive(Debug, Default, PartialEq, Eq)]
struct Cut {
    content: String,
    start_line: u64,
    end_line: u64,
    bytes_capped: bool,
    next: Option<(u64, Option<u64>)>,
}

struct Model<'a> {
    lines: Vec<&'a str>,
    request: &'a Request,
    ceiling: usize,
}

impl<'a> Model<'a> {
    fn new(text: &'a str, request: &'a Request) -> Self {
        Self {
            lines: text.split_inclusive('\n').collect(),
            request,
            ceiling: request.max_bytes.unwrap_or(usize::MAX),
        }
    }

    fn total(&self) -> u64 {
        self.lines.len() as u64
    }

    fn line(&self, line: u64) -> &'a str {
        self.lines[usize::try_from(line - 1).unwrap()]
    }

    fn prefix(&self, line: u64) -> String {
        match self.request.format {
            Format::Raw => String::new(),
            Format::Numbered => format!("{:6}\t", line - 1 + self.request.first_number),
        }
    }

    fn visible(&self, line: u64) -> &'a str {
        let whole = self.line(line);
        match self.request.format {
            Format::Raw => whole,
            Format::Numbered => whole.strip_suffix("\r\n").or(whole.strip_suffix('\n')).unwrap_or(whole),
        }
    }

    fn hidden_final_newline(&self, line: u64) -> usize {
        let hidden = self.request.format == Format::Numbered
            && line == self.total()
            && self.line(line).ends_with('\n');
        usize::from(hidden)
    }

    fn newline_between(&self, content: &str) -> &'static str {
        if self.request.format == Format::Numbered && !content.is_empty() { "\n" } else { "" }
    }

    fn from(&self, first: u64, byte: u64, limit: Option<u64>) -> Result<Cut, Refusal> {
        let first = first.max(1);
        let total = self.total();
        if first > total.max(1) {
            return Err(Refusal::LineOutOfRange { line: first, total_lines: total });
        }
        let line_bytes = if total == 0 { 0 } else { self.line(first).len() as u64 };
        if limit != Some(0) && byte > 0 && byte >= line_bytes {
            return Err(Refusal::ByteOutOfRange { line: first, byte, line_bytes });
        }
        let mut cut = Cut { start_line: first, end_line: first - 1, ..Cut::default() };
        if limit == Some(0) {
            cut.next = (total > 0).then_some((first, (byte > 0).then_some(byte)));
            return Ok(cut);
        }
        let last = limit.map_or(total, |limit| total.min(first - 1 + limit));
        for line in first..=last {
            let visible = self.visible(line);
            let mut skip = if line == first { usize::try_from(byte).unwrap() } else { 0 };
            while !self.line(line).is_char_boundary(skip) {
                skip -= 1;
            }
            let rest = visible.get(skip..).unwrap_or_default();
            let forced = usize::from(cut.content.is_empty());

            let mut written = format!("{}{}", self.newline_between(&cut.content), self.prefix(line));
            let fits = |text: &str| cut.content.len() + text.len() <= self.ceiling;
            let mut shown = 0;
            for (index, character) in rest.chars().enumerate() {
                let longer = format!("{written}{character}");
                if !fits(&longer) && index >= forced {
                    break;
                }
                written = longer;
                shown += character.len_utf8();
            }
            let whole = shown == rest.len() && (shown > 0 || forced > 0 || fits(&written));
            let newline = self.hidden_final_newline(line);
            let newline_fits =
                newline == 0 || shown == 0 || cut.content.len() + written.len() + newline <= self.ceiling;
            if whole || shown > 0 {
                cut.content.push_str(&written);
                cut.end_line = line;
            }
            if !whole || !newline_fits {
                cut.bytes_capped = true;
                cut.next = Some((line, (shown > 0).then_some((skip + shown) as u64)));
                return Ok(cut);
            }
        }
        cut.next = (last < total).then_some((last + 1, None));
        Ok(cut)
    }

    fn tail(&self, lines: u64) -> Cut {
        let total = self.total();
        let lines = lines.min(total);
        let mut cut = Cut { start_line: total + 1, end_line: total, ..Cut::default() };
        for line in (total + 1 - lines..=total).rev() {
            let visible = self.visible(line);
            let reserved = if total == 0 { 0 } else { self.hidden_final_newline(total) };
            let forced = cut.content.is_empty();
            let around = format!("{}{}", self.prefix(line), self.newline_between(&cut.content));
            let fits = |text: &str| around.len() + text.len() + cut.content.len() + reserved <= self.ceiling;
            let mut suffixes: Vec<usize> = visible.char_indices().map(|(at, _)| at).collect();
            suffixes.push(visible.len());
            let mut at = suffixes.iter().copied().find(|&at| fits(&visible[at..]));
            if !visible.is_empty() && at == Some(visible.len()) {
                at = None;
            }
            if forced && at.is_none() {
                at = Some(suffixes.iter().rev().nth(1).copied().unwrap_or(0));
            }
            if let Some(at) = at {
                let newline = self.newline_between(&cut.content);
                cut.content = format!("{}{}{newline}{}", self.prefix(line), &visible[at..], cut.content);
                cut.start_line = line;
            }
            if at != Some(0) {
                cut.bytes_capped = true;
                break;
            }
        }
        cut
    }
}

/// The page of a valid UTF-8 file, without notice and hash.
fn model(file: &str, request: &Request) -> Result<Page, Refusal> {
    let text = file.strip_prefix('\u{feff}').unwrap_or(file);
    let model = Model::new(text, request);
    let cut = match request.span {
        Span::From { line, byte, limit } => model.from(line, byte, limit)?,
        Span::Tail(lines) => model.tail(lines),
    };
    let crlf = model.lines.iter().filter(|line| line.ends_with("\r\n")).count();
    let lf = model.lines.iter().filter(|line| line.ends_with('\n')).count() - crlf;
    Ok(Page {
        content: cut.content,
        start_line: cut.start_line,
        end_line: cut.end_line,
        total_lines: model.total(),
        total_bytes: file.len() as u64,
        truncated: cut.next.is_some(),
        bytes_capped: cut.bytes_capped,
        next_offset: cut.next.map(|(line, _)| line),
        next_byte: cut.next.and_then(|(_, byte)| byte),
        hash: String::new(),
        eol: match (lf, crlf) {
            (0, 0) => Eol::None,
            (_, 0) => Eol::Lf,
            (0, _) => Eol::Crlf,
            _ => Eol::Mixed,
        },
        bom: text.len() < file.len(),
        lossy: false,
        notice: None,
    })
}

/// Text files with everything that is awkward about lines.
pub(super) fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just("\n"),
        2 => Just("\r\n"),
        1 => Just("\r"),
        1 => Just("\u{feff}"),
        2 => Just("a"),
        2 => Just("word word"),
        2 => Just("é"),
        2 => Just("中文"),
        2 => Just("🦊"),
    ];
    (any::<bool>(), prop::collection::vec(piece, 0..30)).prop_map(|(bom, pieces)| {
        let mark = if bom { "\u{feff}" } else { "" };
        format!("{mark}{}", pieces.concat())
    })
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        3 => (0..8_u64, prop_oneof![3 => Just(0), 1 => 0..30_u64], prop::option::of(0..8_u64))
            .prop_map(|(line, byte, limit)| Span::From { line, byte, limit }),
        1 => (0..8_u64).prop_map(Span::Tail),
    ]
}

pub(super) fn format() -> impl Strategy<Value = Format> {
    prop_oneof![Just(Format::Numbered), Just(Format::Raw)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn r_read_2_every_page_is_that_of_the_plain_model(
        file in text(),
        span in span(),
        format in format(),
        max_bytes in prop::option::of(0..80_usize),
        first_number in 0..2_u64,
        chunk in 1..12_usize,
    ) {
        let request =
            Request { span, max_bytes, first_number, ..everything(format) };
        let page = read_in_chunks(file.as_bytes(), chunk, &request)
            .map(|page| Page { hash: String::new(), notice: None, ..page });
        prop_assert_eq!(page, model(&file, &request));
    }
}
