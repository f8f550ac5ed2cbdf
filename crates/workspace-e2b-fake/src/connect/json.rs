//! Bytes in JSON, as protobuf has them.

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};

/// Bytes as text: the standard alphabet, padded.
pub(crate) fn base64_of(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Text as bytes: either alphabet, padded or not.
pub(crate) fn bytes_of(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let standard = text.replace('-', "+").replace('_', "/");
    GeneralPurpose::new(&alphabet::STANDARD, LENIENT).decode(standard).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_in_every_form_and_written_in_one() {
        for text in ["+/8=", "-_8=", "+/8", "-_8"] {
            assert_eq!(bytes_of(text).as_deref(), Some(&[0xfb, 0xff][..]), "{text}");
        }
        assert_eq!(bytes_of("a*b"), None);
        assert_eq!(base64_of(&[0xfb, 0xff]), "+/8=");
    }
}
