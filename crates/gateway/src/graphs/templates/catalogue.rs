//! The templates that a team shares: files in a folder, or an index at an address (spec 5.1).
//!
//! Nothing in it is trusted: an entry that breaks a rule is shown with the reason, and the others stand. What is
//! read is bounded in number, bytes and time.

use super::template::{Template, object};
use crate::graphs::ops::stem;
use crate::outbound::{Refusal, permits};
use mcp::Target;
use model::{Address, Settings};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// What the ids of its entries begin with.
pub(super) const PREFIX: &str = "catalogue:";

/// The most entries.
const ENTRIES_MAX: usize = 500;

/// The most bytes of one document, and of all.
const BYTES_MAX: usize = 8 << 20;
const ALL_BYTES_MAX: usize = 32 << 20;

/// How long reading may take.
const TIME_MAX: Duration = Duration::from_secs(10);

/// For how long what came from an address is not asked for again.
const FRESH: Duration = Duration::from_secs(10);

/// The catalogue as it was last seen.
#[derive(Default)]
pub(crate) struct Catalogue(Mutex<Option<Seen>>);

struct Seen {
    address: String,
    at: Instant,
    documents: Documents,
}

/// What was read: the names of the entries, and their texts or why there are none.
type Documents = Arc<[(String, Result<String, String>)]>;

/// One template of the catalogue.
pub(super) struct Entry {
    pub(super) id: String,
    /// What it is called where it stands.
    pub(super) name: String,
    /// The template, or what is wrong with it.
    pub(super) template: Result<Template, String>,
}

impl Catalogue {
    /// Every entry. A catalogue that cannot be read has one, which says why.
    pub(super) async fn entries(&self, settings: &Settings, kinds: &[&str]) -> Vec<Entry> {
        let Some(place) = settings.templates.catalogue.as_deref() else { return Vec::new() };
        let reading = async {
            match place.contains("://") {
                true => self.remote(place, settings).await,
                false => folder(place).await,
            }
        };
        let late = || Err(format!("it could not be read within {} seconds", TIME_MAX.as_secs()));
        let documents = tokio::time::timeout(TIME_MAX, reading).await.unwrap_or_else(|_| late());
        match documents {
            Ok(documents) => entries(&documents, kinds),
            Err(reason) => {
                tracing::warn!(reason, "the catalogue of templates cannot be read");
                let reason = format!("the catalogue cannot be read: {reason}");
                vec![Entry { id: PREFIX.into(), name: "Catalogue".into(), template: Err(reason) }]
            }
        }
    }

    async fn remote(&self, address: &str, settings: &Settings) -> Result<Documents, String> {
        let allowed = permits(&settings.outbound.allow, address);
        let reach = allowed.map_err(|refusal| format!("templates.catalogue {refusal}"))?;
        let mut seen = self.0.lock().await;
        if let Some(seen) = seen.as_ref().filter(|seen| seen.address == address && seen.at.elapsed() < FRESH)
        {
            return Ok(Arc::clone(&seen.documents));
        }
        let target = Target {
            address: Address::parse(address).map_err(|rule| Refusal::Url(rule).to_string())?,
            headers: Vec::new(),
            admits: reach.admits(),
            tokens: None,
        };
        let documents: Documents = index(&target).await?.into();
        *seen =
            Some(Seen { address: address.to_owned(), at: Instant::now(), documents: Arc::clone(&documents) });
        Ok(documents)
    }
}

/// What the documents are, each with an id of its own.
fn entries(documents: &Documents, kinds: &[&str]) -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::with_capacity(documents.len());
    for (name, text) in documents.iter() {
        let plain = format!("{PREFIX}{}", stem(name, "template"));
        let taken = |id: &String| all.iter().any(|entry| entry.id == *id);
        let numbered = (2..).map(|n| format!("{plain}-{n}"));
        let id = std::iter::once(plain.clone()).chain(numbered).find(|id| !taken(id)).unwrap_or_default();
        let template = text.clone().and_then(|text| {
            let body = object(&text).map_err(|fault| fault.message)?;
            Template::parse(&body, kinds).map_err(|fault| fault.message)
        });
        all.push(Entry { id, name: name.clone(), template });
    }
    all
}

async fn folder(place: &str) -> Result<Documents, String> {
    let place = place.to_owned();
    let reading = tokio::task::spawn_blocking(move || read_folder(Path::new(&place)));
    reading.await.map_err(|error| error.to_string())?
}

/// The files of a folder, in the order of their names.
fn read_folder(folder: &Path) -> Result<Documents, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("templates.catalogue: {error}"))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|word| word == "json"));
    files.sort();
    if files.len() > ENTRIES_MAX {
        return Err(format!("it has {} files; at most {ENTRIES_MAX} are read", files.len()));
    }
    let mut left = ALL_BYTES_MAX;
    let document = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".template").unwrap_or(&name).to_owned();
        let text = read_file(path, left.min(BYTES_MAX));
        left -= text.as_ref().map_or(0, String::len);
        (name, text)
    };
    Ok(files.iter().map(document).collect())
}

fn read_file(path: &Path, limit: usize) -> Result<String, String> {
    let facts = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !facts.is_file() {
        return Err("it is not a file".into());
    }
    if facts.len() > limit as u64 {
        return Err(format!("it has {} bytes, which is more than the {limit} that are read", facts.len()));
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

/// The documents of an index: a list, or an object with `templates`, of whole templates or of `{"url": …}`.
async fn index(target: &Target) -> Result<Vec<(String, Result<String, String>)>, String> {
    let bytes = mcp::fetch(target, BYTES_MAX).await.map_err(|error| error.to_string())?;
    let index: Value = serde_json::from_slice(&bytes).map_err(|error| format!("it is not JSON: {error}"))?;
    let list = index.get("templates").unwrap_or(&index).as_array();
    let list = list.ok_or("it is neither a list of templates nor an object with such a list in templates")?;
    if list.len() > ENTRIES_MAX {
        return Err(format!("it has {} entries; at most {ENTRIES_MAX} are read", list.len()));
    }
    let mut left = ALL_BYTES_MAX - bytes.len();
    let mut documents = Vec::with_capacity(list.len());
    for (number, entry) in list.iter().enumerate() {
        let name = entry
            .get("name")
            .and_then(Value::as_str)
            .map_or_else(|| format!("{}", number + 1), str::to_owned);
        let text = match entry.as_object().and_then(linked) {
            None => Ok(entry.to_string()),
            Some(url) => follow(target, url, left.min(BYTES_MAX)).await,
        };
        left -= text.as_ref().map_or(0, String::len).min(left);
        documents.push((name, text));
    }
    Ok(documents)
}

/// The address in an entry that is no template itself.
fn linked(entry: &Map<String, Value>) -> Option<&str> {
    entry.get("url").filter(|_| !entry.contains_key("workflow"))?.as_str()
}

async fn follow(target: &Target, url: &str, limit: usize) -> Result<String, String> {
    let address = target.address.join(url).ok_or("its url must lead to the origin of the catalogue")?;
    let bytes = mcp::fetch(&Target { address, ..target.clone() }, limit).await;
    let bytes = bytes.map_err(|error| error.to_string())?;
    String::from_utf8(bytes.into()).map_err(|_| "it is not UTF-8".into())
}
