use serde::Deserialize;

/// What a project's manifest says about itself and what it needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The name that it gives itself.
    pub name: Option<String>,
    /// What it says that it is.
    pub description: Option<String>,
    /// What it needs.
    pub dependencies: Vec<Dependency>,
}

/// Something that a manifest needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// Where it is, relative to the manifest, if that is said.
    pub path: Option<String>,
}

/// The manifests that are read, in this order.
pub const MANIFESTS: [&str; 6] =
    ["Cargo.toml", "package.json", "pyproject.toml", "go.mod", "composer.json", "requirements.txt"];

/// The largest manifest that is read.
pub const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The most dependencies of one manifest that count.
const MAX_DEPENDENCIES: usize = 2_000;

/// Reads a manifest by the name of its file. One that cannot be understood says nothing.
#[must_use]
pub fn read_manifest(file_name: &str, text: &str) -> Manifest {
    let mut manifest = match file_name {
        "Cargo.toml" => toml::from_str(text).map(cargo).unwrap_or_default(),
        "pyproject.toml" => toml::from_str(text).map(python).unwrap_or_default(),
        "package.json" | "composer.json" => serde_json::from_str(text).map(package).unwrap_or_default(),
        "go.mod" => go(text),
        "requirements.txt" => Manifest {
            dependencies: text.lines().filter_map(requirement).map(named).collect(),
            ..Manifest::default()
        },
        _ => Manifest::default(),
    };
    manifest.dependencies.truncate(MAX_DEPENDENCIES);
    manifest
}

fn named(name: String) -> Dependency {
    Dependency { name, path: None }
}

fn text_at(value: &toml::Table, key: &str) -> Option<String> {
    value.get(key).and_then(toml::Value::as_str).map(ToOwned::to_owned)
}

fn cargo(root: toml::Table) -> Manifest {
    let package = root.get("package").and_then(toml::Value::as_table);
    let mut dependencies = Vec::new();
    let mut gather = |table: Option<&toml::Value>| {
        for (key, value) in table.and_then(toml::Value::as_table).into_iter().flatten() {
            let detail = value.as_table();
            let name = detail.and_then(|detail| text_at(detail, "package")).unwrap_or_else(|| key.clone());
            dependencies.push(Dependency { name, path: detail.and_then(|detail| text_at(detail, "path")) });
        }
    };
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    kinds.iter().for_each(|kind| gather(root.get(*kind)));
    gather(root.get("workspace").and_then(|workspace| workspace.get("dependencies")));
    for target in root.get("target").and_then(toml::Value::as_table).into_iter().flatten() {
        kinds.iter().for_each(|kind| gather(target.1.get(kind)));
    }
    Manifest {
        name: package.and_then(|package| text_at(package, "name")),
        description: package.and_then(|package| text_at(package, "description")),
        dependencies,
    }
}

fn python(root: toml::Table) -> Manifest {
    let project = root.get("project").and_then(toml::Value::as_table);
    let poetry = root.get("tool").and_then(|tool| tool.get("poetry")).and_then(toml::Value::as_table);
    let mut dependencies = Vec::new();
    let listed = |value: &toml::Value| -> Vec<Dependency> {
        let items = value.as_array().into_iter().flatten().filter_map(toml::Value::as_str);
        items.filter_map(requirement).map(named).collect()
    };
    if let Some(project) = project {
        dependencies.extend(project.get("dependencies").map(listed).unwrap_or_default());
        let optional = project.get("optional-dependencies").and_then(toml::Value::as_table);
        dependencies.extend(optional.into_iter().flatten().flat_map(|(_, group)| listed(group)));
    }
    if let Some(table) = poetry.and_then(|poetry| poetry.get("dependencies")).and_then(toml::Value::as_table)
    {
        for (name, value) in table.iter().filter(|(name, _)| *name != "python") {
            let path = value.as_table().and_then(|detail| text_at(detail, "path"));
            dependencies.push(Dependency { name: name.clone(), path });
        }
    }
    // A source says where a dependency of the list above is.
    let sources = root.get("tool").and_then(|tool| tool.get("uv")).and_then(|uv| uv.get("sources"));
    for (name, source) in sources.and_then(toml::Value::as_table).into_iter().flatten() {
        let path = source.as_table().and_then(|detail| text_at(detail, "path"));
        dependencies.push(Dependency { name: name.clone(), path });
    }
    let own = |key: &str| project.or(poetry).and_then(|table| text_at(table, key));
    Manifest { name: own("name"), description: own("description"), dependencies }
}

/// The name at the beginning of `name[extra] >= 1.0 ; marker`.
fn requirement(line: &str) -> Option<String> {
    let line = line.split('#').next().unwrap_or_default().trim();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    let name = line.get(..end.unwrap_or(line.len())).unwrap_or_default();
    (name.starts_with(|c: char| c.is_ascii_alphanumeric())).then(|| name.to_owned())
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Package {
    name: serde_json::Value,
    description: serde_json::Value,
    dependencies: serde_json::Value,
    #[serde(rename = "devDependencies", alias = "require-dev")]
    dev_dependencies: serde_json::Value,
    #[serde(rename = "peerDependencies")]
    peer_dependencies: serde_json::Value,
    #[serde(rename = "optionalDependencies")]
    optional_dependencies: serde_json::Value,
    require: serde_json::Value,
}

fn package(package: Package) -> Manifest {
    let groups = [
        &package.dependencies,
        &package.dev_dependencies,
        &package.peer_dependencies,
        &package.optional_dependencies,
        &package.require,
    ];
    let entries = groups.into_iter().filter_map(serde_json::Value::as_object).flatten();
    let dependencies = entries.map(|(name, value)| {
        let place = value.as_str().unwrap_or_default();
        let path = ["file:", "link:", "portal:"].into_iter().find_map(|prefix| place.strip_prefix(prefix));
        Dependency { name: name.clone(), path: path.map(ToOwned::to_owned) }
    });
    Manifest {
        dependencies: dependencies.collect(),
        name: package.name.as_str().map(ToOwned::to_owned),
        description: package.description.as_str().map(ToOwned::to_owned),
    }
}

fn go(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut block = "";
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first == ")" {
            block = "";
            continue;
        }
        let (directive, name) =
            if block.is_empty() { (first, words.next().unwrap_or_default()) } else { (block, first) };
        if name == "(" {
            block = match first {
                "require" => "require",
                "replace" => "replace",
                _ => "other",
            };
            continue;
        }
        match directive {
            "module" => manifest.name = Some(name.to_owned()),
            "require" if !name.is_empty() => manifest.dependencies.push(named(name.to_owned())),
            "replace" => {
                let place = line.split("=>").nth(1).and_then(|place| place.split_whitespace().next());
                let path = place.filter(|place| place.starts_with(['.', '/'])).map(ToOwned::to_owned);
                manifest.dependencies.push(Dependency { name: name.to_owned(), path });
            }
            _ => {}
        }
    }
    manifest
}
