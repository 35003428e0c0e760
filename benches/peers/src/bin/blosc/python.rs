//! Peers in Python: one process, which is asked for each lap over a pipe and times itself.
//!
//! ```text
//! we    write bcolz 1 0 0          what, home, threads, elements from, to
//! it    71.25                      milliseconds; - if there is no such thing; ! and what went wrong
//! ```

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use crate::Result;
use crate::course::Course;
use crate::race::{Measure, Racer};

const HOMES: [(&str, &str); 6] = [
    ("chunk2", "blosc2"),
    ("bloscpack", "bloscpack"),
    ("bloscpack-adler32", "bloscpack"),
    ("bcolz", "bcolz"),
    ("contiguous", "blosc2"),
    ("sparse", "blosc2"),
];

/// The process.
struct Peer {
    child: Child,
    ask: ChildStdin,
    answer: BufReader<ChildStdout>,
}

impl Peer {
    fn start(program: &Path, course: &Course, cpu: bool) -> Result<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/blosc_peers.py");
        let mut command = Command::new(program);
        command.arg(script).arg(&course.dir).arg(&course.name).args(cpu.then_some("cpu"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (ask, answer) = (child.stdin.take(), child.stdout.take());
        let (ask, answer) = (ask.ok_or("no pipe")?, BufReader::new(answer.ok_or("no pipe")?));
        Ok(Self { child, ask, answer })
    }

    fn ask(&mut self, question: &str) -> Result<Option<f64>> {
        writeln!(self.ask, "{question}")?;
        let mut answer = String::new();
        self.answer.read_line(&mut answer)?;
        match answer.trim() {
            "" => Err(format!("the Python peer is gone at: {question}").into()),
            "-" => Ok(None),
            wrong if wrong.starts_with('!') => Err(format!("{question}: {wrong}").into()),
            number => Ok(Some(number.parse()?)),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Everything that Python's peers have, on so many threads.
pub fn racers(
    program: &Path,
    course: &Course,
    threads: usize,
    cpu: bool,
) -> Result<Vec<Box<dyn Racer>>> {
    let peer = Rc::new(RefCell::new(Peer::start(program, course, cpu)?));
    let racer = |(home, who): &(&'static str, &'static str)| -> Box<dyn Racer> {
        Box::new(Asked { home, who, threads, peer: peer.clone() })
    };
    Ok(HOMES.iter().map(racer).collect())
}

struct Asked {
    home: &'static str,
    who: &'static str,
    threads: usize,
    peer: Rc<RefCell<Peer>>,
}

impl Asked {
    fn ask(&self, what: &str, from: usize, to: usize) -> Result<Option<f64>> {
        let question = format!("{what} {} {} {from} {to}", self.home, self.threads);
        self.peer.borrow_mut().ask(&question)
    }
}

impl Racer for Asked {
    fn home(&self) -> &'static str {
        self.home
    }

    fn who(&self) -> &'static str {
        self.who
    }

    fn clear(&mut self) -> Result<()> {
        self.ask("clear", 0, 0).map(drop)
    }

    fn lap(
        &mut self,
        course: &Course,
        measure: Measure,
        lap: usize,
        _: &mut [u8],
    ) -> Result<Option<f64>> {
        let what = match measure {
            Measure::Write => "write",
            Measure::Read => "read",
            Measure::Load => "load",
            Measure::Element => "element",
            Measure::Chunk => "chunk",
        };
        let elements = course.lap(lap);
        self.ask(what, elements.start, elements.end)
    }

    fn check(&mut self, course: &Course, _: &mut [u8]) -> Result<u64> {
        let elements = course.lap(0);
        let bytes = self.ask("check", elements.start, elements.end)?;
        Ok(bytes.ok_or("no size")? as u64)
    }
}
