//! Files of the workspace as resources: `workspace:///src/main.rs`.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use tokio_util::sync::CancellationToken;
use workspace_tools::{ToolError, ToolErrorKind, ToolName, ToolSet};

use super::answer::text_of;

const SCHEME: &str = "workspace://";

/// How many files a page lists.
const PAGE: usize = 200;

/// How many files are listed at all; any other is reached by the template.
const MOST: usize = 2000;

/// What stays as it is in a URI, beside letters and digits.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~').remove(b'@');

/// Whether files are offered: a client that may not call `read_file` reads none either.
pub(super) fn are_offered(tools: &ToolSet) -> bool {
    vends(tools, ToolName::ReadFile)
}

fn vends(tools: &ToolSet, name: ToolName) -> bool {
    tools.workspace().tools().contains(&name)
}

/// A page of the list of files, in the order of their paths. It is empty where `glob` is not vended.
pub(super) async fn list(
    tools: &ToolSet,
    cursor: Option<&str>,
    cancel: &CancellationToken,
) -> Result<ListResourcesResult, ErrorData> {
    if !vends(tools, ToolName::Glob) {
        return Ok(ListResourcesResult::default());
    }
    let after = cursor.map(place_of).transpose()?;
    let workspace = tools.workspace().with_cancel(cancel.clone());
    let names = workspace.file_names(MOST).await.map_err(|error| told(&error, None))?.paths;
    // The list may have changed since the last page; what comes after its last file does still.
    let from = match &after {
        Some(after) => names.iter().position(|name| comes_after(name, after)).unwrap_or(names.len()),
        None => 0,
    };
    let page = &names[from..names.len().min(from + PAGE)];
    let mut result = ListResourcesResult::with_all_items(page.iter().map(|path| resource(path)).collect());
    if from + page.len() < names.len() {
        result.next_cursor = page.last().map(|last| URL_SAFE_NO_PAD.encode(last));
    }
    Ok(result)
}

/// The order of paths: component by component.
fn comes_after(path: &str, last: &str) -> bool {
    path.split('/').gt(last.split('/'))
}

/// The last file of the page before, from a cursor that was given out here.
fn place_of(cursor: &str) -> Result<String, ErrorData> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok();
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| ErrorData::invalid_params("the cursor was not given out by this server", None))
}

fn resource(path: &str) -> Resource {
    Resource::new(uri_of(path), path)
}

fn uri_of(path: &str) -> String {
    format!("{SCHEME}/{}", utf8_percent_encode(path, ENCODED))
}

/// How any file is reached, listed or not.
pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(format!("{SCHEME}/{{+path}}"), "file")
        .with_title("A file of the workspace")
        .with_description(
            "`path` is relative to the root, with `/`; percent-encode what is no letter or digit.",
        );
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// The content of a file: text where it is UTF-8, else a blob.
pub(super) async fn read(
    tools: &ToolSet,
    uri: &str,
    cancel: &CancellationToken,
) -> Result<ReadResourceResult, ErrorData> {
    let path = path_of(uri)?;
    let workspace = tools.workspace().with_cancel(cancel.clone());
    let bytes = workspace.file_bytes(&path).await.map_err(|error| told(&error, Some(uri)))?;
    let content = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri),
        Ok(text) => blob(text.as_bytes(), uri),
        Err(error) => blob(error.as_bytes(), uri),
    };
    Ok(ReadResourceResult::new(vec![content]))
}

fn blob(bytes: &[u8], uri: &str) -> ResourceContents {
    ResourceContents::blob(STANDARD.encode(bytes), uri).with_mime_type("application/octet-stream")
}

/// The path that a URI names. Whether it may be read is for the rules of paths to say.
fn path_of(uri: &str) -> Result<String, ErrorData> {
    let message =
        |why: &str| format!("`{uri}` {why}; the URI of a file is such as {}", uri_of("src/main.rs"));
    let data = || Some(serde_json::json!({"uri": uri}));
    let wrong = |why| ErrorData::invalid_params(message(why), data());
    let rest = uri
        .strip_prefix(SCHEME)
        .ok_or_else(|| ErrorData::resource_not_found(message("is not of this workspace"), data()))?;
    if rest.contains(['?', '#']) {
        return Err(wrong("has a query or a fragment (`?` is %3F, `#` is %23)"));
    }
    // With two slashes the first name stands where a host would.
    let path = rest.strip_prefix('/').unwrap_or(rest);
    let path = percent_decode_str(path).decode_utf8().map_err(|_| wrong("is not UTF-8 when decoded"))?;
    Ok(path.into_owned())
}

fn told(error: &ToolError, uri: Option<&str>) -> ErrorData {
    let data = serde_json::json!({"uri": uri, "error": error.to_value("read_file")});
    match error.kind() {
        ToolErrorKind::NotFound => ErrorData::resource_not_found(text_of(error), Some(data)),
        _ => ErrorData::invalid_params(text_of(error), Some(data)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn round_trip(path: &str, uri: &str) {
        assert_eq!((uri_of(path).as_str(), path_of(uri).unwrap().as_str()), (uri, path));
    }

    #[test]
    fn a_path_becomes_a_uri_and_a_path_again() {
        round_trip("src/main.rs", "workspace:///src/main.rs");
        round_trip("@docs/a b.txt", "workspace:///@docs/a%20b.txt");
        round_trip("é/100%?#&.md", "workspace:///%C3%A9/100%25%3F%23%26.md");
        assert_eq!(path_of("workspace://src/main.rs").unwrap(), "src/main.rs");
        assert_eq!(path_of("workspace:////etc/passwd").unwrap(), "/etc/passwd");
        for wrong in ["file:///a", "workspace:/a", "workspace:///a?b", "workspace:///a#b", "workspace:///%ff"]
        {
            assert!(path_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pages_follow_the_order_of_paths() {
        for (path, last, after) in
            [("a/b", "a", true), ("a-b", "a/b", true), ("a/b", "a-b", false), ("a", "a", false)]
        {
            assert_eq!(comes_after(path, last), after, "{path} after {last}");
        }
    }
}
