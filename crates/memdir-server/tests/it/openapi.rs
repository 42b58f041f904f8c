//! The document and the server say the same.

use std::collections::BTreeSet;

use memdir_server::ROUTES;
use memdir_server::api_error::CODES;
use serde_json::Value;

use super::engine::InFile;
use super::running::Running;

#[test]
fn every_route_and_every_code_is_in_the_document() {
    let engine = InFile::new();
    let server = Running::on(&engine);
    let document = server.ask("GET", "/openapi.json", None, &[], None).json;
    let mut listed = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            listed.insert((method.clone(), path.clone()));
            for (status, answer) in operation["responses"].as_object().unwrap() {
                let codes = answer["description"].as_str().unwrap().split(", ");
                let known =
                    |code: &str| CODES.iter().any(|(known, of)| *known == code && of.to_string() == *status);
                assert!(status.as_str() < "400" || codes.clone().all(known), "{method} {path} {status}");
            }
        }
    }
    let routes: BTreeSet<_> =
        ROUTES.iter().map(|route| (route.method.to_owned(), route.path.to_owned())).collect();
    assert_eq!(listed, routes);
    let codes =
        document["components"]["schemas"]["Error"]["properties"]["error"]["properties"]["code"]["enum"]
            .clone();
    let codes: BTreeSet<String> =
        codes.as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_owned).collect();
    assert_eq!(codes, CODES.iter().map(|(code, _)| (*code).to_owned()).collect());
}
