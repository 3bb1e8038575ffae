//! `[web]`: where the pages are served, who may see them, and under which names. The token itself is read when it is
//! needed, like all secrets.

use std::net::SocketAddr;
use std::path::Path;

use crate::config::WebConfig;
use crate::config::file::discover::LoadRequest;
use crate::config::file::key_reader::Reader;
use crate::config::keys::Section;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::names::variable_name;
use crate::config::values::paths::plain_path;
use crate::config::values::scalars::{flag, text, texts};
use crate::config::values::value::{Table, Value};
use crate::model::SecretSource;

/// The most host names that the pages may be given.
const MOST_HOSTS: usize = 50;

/// Reads the section.
pub(in crate::config) fn read(
    table: &Table,
    dir: &Path,
    request: &LoadRequest<'_>,
    mistakes: &mut Mistakes<'_>,
) -> Option<WebConfig> {
    let reader = Reader { section: Section::Web, tables: &[table] };
    let listen = match reader.written("listen") {
        None => Some(None),
        Some(_) => reader.read(mistakes, "listen", listen).map(Some),
    };
    let variable = reader.read(mistakes, "token_env", variable_name);
    let file = match reader.written("token_file") {
        None if table.was_written("token_file") => None,
        None => Some(None),
        Some(_) => {
            let path = reader.read(mistakes, "token_file", plain_path);
            path.map(|path| Some(dir.join(path)))
        }
    };
    let hosts = reader.read(mistakes, "hosts", hosts);
    let https = reader.read(mistakes, "https", flag);
    let edit = match reader.written("edit") {
        None => Some(None),
        Some(_) => reader.read(mistakes, "edit", flag).map(Some),
    };
    // Read all keys before returning, to find every mistake at once.
    let (listen, variable, file) = (listen?, variable?, file?);
    let set = |name: &str| (request.env)(name).is_some_and(|value| !value.is_empty());
    let token = if set(&variable) || set(&format!("{variable}_FILE")) {
        SecretSource { variable: Some(variable.clone()), file: None }
    } else {
        SecretSource { variable: None, file }
    };
    if let (Some(at), Some(setting), true) = (listen, reader.written("listen"), token.is_none())
        && !at.ip().is_loopback()
    {
        let fault = Fault::new(
            "would show everything to anyone who can reach this machine: no token is set",
            format!("export {variable}='…' (16 characters or more), set `token_file`, or listen on 127.0.0.1"),
        );
        mistakes.fault("listen", &setting.origin, fault);
        return None;
    }
    Some(WebConfig { listen, token, hosts: hosts?, https: https?, edit: edit? })
}

fn listen(value: &Value) -> Result<SocketAddr, Fault> {
    let text = text(value)?;
    text.parse().map_err(|_| {
        let hint = "write an address and a port: \"127.0.0.1:8080\", \"[::1]:8080\", or port 0 for a free one";
        Fault::new(format!("cannot be {text:?}"), hint)
    })
}

fn hosts(value: &Value) -> Result<Vec<String>, Fault> {
    const HINT: &str = "write only names, such as [\"watch.example.com\"]: no scheme, no port, no *";
    let hosts = match value {
        Value::Text(list) if list.split(',').count() > MOST_HOSTS => {
            let many = list.split(',').count();
            return Err(Fault::new(format!("has {many} entries, at most {MOST_HOSTS} are allowed"), HINT));
        }
        Value::Text(list) => list.split(',').map(|host| host.trim().to_owned()).collect(),
        list => texts(list, MOST_HOSTS, 253)?,
    };
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let bad = hosts.iter().find(|host| host.is_empty() || host.len() > 253 || !host.chars().all(good));
    match bad {
        Some(bad) => Err(Fault::new(format!("cannot contain {bad:?}"), HINT)),
        None => Ok(hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect()),
    }
}
