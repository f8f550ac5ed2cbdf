//! A text that is long and grows, in blocks: no block is ever copied to grow or to be read.

use std::sync::Arc;

use workspace_core::Body;

/// Bytes of a block.
const BLOCK: usize = 64 << 10;

/// A text in blocks, all of them full but the last.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    blocks: Vec<Arc<Vec<u8>>>,
    length: usize,
}

impl Text {
    /// How many bytes it has.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Adds to its end.
    pub(super) fn append(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len();
        while !bytes.is_empty() {
            let room = match self.blocks.last() {
                Some(block) if block.len() < BLOCK => BLOCK - block.len(),
                _ => {
                    self.blocks.push(Arc::default());
                    BLOCK
                }
            };
            let (fits, rest) = bytes.split_at(room.min(bytes.len()));
            if let Some(block) = self.blocks.last_mut() {
                Arc::make_mut(block).extend_from_slice(fits);
            }
            bytes = rest;
        }
    }

    /// Its bytes from `offset` on, at most so many.
    pub(super) fn window(&self, offset: u64, length: Option<u64>) -> Body {
        let clamp = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).min(self.length);
        let start = clamp(offset);
        let end = length.map_or(self.length, |length| clamp(offset.saturating_add(length)));
        let mut blocks = self.blocks.clone().into_iter().enumerate().skip(start / BLOCK);
        Body::from_poll_fn(move |_| {
            let part = blocks.next().map(|(number, block)| {
                let first = number * BLOCK;
                let range = start.saturating_sub(first)..end.saturating_sub(first).min(block.len());
                block.get(range).map(<[u8]>::to_vec).unwrap_or_default()
            });
            std::task::Poll::Ready(part.filter(|part| !part.is_empty()).map(Ok))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn any_window_gives_what_was_appended() {
        let bytes: Vec<u8> = (0..=250).cycle().take(3 * BLOCK + 17).collect();
        let mut text = Text::default();
        for part in bytes.chunks(10_007) {
            text.append(part);
        }
        assert_eq!(text.length(), bytes.len());
        for (offset, length) in [
            (0, None),
            (0, Some(0)),
            (0, Some(BLOCK)),
            (5, Some(BLOCK)),
            (BLOCK - 1, Some(2)),
            (BLOCK, Some(BLOCK)),
            (2 * BLOCK + 3, None),
            (bytes.len() - 1, Some(9)),
            (bytes.len(), None),
            (bytes.len() + 9, Some(9)),
        ] {
            let expected: Vec<u8> =
                bytes.iter().copied().skip(offset).take(length.unwrap_or(usize::MAX)).collect();
            let window = text.window(offset as u64, length.map(|length| length as u64));
            assert_eq!(window.collect(1 << 20).await.unwrap(), expected, "{offset} {length:?}");
        }
        assert_eq!(text.window(u64::MAX, Some(u64::MAX)).collect(9).await.unwrap(), b"");
    }
}
