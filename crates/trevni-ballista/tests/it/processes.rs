//! Processes of a cluster, which are killed when a test ends.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub(crate) struct Process(Child);

impl Process {
    fn start(command: &mut Command, log: &Path) -> Self {
        let log = std::fs::File::create(log).unwrap();
        command.stdout(log.try_clone().unwrap()).stderr(log).stdin(Stdio::null());
        Self(command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}")))
    }

    pub(crate) fn kill(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until a server listens.
fn wait_for(port: u16) {
    for _ in 0..600 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("no server at port {port}");
}

/// A store with the interface of S3, and a bucket.
pub(crate) struct Store {
    _process: Process,
    pub(crate) endpoint: String,
}

impl Store {
    pub(crate) fn start(folder: &Path) -> Self {
        let port = free_port();
        let mut command = Command::new("moto_server");
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        let process = Process::start(&mut command, &folder.join("store.log"));
        wait_for(port);
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let request = "PUT /bucket HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        Self { _process: process, endpoint: format!("http://127.0.0.1:{port}") }
    }
}

/// Starts a scheduler that notices in seconds that an executor is lost. Returns its port.
pub(crate) fn scheduler(folder: &Path) -> (Process, u16) {
    let port = free_port();
    let mut command = Command::new(env!("CARGO_BIN_EXE_trevni-scheduler"));
    command.args(["--bind-host", "127.0.0.1", "--bind-port", &port.to_string()]);
    command.args(["--executor-timeout-seconds", "4"]);
    command.args(["--expire-dead-executor-interval-seconds", "1"]);
    let process = Process::start(&mut command, &folder.join("scheduler.log"));
    wait_for(port);
    (process, port)
}

pub(crate) fn executor(folder: &Path, number: usize, scheduler: u16) -> Process {
    let (port, grpc, health) = (free_port(), free_port(), free_port());
    let work = folder.join(format!("executor{number}"));
    std::fs::create_dir_all(&work).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_trevni-executor"));
    command.args(["--bind-host", "127.0.0.1", "--bind-port", &port.to_string()]);
    command.args(["--bind-grpc-port", &grpc.to_string()]);
    command.args(["--bind-health-port", &health.to_string()]);
    command.args(["--scheduler-host", "127.0.0.1", "--scheduler-port", &scheduler.to_string()]);
    command.args(["--executor-heartbeat-interval-seconds", "1"]);
    command.arg("--work-dir").arg(&work);
    let process = Process::start(&mut command, &folder.join(format!("executor{number}.log")));
    wait_for(port);
    process
}
