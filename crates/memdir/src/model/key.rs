use memdir_core::env::Env;
use memdir_core::model::KeyPlace;
use memdir_lib::model::TransportError;
use memdir_sync::http::Address;

use super::free;

/// The header with the user's key. The key is read here and nowhere else, and is in no message.
pub(super) fn header(place: &KeyPlace, url: &str, env: &Env) -> Result<(String, String), TransportError> {
    let variable = &place.variable;
    let key = env.var(variable).map(str::trim).filter(|key| !key.is_empty());
    let Some(key) = key else {
        return Err(free(format!("the model's key is missing: the variable `{variable}` is not set")));
    };
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(free(format!("the variable `{variable}` holds no key: it has spaces or odd characters")));
    }
    let stays_here = Address::parse(url).is_some_and(|address| address.is_loopback());
    if url.starts_with("http://") && !stays_here {
        return Err(free("a key is not sent unencrypted to another machine: use https"));
    }
    Ok((place.header.to_owned(), format!("{}{key}", place.prefix)))
}
