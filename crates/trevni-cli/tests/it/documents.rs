//! The commands of the documents and of `help` run, in a folder with the files that they name, twice in a row.

use super::*;

const PAGES: [&str; 3] = ["README.md", "docs/command.md", "crates/trevni-cli/README.md"];

/// The subcommands whose help has examples.
const SUBCOMMANDS: [&str; 27] = [
    "cat",
    "head",
    "tail",
    "sample",
    "describe",
    "schema",
    "count",
    "meta",
    "layout",
    "size",
    "verify",
    "view",
    "vacuum",
    "tojson",
    "convert",
    "diff",
    "sql",
    "explain",
    "random",
    "concat",
    "rewrite",
    "totrevni",
    "trevni_random",
    "blosc compress",
    "blosc append",
    "blosc decompress",
    "blosc info",
];

/// Returns why a command cannot run in a test, if it cannot.
fn left_out(line: &str) -> Option<&'static str> {
    match line {
        line if line.starts_with("trevni view ") && !line.contains("--export") => {
            Some("it serves until Ctrl-C")
        }
        line if line.starts_with("trevni blosc compress | ") => Some("it names four commands"),
        line if line.starts_with("trevni bench ") => Some("it takes minutes without optimization"),
        _ => None,
    }
}

/// What stands for names of the documents.
const NAMES: [(&str, &str); 5] = [
    ("https://example.org/", "file://$PWD/"),
    ("--message shop.Order", "--message every.Every"),
    ("--struct Entry", "--struct Every"),
    ("s3://bucket/", "file://$PWD/bucket/"),
    ("<f8", "<i8"),
];

/// Makes the files that documents name.
fn prepare(folder: &Path) {
    let path = |name: &str| folder.join(name);
    for below in ["bucket", "logs", "sales/year=2026", "data"] {
        std::fs::create_dir_all(path(below)).unwrap();
    }
    let convert = |from: &Path, to: &str| out(&["convert", str(from), str(&path(to))]);
    // With the names that the documents have for its columns.
    let text = std::fs::read_to_string(rows_file("quakes.csv")).unwrap();
    std::fs::write(path("quakes.csv"), text.replacen("magnitude,", "mag,", 1)).unwrap();
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    write("events.jsonl", "{\"id\":1,\"price\":12.5,\"address\":{\"city\":\"Ulm\"}}\n");
    for to in ["events.avro", "events.trv", "bucket/events.parquet"] {
        convert(&path("events.jsonl"), to);
    }
    write("zips.csv", "zip,name\n01234,a\n-,b\n");
    assert_eq!(code(&shell(folder, "gzip zips.csv")), 0);
    write("export.csv", "made by\na tool\nx;y\n# a comment\n1,5;2\n3\n");
    write("map.geojson", "{\"type\":\"FeatureCollection\",\"features\":[{\"id\":1},{\"id\":2}]}");
    write("prices.json", "[{\"the price\":1.5}]");
    write("big.csv", "a,b\n1,2\n3,4\n");
    write("more.jsonl", "{\"status\":200,\"line\":\"x\"}\n");
    for name in ["logs/a.csv", "logs/b.csv"] {
        write(name, "status,line\n500,x\n200,y\n");
        convert(&path(name), &name.replace("csv", "trv"));
    }
    for name in ["sales/year=2026/a.csv", "sales/year=2026/b.csv"] {
        write(name, "n\n1\n");
    }
    write("notes.csv", "id,note\n1,x\n");
    write("numbers.csv", "n\n1\n2\n");
    write("data.bin", "some bytes");
    write("more.bin", "more bytes");
    write(
        "schema.avsc",
        "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"}]}",
    );
    write("trips.csv", "id,zone\n1,7\n2,8\n");
    write("zones.csv", "id,name\n7,x\n");
    for (from, to) in [
        ("trips.csv", "trips.trv"),
        ("trips.csv", "trips/"),
        ("zones.csv", "zones.parquet"),
        ("quakes.csv", "quakes.trv"),
        ("quakes.csv", "quakes.parquet"),
        ("quakes.csv", "quakes/"),
        ("quakes.csv", "bucket/big.trv"),
        ("quakes.csv", "bucket/quakes.trv"),
        ("quakes.csv", "data/a.trv"),
        ("quakes.csv", "old.parquet"),
        ("quakes.csv", "new.parquet"),
        ("quakes.csv", "jan.trv"),
        ("quakes.csv", "feb.trv"),
        ("events.jsonl", "in.avro"),
        ("notes.csv", "old.trv"),
        ("notes.csv", "new.trv"),
        ("numbers.csv", "backup.blp"),
        ("trips.csv", "bundle.bcolz"),
        ("trips.csv", "trades.parquet"),
        ("numbers.csv", "frame.b2nd"),
        ("numbers.csv", "prices.blp"),
    ] {
        convert(&path(from), to);
    }
    for command in [
        "trevni schema --format json quakes.csv > schema.json",
        "trevni convert numbers.csv raw.b2frame --to superchunk",
        "trevni convert numbers.csv bucket/frame.b2nd --to sparse",
    ] {
        let done = shell(folder, command);
        assert_eq!(code(&done), 0, "{command}: {}", said(&done));
    }
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    for (from, to) in [
        ("protobuf/every.desc", "shop.desc"),
        ("protobuf/every.pb", "orders.pb"),
        ("thrift/every.thrift", "log.thrift"),
        ("thrift/shared.thrift", "shared.thrift"),
        ("thrift/every.compact", "log.bin"),
    ] {
        std::fs::copy(testdata.join(from), path(to)).unwrap();
    }
}

/// Returns the commands of a page.
fn commands(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            found.push(command.to_owned());
        }
    }
    found
}

/// Runs a line in a shell that finds the command.
fn shell(folder: &Path, line: &str) -> Output {
    let command = Path::new(env!("CARGO_BIN_EXE_trevni")).parent().unwrap();
    let path = format!("{}:{}", str(command), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).env("PATH", path).stdin(Stdio::null());
    shell.output().unwrap()
}

#[test]
fn commands_of_documents_run_twice() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for page in PAGES {
        all.extend(commands(&std::fs::read_to_string(root.join(page)).unwrap()));
    }
    for name in SUBCOMMANDS {
        let words: Vec<&str> = name.split(' ').chain(["--help"]).collect();
        let help = out(&words);
        let examples =
            help.lines().map(str::trim).filter(|line| line.starts_with(&format!("trevni {name} ")));
        let examples: Vec<_> = examples.map(str::to_owned).collect();
        assert!(examples.len() >= 2, "{name}: {help}");
        all.extend(examples);
    }
    all.retain(|line| line.starts_with("trevni ") && left_out(line).is_none());
    assert!(all.len() > 70, "{}", all.len());
    let mut failed = Vec::new();
    for turn in 0..2 {
        for line in &all {
            let mut command = line.split("  #").next().unwrap_or_default().trim_end().to_owned();
            for (name, ours) in NAMES {
                command = command.replace(name, ours);
            }
            let done = shell(folder.path(), &command);
            let text = said(&done);
            // `diff` says with 1 that there are differences; what a line has written is not replaced without --force.
            let differs = line.starts_with("trevni diff ") && text.is_empty();
            let stays = text.contains("exists; --force replaces it");
            if code(&done) != 0 && !stays && !differs {
                failed.push(format!("turn {turn}: {line}\n{command}\n{text}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
