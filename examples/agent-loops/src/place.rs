//! Where a model is to be had.

/// A server that speaks Chat Completions, and the name of a model there.
#[derive(Clone, PartialEq, Eq)]
pub struct Place {
    /// The address before `/chat/completions`, as in `http://localhost:11434/v1`.
    pub url: String,
    /// The name of the model.
    pub model: String,
    /// What the server knows its caller by. Many servers of one's own machine take anything.
    pub key: String,
}

impl Place {
    /// The place that the words behind a program name, if they name one: the address and the model.
    /// The key is in the variable `OPENAI_API_KEY`.
    pub fn of_the_command_line() -> Option<Self> {
        let mut words = std::env::args().skip(1);
        let (url, model) = (words.next()?, words.next()?);
        let key = std::env::var("OPENAI_API_KEY").unwrap_or_default();
        Some(Self { url: url.trim_end_matches('/').to_owned(), model, key })
    }
}
