//! Serves the page of a file.
//!
//! ```text
//! GET  /SECRET/          the page         GET /SECRET/page.js ...   its files
//! POST /SECRET/api       a request        anything else             404
//! ```
//! Only a loopback address is bound. The secret keeps other users of the machine out; requests that name another host,
//! or come from another site, are refused, as a site that a browser shows could send them.

use std::convert::Infallible;
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use trevni_viewer::Session;
use trevni_viewer::page::ASSETS;

use crate::exit::CliError;

/// Bytes of a request, at most.
const MOST: usize = 1 << 16;

/// What the page may do: run its own scripts, and ask its own server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

type Answer = Response<Full<Bytes>>;

/// A server that is bound.
pub(super) struct Server {
    listener: TcpListener,
    secret: String,
    /// The hosts and ports that requests may name.
    hosts: [String; 2],
    address: String,
}

impl Server {
    /// Binds a port of the loopback address; 0 is any that is free.
    pub(super) fn bind(port: u16) -> Result<Self, CliError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .map_err(|e| CliError::Data(format!("127.0.0.1:{port} cannot be bound: {e}")))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let (secret, hosts) =
            (secret(), [format!("127.0.0.1:{port}"), format!("localhost:{port}")]);
        let address = format!("http://127.0.0.1:{port}/{secret}/");
        Ok(Self { listener, secret, hosts, address })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Answers requests, until the process ends.
    pub(super) fn run(self, session: Session) -> Result<(), CliError> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_io().build()?;
        runtime.block_on(self.accept(Arc::new(session)))
    }

    async fn accept(self, session: Arc<Session>) -> Result<(), CliError> {
        let listener = tokio::net::TcpListener::from_std(self.listener.try_clone()?)?;
        let server = Arc::new(self);
        loop {
            let (stream, _) = listener.accept().await?;
            let (server, session) = (server.clone(), session.clone());
            let service = service_fn(move |request| {
                let (server, session) = (server.clone(), session.clone());
                async move { Ok::<_, Infallible>(server.answer(request, session).await) }
            });
            // A connection that breaks is the browser's affair.
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    }

    async fn answer(&self, request: Request<Incoming>, session: Arc<Session>) -> Answer {
        if !self.is_own(&request) {
            let what = "this page is only for the address that trevni printed";
            return text(StatusCode::FORBIDDEN, what);
        }
        let path = request.uri().path().strip_prefix('/');
        let path = path.and_then(|path| path.strip_prefix(&self.secret));
        match (request.method(), path.and_then(|path| path.strip_prefix('/'))) {
            (&Method::GET, Some(path)) => match ASSETS.iter().find(|asset| asset.path == path) {
                Some(asset) => response(StatusCode::OK, asset.media_type, asset.bytes.into()),
                None => text(StatusCode::NOT_FOUND, "there is no such page"),
            },
            (&Method::POST, Some("api")) => answer_request(request.into_body(), session).await,
            _ => text(StatusCode::NOT_FOUND, "there is no such page"),
        }
    }

    /// Returns whether a request names this server, and comes from its own page if from any.
    fn is_own(&self, request: &Request<Incoming>) -> bool {
        let header = |name| request.headers().get(name).map(HeaderValue::as_bytes);
        let is_host = |host: &[u8]| self.hosts.iter().any(|own| own.as_bytes() == host);
        let is_origin = |origin: &[u8]| origin.strip_prefix(b"http://").is_some_and(is_host);
        header(header::HOST).is_some_and(is_host) && header(header::ORIGIN).is_none_or(is_origin)
    }
}

/// Reads a request of the page, and answers it on a thread that may wait for the file.
async fn answer_request(body: Incoming, session: Arc<Session>) -> Answer {
    let Ok(body) = Limited::new(body, MOST).collect().await else {
        return text(StatusCode::PAYLOAD_TOO_LARGE, "a request is shorter");
    };
    let Ok(request) = String::from_utf8(body.to_bytes().into()) else {
        return text(StatusCode::BAD_REQUEST, "a request is text");
    };
    match tokio::task::spawn_blocking(move || session.answer(&request)).await {
        Ok(answer) => response(StatusCode::OK, "application/json", answer.into()),
        Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "the request cannot be answered"),
    }
}

/// Returns 32 random hexadecimal digits.
fn secret() -> String {
    let part = |half: u64| format!("{:016x}", RandomState::new().hash_one(half));
    part(0) + &part(1)
}

fn text(status: StatusCode, text: &'static str) -> Answer {
    response(status, "text/plain; charset=utf-8", text.into())
}

fn response(status: StatusCode, media_type: &'static str, body: Bytes) -> Answer {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
