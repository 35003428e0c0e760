//! `trevni view` serves one file, to its own page alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{code, out, run, said, str};

/// A server that is stopped when this is dropped.
struct Server {
    process: Child,
    host: String,
    /// The path of the page.
    path: String,
}

impl Server {
    fn start(file: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_trevni"))
            .args(["view", "--no-browser", str(file)])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();
        let (host, path) = address.split_once('/').unwrap();
        assert!(host.starts_with("127.0.0.1:"), "{host}");
        Self { process, host: host.to_owned(), path: format!("/{path}") }
    }

    /// Sends a request; returns the status, and what follows it.
    fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: {}\r\n", self.host);
        }
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }

    fn ask(&self, request: &str) -> serde_json::Value {
        let (status, answer) = self.send("POST", &format!("{}api", self.path), &[], request);
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn only_the_page_is_served_and_only_to_itself() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.csv");
    std::fs::write(&file, "a,b\n1,x\n").unwrap();
    std::fs::write(folder.path().join("secret.csv"), "a\n1\n").unwrap();
    let server = Server::start(&file);
    let page = server.path.as_str();
    let (status, answer) = server.send("GET", page, &[], "");
    assert_eq!(status, 200);
    assert!(answer.contains("default-src 'none'") && answer.contains("<!DOCTYPE html>"));
    for name in ["page.js", "table.js", "picture.js", "elements.js", "style.css"] {
        assert_eq!(server.send("GET", &format!("{page}{name}"), &[], "").0, 200, "{name}");
    }
    let wrong = format!("/{}/", "0".repeat(page.len() - 2));
    for path in
        ["/", "/api", "/page.js", &wrong, &page[..page.len() - 1], &format!("{page}../secret.csv")]
    {
        assert_eq!(server.send("GET", path, &[], "").0, 404, "{path}");
    }
    for name in ["secret.csv", "x.csv", "..%2fsecret.csv", "/etc/passwd"] {
        assert_eq!(server.send("GET", &format!("{page}{name}"), &[], "").0, 404, "{name}");
    }
    let (open, api) = (r#"{"do":"open"}"#, format!("{page}api"));
    for headers in [
        [("Host", "example.org")],
        [("Origin", "http://example.org")],
        [("Origin", "null")],
        [("Host", "127.0.0.1:1")],
    ] {
        assert_eq!(server.send("POST", &api, &headers, open).0, 403, "{headers:?}");
        assert_eq!(server.send("GET", page, &headers, "").0, 403, "{headers:?}");
    }
    let origin = format!("http://{}", server.host);
    assert_eq!(server.send("POST", &api, &[("Origin", &origin)], open).0, 200);
    assert_eq!(server.send("PUT", &api, &[], open).0, 404);
    assert_eq!(server.send("POST", &api, &[], &" ".repeat(70_000)).0, 413);
}

#[test]
fn files_of_any_format_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let rows: String = (0..20_000).map(|n| format!("{n},\"<b>{}</b>\"\n", n % 7)).collect();
    std::fs::write(at("x.csv"), format!("n,<i>\n{rows}")).unwrap();
    for name in ["x.csv", "x.trv", "x.parquet", "x.arrow", "x.jsonl", "x.avro"] {
        if name != "x.csv" {
            let (from, to) = (at("x.csv"), at(name));
            let mut args = vec!["convert", str(&from), str(&to)];
            if name == "x.avro" {
                args.extend(["--rename", "avro"]);
            }
            out(&args);
        }
        let server = Server::start(&at(name));
        let open = server.ask(r#"{"do":"open"}"#);
        assert_eq!(open["fields"].as_array().unwrap().len(), 2, "{name}");
        assert_eq!(server.ask(r#"{"do":"count"}"#)["rows"], 20_000, "{name}");
        assert_eq!(server.ask(r#"{"do":"count","where":"n < 10"}"#)["rows"], 10, "{name}");
        let rows = server.ask(r#"{"do":"rows","start":19998,"count":5,"columns":["n"]}"#);
        assert_eq!(rows["rows"], serde_json::json!([["19998"], ["19999"]]), "{name}");
        let rows = server.ask(r#"{"do":"rows","start":3,"count":1,"where":"n >= 100"}"#);
        assert_eq!(rows["rows"], serde_json::json!([["103", "<b>5</b>"]]), "{name}");
        let values = server.ask(r#"{"do":"values","column":"n"}"#);
        assert_eq!([&values["min"], &values["max"]], ["0", "19999"], "{name}");
        let bars = values["bars"].as_array().unwrap();
        assert_eq!(bars.iter().map(|bar| bar.as_u64().unwrap()).sum::<u64>(), 20_000);
        let error = server.ask(r#"{"do":"rows","start":0,"count":1,"where":"m = 1"}"#);
        assert!(error["error"].as_str().unwrap().contains('m'), "{error}");
        let error = server.ask(r#"{"do":"verify","column":0}"#);
        assert_eq!(error.get("error").is_some(), name != "x.trv", "{error}");
    }
}

#[test]
fn little_is_read_and_faults_have_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let rows: String = (0..300_000u64).map(|n| format!("{n},{}\n", n * n % 10_007)).collect();
    std::fs::write(at("x.csv"), format!("a,b\n{rows}")).unwrap();
    out(&["convert", "--codec", "null", str(&at("x.csv")), str(&at("x.trv"))]);
    let mut bytes = std::fs::read(at("x.trv")).unwrap();
    let server = Server::start(&at("x.trv"));
    server.ask(r#"{"do":"open"}"#);
    server.ask(r#"{"do":"rows","start":150000,"count":100}"#);
    let read = server.ask(r#"{"do":"blocks","column":1}"#)["read"].as_u64().unwrap();
    assert!(read < 300_000 && read < bytes.len() as u64 / 3, "{read} of {}", bytes.len());

    let end = bytes.len() - 1000;
    bytes[end] ^= 1;
    std::fs::write(at("y.trv"), &bytes).unwrap();
    let server = Server::start(&at("y.trv"));
    let columns = server.ask(r#"{"do":"open"}"#)["columns"].as_array().unwrap().len();
    let faults: Vec<String> = (0..columns)
        .flat_map(|column| {
            let seen = server.ask(&format!(r#"{{"do":"verify","column":{column}}}"#));
            seen["faults"].as_array().unwrap().clone()
        })
        .map(|fault| fault.as_str().unwrap().to_owned())
        .collect();
    assert!(!faults.is_empty());
    for place in ["column \"b", "block ", "offset "] {
        assert!(faults[0].contains(place), "{faults:?}");
    }
}

#[test]
fn what_cannot_be_shown_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.trv");
    std::fs::write(&file, "Trv\u{1}").unwrap();
    let output = run(&["view", "--no-browser", str(&file)]);
    assert_eq!(code(&output), 1, "{}", said(&output));
    let output = run(&["view", "--no-browser", str(&file), "--where", "a = 1"]);
    assert_eq!(code(&output), 2, "{}", said(&output));
}

#[test]
fn a_page_is_exported_once() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, page) = (folder.path().join("x.csv"), folder.path().join("x.html"));
    std::fs::write(&csv, "a,b\n1,</script><b>\n2,y\n").unwrap();
    out(&["view", "--export", str(&page), str(&csv)]);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(
        html.contains("\"rows\":[[\"1\",\"\\u003c/script>\\u003cb>\"],[\"2\",\"y\"]]"),
        "the rows"
    );
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains("src=") && !html.contains("href="), "it needs no other file");
    assert_eq!(code(&run(&["view", "--export", str(&page), str(&csv)])), 1);
    out(&["view", "--export", str(&page), "--force", str(&csv)]);
    assert_eq!(code(&run(&["view", "--force", str(&csv)])), 2);
    assert_eq!(out(&["view", "--export", "-", str(&csv)]).len(), html.len());
}
