//! The visible part of what `xargs` runs.

use super::{Followed, Inner, options};
use crate::syntax::Arg;
use crate::tables::wrappers::XARGS;

pub(super) fn follow(args: &[Arg]) -> Followed {
    let mut followed = Followed::default();
    let (given, at) = match options::read(XARGS, false, args, 1) {
        Ok(read) => read,
        Err(at) => {
            let (span, word) = args.get(at).map_or((0..0, ""), |arg| (arg.span.clone(), arg.shown()));
            let message =
                format!("`xargs … {word}` is not understood, so the command that it runs is not known");
            followed.inner = Inner::Hidden(span, message);
            return followed;
        }
    };
    let mut replaced: Option<String> = None;
    for option in given {
        match option.option.short {
            'I' => replaced = Some(option.value.unwrap_or_default().to_owned()),
            'i' => replaced = Some(option.value.unwrap_or("{}").to_owned()),
            'a' => followed.inputs.push((option.value.map(str::to_owned), option.span)),
            _ => {}
        }
    }
    let Some(program) = args.get(at) else {
        followed.inner = Inner::Echo;
        return followed;
    };
    // With an empty text to replace, anything may be put anywhere.
    let from_input =
        replaced.as_deref().is_some_and(|text| text.is_empty() || program.shown().contains(text));
    followed.inner = if from_input {
        Inner::Hidden(program.span.clone(), "`xargs` takes the program itself from its input".to_owned())
    } else {
        Inner::WithInput(at..args.len(), replaced)
    };
    followed
}
