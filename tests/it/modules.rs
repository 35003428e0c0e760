//! Who imports whom, in every member: modules import from lower layers only, and neither files nor folders import each
//! other in a circle.
//!
//! The layers are in the documentation of each `lib.rs`, and of folders with many files, in a block fenced with
//! `text layers`: a line for each layer, the lowest first. A module imports from modules on lines above its own. A
//! parent's imports from its own children do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use trevni_testing::data::{files, workspace};

/// The folders whose sources are checked.
const MEMBERS: [&str; 7] = [
    "src",
    "crates/trevni-blosc/src",
    "crates/trevni-convert/src",
    "crates/trevni-datafusion/src",
    "crates/trevni-viewer/src",
    "crates/trevni-cli/src",
    "python/src",
];

type Module = Vec<String>;

/// The modules of a crate, each with its text and what it imports.
struct Crate {
    texts: BTreeMap<Module, String>,
    code: BTreeMap<Module, String>,
    /// Re-exported names, with the modules they refer to.
    exports: BTreeMap<Module, Module>,
}

fn module(path: &str) -> Module {
    path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns the code of a file: no comments, no tests within it.
fn code_of(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The paths of a `use`, with groups taken apart.
fn flatten(prefix: &str, tree: &str, into: &mut Vec<String>) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        into.push(format!("{prefix}{tree}"));
        return;
    };
    let head = format!("{prefix}{}", &tree[..open]);
    let inner = &tree[open + 1..tree.rfind('}').unwrap()];
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    flatten(&head, &inner[start..at], into);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Each `use` of a code: whether it is public, and its paths.
fn uses(code: &str) -> Vec<(bool, Vec<String>)> {
    let mut all = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let line = rest[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = rest[line..at].trim();
        let is_use = before.is_empty() || before.starts_with("pub") && !before.contains(['=', '"']);
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end);
        if is_use {
            let mut paths = Vec::new();
            flatten("", &rest[at + 4..end], &mut paths);
            all.push((!before.is_empty(), paths));
            rest = &rest[end..];
        } else {
            rest = &rest[at + 4..];
        }
    }
    all
}

/// Returns the paths in a code that begin with `crate`, `super`, `self`, or the name of a child.
fn paths(code: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let whole = code.split(|c: char| !is_part(c)).filter(|path| path.contains("::"));
    whole.map(|path| path.trim_end_matches(':').to_owned()).collect()
}

/// Which modules each module imports from.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

impl Crate {
    fn read(folder: &Path) -> Self {
        let files = files(folder, "rs").into_iter().filter_map(|path| {
            let below = path.strip_prefix(folder).unwrap().with_extension("");
            let names: Module = below.iter().map(|n| n.to_str().unwrap().to_owned()).collect();
            let skipped = names.contains(&"tests".to_owned()) || names == ["main"];
            let names = if names == ["lib"] { Vec::new() } else { names };
            (!skipped).then(|| (names, std::fs::read_to_string(&path).unwrap()))
        });
        Self::new(files.collect())
    }

    fn new(texts: BTreeMap<Module, String>) -> Self {
        let code: BTreeMap<Module, String> =
            texts.iter().map(|(module, text)| (module.clone(), code_of(text))).collect();
        let mut whole = Self { texts, code, exports: BTreeMap::new() };
        for (module, code) in &whole.code {
            for path in uses(code).into_iter().filter(|(public, _)| *public).flat_map(|u| u.1) {
                let (path, name) = path.split_once(" as ").unwrap_or((&path, ""));
                let Some(target) = whole.resolve(module, path.trim()) else { continue };
                let name = if name.is_empty() { target.last().unwrap() } else { name.trim() };
                let export = module.iter().cloned().chain([name.to_owned()]).collect();
                whole.exports.insert(export, target);
            }
        }
        whole
    }

    /// Returns a path from the root of the crate; `None` if it leads out of it.
    fn resolve(&self, module: &Module, path: &str) -> Option<Module> {
        let names: Module = self::module(path);
        let first = names.first()?.as_str();
        let ups = names.iter().take_while(|name| *name == "super").count();
        let (mut base, skip) = match first {
            "crate" => (Vec::new(), 1),
            "self" => (module.clone(), 1),
            "super" => (module[..module.len().checked_sub(ups)?].to_vec(), ups),
            _ => {
                let child: Module = module.iter().cloned().chain([first.to_owned()]).collect();
                self.texts.contains_key(&child).then_some(())?;
                (module.clone(), 0)
            }
        };
        base.extend(names.into_iter().skip(skip).filter(|name| name != "self" && name != "*"));
        Some(base)
    }

    /// Returns the module at the end of a path, through re-exports.
    fn target(&self, mut path: Module) -> Module {
        for _ in 0..8 {
            let len = (0..=path.len()).rev().find(|n| self.texts.contains_key(&path[..*n]));
            let len = len.unwrap_or(0);
            let export = path.get(..len + 1).and_then(|name| self.exports.get(name));
            match export {
                Some(export) => path = export.iter().chain(&path[len + 1..]).cloned().collect(),
                None => return path[..len].to_vec(),
            }
        }
        path
    }

    /// Returns which modules each module imports from, but for its own children.
    fn imports(&self) -> Imports {
        let mut all = BTreeMap::new();
        for (module, code) in &self.code {
            let uses = uses(code);
            let private = uses.iter().filter(|(public, _)| !public).flat_map(|u| u.1.clone());
            let of_uses: BTreeSet<&String> = uses.iter().flat_map(|u| &u.1).collect();
            let inline = paths(code)
                .into_iter()
                .filter(|path| !of_uses.iter().any(|used| used.starts_with(path.as_str())));
            let found = private.chain(inline).filter_map(|path| {
                let path = path.split(" as ").next().unwrap().trim().to_owned();
                let target = self.target(self.resolve(module, &path)?);
                (!target.starts_with(module)).then_some(target)
            });
            all.insert(module.clone(), found.collect());
        }
        all
    }

    /// Returns all folders: modules that have children.
    fn folders(&self) -> BTreeSet<Module> {
        self.texts.keys().filter_map(|module| Some(module.split_last()?.1.to_vec())).collect()
    }

    /// Returns the violations.
    fn faults(&self) -> Vec<String> {
        let imports = self.imports();
        let files =
            imports.iter().map(|(a, b)| (a.join("::"), b.iter().map(|b| b.join("::")).collect()));
        let mut faults: Vec<String> = circles(&files.collect())
            .into_iter()
            .map(|circle| format!("files import each other: {circle}"))
            .collect();
        for folder in self.folders() {
            let within = imports_in(&imports, &folder);
            let names = within.iter().map(|(a, b)| (a.clone(), b.keys().cloned().collect()));
            for circle in circles(&names.collect()) {
                faults.push(format!("{}: folders import each other: {circle}", folder.join("::")));
            }
            faults.extend(self.upward(&folder, &within));
        }
        faults
    }

    /// Imports from the same or a higher layer, where a folder has layers.
    fn upward(
        &self,
        folder: &Module,
        imports: &BTreeMap<String, BTreeMap<String, String>>,
    ) -> Vec<String> {
        let Some(layers) = self.texts.get(folder).and_then(|text| layers(text)) else {
            return Vec::new();
        };
        let children: BTreeSet<&String> =
            self.texts.keys().filter_map(|m| m.strip_prefix(&folder[..])?.first()).collect();
        let mut faults = Vec::new();
        let layer = |name: &str| layers.get(name).copied();
        for child in children {
            if layer(child).is_none() {
                faults.push(format!("{}: {child} is in no layer", folder.join("::")));
            }
        }
        for (from, targets) in imports {
            for (to, example) in targets {
                if layer(from) <= layer(to) {
                    faults.push(format!("not from a lower layer: {example}"));
                }
            }
        }
        faults
    }
}

/// Returns the imports between the children of a folder, each with an example.
fn imports_in(imports: &Imports, folder: &Module) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut all: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (from, targets) in imports {
        for to in targets {
            let (Some(a), Some(b)) = (from.strip_prefix(&folder[..]), to.strip_prefix(&folder[..]))
            else {
                continue;
            };
            if let (Some(a), Some(b)) = (a.first(), b.first())
                && a != b
            {
                let example = format!("{} imports {}", from.join("::"), to.join("::"));
                all.entry(a.clone()).or_default().insert(b.clone(), example);
            }
        }
    }
    all
}

/// Returns the layer of each module, from the block in a documentation.
fn layers(text: &str) -> Option<BTreeMap<String, usize>> {
    let block = text.split("//! ```text layers\n").nth(1)?.split("//! ```").next()?;
    let names = block.lines().enumerate().flat_map(|(layer, line)| {
        let names = line.trim_start_matches("//!").split_whitespace();
        names.map(move |name| (name.to_owned(), layer))
    });
    Some(names.collect())
}

/// Returns the groups of names of which each leads to all others.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let reach = |from: &String| {
        let (mut seen, mut stack) = (BTreeSet::new(), vec![from]);
        while let Some(name) = stack.pop() {
            for next in imports.get(name).into_iter().flatten() {
                if seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        imports.keys().map(|name| (name, reach(name))).collect();
    let mut groups = BTreeSet::new();
    for (name, seen) in &reached {
        let group: Vec<&str> = seen
            .iter()
            .filter(|other| reached.get(**other).is_some_and(|back| back.contains(name)))
            .map(|other| other.as_str())
            .collect();
        if !group.is_empty() {
            groups.insert(group.join(", "));
        }
    }
    groups.into_iter().collect()
}

#[test]
fn modules_import_from_lower_layers() {
    for member in MEMBERS {
        let whole = Crate::read(&workspace().join(member));
        assert!(whole.texts.len() > 8, "{member}");
        let imports: usize = whole.imports().values().map(BTreeSet::len).sum();
        assert!(imports >= whole.texts.len(), "{member}: only {imports} imports are seen");
        assert!(layers(&whole.texts[&Vec::new()]).is_some(), "{member}: lib.rs has no layers");
        let faults = whole.faults();
        assert!(faults.is_empty(), "{member}:\n{}", faults.join("\n"));
    }
}

/// Without the feature `arrow` there is no Arrow, and containers are read without it.
#[test]
fn arrow_is_named_only_above_the_formats() {
    for (member, above) in
        [("src", &["arrow", "dataset", "error"][..]), ("crates/trevni-blosc/src", &["numpy"])]
    {
        for (module, code) in Crate::read(&workspace().join(member)).code {
            let is_above = module.first().is_some_and(|name| above.contains(&name.as_str()));
            assert!(is_above || !code.contains("use arrow"), "{} names Arrow", module.join("::"));
        }
    }
}

#[test]
fn planted_faults_are_found() {
    let planted = |files: &[(&str, &str)]| {
        let texts = files.iter().map(|(name, text)| (module(name), (*text).to_owned()));
        Crate::new(texts.collect()).faults()
    };
    let good = [
        ("", "//! ```text layers\n//! a\n//! b c\n//! ```\nmod a;\nmod b;\npub use b::X;\n"),
        ("a", "use std::fmt;\nmod inner;\nuse inner::Y;\n"),
        ("a::inner", "use super::Z;\n"),
        (
            "b",
            "use crate::a::{Y, Z};\n// use crate::c::W;\n#[cfg(test)]\nmod tests { use crate::c; }\n",
        ),
        ("c", "fn f() { crate::a::g() }\n"),
    ];
    assert_eq!(planted(&good), [""; 0]);
    for (file, text, fault) in [
        ("a", "use crate::c::W;\n", "not from a lower layer: a imports c"),
        ("b", "fn f() { crate::c::g() }\n", "not from a lower layer: b imports c"),
        ("b", "use super::c as d;\n", "not from a lower layer: b imports c"),
        ("a", "fn f() -> crate::X {}\n", "files import each other: a, b"),
        ("d", "\n", ": d is in no layer"),
    ] {
        let mut files = good.to_vec();
        files.retain(|(name, _)| *name != file);
        files.push((file, text));
        let faults = planted(&files);
        assert!(faults.iter().any(|found| found.contains(fault)), "{fault}: {faults:?}");
    }
    let siblings = [
        ("", "//! ```text layers\n//! a\n//! ```\nmod a;\n"),
        ("a", "mod b;\nmod c;\n"),
        ("a::b", "use super::c::X;\n"),
        ("a::c", "use crate::a::b;\n"),
    ];
    assert!(planted(&siblings).iter().any(|fault| fault.contains("a::b, a::c")));
}

/// A file that outgrows this has more than one subject.
#[test]
fn files_stay_small() {
    for folder in ["src", "crates", "tests", "benches"] {
        for path in files(&workspace().join(folder), "rs") {
            // Build output inside a separate package does not count.
            if path.iter().any(|part| part == "target") {
                continue;
            }
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= 430, "{} has {lines} lines", path.display());
        }
    }
}
