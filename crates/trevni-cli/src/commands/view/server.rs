//! Serves the page of a file.
//!
//! ```text
//! GET  /SECRET/          the page         GET /SECRET/page.js ...   its files
//! POST /SECRET/api       a request        anything else             404
//! ```
//! Only a loopback address is bound. The secret keeps other users of the machine out; requests that name another host,
//! or come from another site, are refused, as a site that a browser shows could send them.

use std::hash::{BuildHasher, RandomState};
use std::io::{Cursor, Read};
use std::sync::Arc;

use tiny_http::{Header, Method, Request, Response};
use trevni_viewer::Session;
use trevni_viewer::page::ASSETS;

use crate::exit::CliError;

/// Requests that are answered at a time.
const THREADS: usize = 4;

/// Bytes of a request, at most.
const MOST: u64 = 1 << 16;

/// What the page may do: run its own scripts, and ask its own server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

type Answer = Response<Cursor<Vec<u8>>>;

/// A server that is bound.
pub(super) struct Server {
    http: tiny_http::Server,
    secret: String,
    /// The host and port that requests must name.
    host: String,
    address: String,
}

impl Server {
    /// Binds a port of the loopback address; 0 is any that is free.
    pub(super) fn bind(port: u16) -> Result<Self, CliError> {
        let http = tiny_http::Server::http(("127.0.0.1", port))
            .map_err(|e| CliError::Data(format!("127.0.0.1:{port} cannot be bound: {e}")))?;
        let port = http.server_addr().to_ip().map_or(port, |address| address.port());
        let (secret, host) = (secret(), format!("127.0.0.1:{port}"));
        let address = format!("http://{host}/{secret}/");
        Ok(Self { http, secret, host, address })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Answers requests, until the process ends.
    pub(super) fn run(self, session: Session) -> Result<(), CliError> {
        let (server, session) = (Arc::new(self), Arc::new(session));
        let threads = (0..THREADS).map(|_| {
            let (server, session) = (server.clone(), session.clone());
            std::thread::spawn(move || {
                while let Ok(mut request) = server.http.recv() {
                    let answer = server.answer(&mut request, &session);
                    // The browser may be gone.
                    let _ = request.respond(answer);
                }
            })
        });
        for thread in threads.collect::<Vec<_>>() {
            thread.join().map_err(|_| CliError::Data("the server has stopped".into()))?;
        }
        Ok(())
    }

    fn answer(&self, request: &mut Request, session: &Session) -> Answer {
        if !self.is_own(request) {
            return text(403, "this page is only for the address that trevni printed");
        }
        let path = request.url().strip_prefix('/').and_then(|path| path.strip_prefix(&self.secret));
        match (request.method(), path.and_then(|path| path.strip_prefix('/'))) {
            (Method::Get, Some(path)) => match ASSETS.iter().find(|asset| asset.path == path) {
                Some(asset) => response(200, asset.media_type, asset.bytes.to_vec()),
                None => text(404, "there is no such page"),
            },
            (Method::Post, Some("api")) => {
                let mut body = String::new();
                let read = request.as_reader().take(MOST).read_to_string(&mut body);
                match read {
                    Ok(_) => response(200, "application/json", session.answer(&body).into_bytes()),
                    Err(_) => text(400, "a request is text"),
                }
            }
            _ => text(404, "there is no such page"),
        }
    }

    /// Returns whether a request names this server, and comes from its own page if from any.
    fn is_own(&self, request: &Request) -> bool {
        let header = |name: &'static str| {
            let found = request.headers().iter().find(|header| header.field.equiv(name));
            found.map(|header| header.value.as_str())
        };
        let port = self.host.rsplit_once(':').map_or("", |(_, port)| port);
        let hosts = [self.host.clone(), format!("localhost:{port}")];
        let is_host = header("Host").is_some_and(|host| hosts.iter().any(|own| own == host));
        let is_origin = header("Origin").is_none_or(|origin| {
            hosts.iter().any(|own| origin.strip_prefix("http://") == Some(own.as_str()))
        });
        is_host && is_origin
    }
}

/// Returns 32 random hexadecimal digits.
fn secret() -> String {
    let part = |half: u64| format!("{:016x}", RandomState::new().hash_one(half));
    part(0) + &part(1)
}

fn text(status: u16, text: &str) -> Answer {
    response(status, "text/plain; charset=utf-8", format!("{text}\n").into_bytes())
}

fn response(status: u16, media_type: &str, body: Vec<u8>) -> Answer {
    let mut response = Response::from_data(body).with_status_code(status);
    for (name, value) in [
        ("Content-Type", media_type),
        ("Content-Security-Policy", POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
    ] {
        // All of them are valid headers.
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    response
}
