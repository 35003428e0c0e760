//! Commits that are stopped: before any operation on files, by an error or by the end of the process.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::commits::{params, walks};
use super::{Attributes, ContiguousFrame, Edit, Frame, packed, walk};
use crate::frame::commit_step::stop_at;

/// The name of the test that runs in a child process.
const CHILD: &str = "frame::tests::crash::child";

/// The variables that tell it what to do.
const VARIABLES: [&str; 3] = ["TREVNI_TEST_FRAME", "TREVNI_TEST_CHANGE", "TREVNI_TEST_STEP"];

/// How many kinds of changes there are.
const CHANGES: usize = 6;

fn change(frame: &mut Frame, number: usize) -> trevni::Result<()> {
    let chunk = packed(&params(), &walk(77, 256));
    match number {
        0 => frame.append(&chunk),
        1 => frame.update(1, &chunk),
        2 => frame.delete(0),
        3 => frame.insert(1, &packed(&params(), &walk(78, 10))),
        4 => frame.set_attributes(&Attributes::from_iter([("k".into(), json!(number))])),
        _ => {
            // Enough is removed that the file is rewritten.
            let chunks = vec![(0, chunk)];
            frame.commit(Edit { chunks, count: 1, shape: vec![256], attributes: None })
        }
    }
}

/// Returns what a reader sees of a frame.
fn seen(path: &Path) -> (Vec<u8>, String) {
    let frame = Frame::open(path).unwrap();
    (frame.bytes(), format!("{:?}", frame.get().layout()))
}

/// Returns a frame in a new folder, and what a change makes of it.
fn before_and_after(sparse: bool, number: usize) -> [(Vec<u8>, String); 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.b2frame");
    let (mut frame, _) = walks(&path, sparse, 3);
    let before = seen(&path);
    change(&mut frame, number).unwrap();
    [before, seen(&path)]
}

#[test]
fn child() {
    let [Ok(path), Ok(number), Ok(step)] = VARIABLES.map(std::env::var) else { return };
    let mut frame = Frame::open(Path::new(&path)).unwrap();
    stop_at(Some(step.parse().unwrap()), true);
    change(&mut frame, number.parse().unwrap()).unwrap();
}

/// The next change after a crash finds a complete frame; leftover files do no harm.
fn goes_on(path: &Path) {
    let mut frame = Frame::open(path).unwrap();
    let mut expected = frame.bytes();
    frame.append(&packed(&params(), &walk(99, 256))).unwrap();
    expected.extend(walk(99, 256));
    assert_eq!(frame.bytes(), expected);
    assert_eq!(Frame::open(path).unwrap().bytes(), expected);
}

#[test]
fn a_crash_leaves_the_old_frame_or_the_new() {
    for (sparse, number) in [(false, 1), (false, 5), (true, 1), (true, 3)] {
        let [before, after] = before_and_after(sparse, number);
        let (mut old, mut new) = (0, 0);
        for step in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.b2frame");
            walks(&path, sparse, 3);
            let mut child = Command::new(std::env::current_exe().unwrap());
            let values = [path.to_str().unwrap(), &number.to_string(), &step.to_string()];
            child.args(["--exact", CHILD]).envs(VARIABLES.into_iter().zip(values));
            let whole = child.output().unwrap().status.success();
            let found = seen(&path);
            assert!(found == before || found == after, "{sparse} {number} {step}");
            old += u32::from(found == before);
            new += u32::from(found == after);
            goes_on(&path);
            if whole {
                assert!(found == after);
                break;
            }
        }
        assert!(old >= 4 && new >= 1, "{old} old, {new} new");
    }
}

#[test]
fn an_error_leaves_the_old_frame() {
    for number in 0..CHANGES {
        for sparse in [false, true] {
            let [before, after] = before_and_after(sparse, number);
            for step in 0.. {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("a.b2frame");
                let (mut frame, _) = walks(&path, sparse, 3);
                stop_at(Some(step), false);
                let changed = change(&mut frame, number);
                stop_at(None, false);
                let found = seen(&path);
                assert!(found == if changed.is_ok() { after.clone() } else { before.clone() });
                assert_eq!(frame.bytes(), found.0, "{sparse} {number} {step}");
                if let Err(e) = changed {
                    assert_eq!(e.to_string(), "stopped");
                    change(&mut frame, number).unwrap();
                    assert!(seen(&path) == after, "{sparse} {number} {step}");
                } else if step > 20 {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_write_that_is_cut_anywhere_leaves_the_old_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.b2frame");
    let (mut frame, parts) = walks(&path, false, 3);
    let old = std::fs::read(&path).unwrap();
    change(&mut frame, 0).unwrap();
    let new = std::fs::read(&path).unwrap();
    let header = frame.header().encoded_len();
    assert_eq!(new[header..old.len()], old[header..]);
    for cut in (old.len()..=new.len()).step_by(7) {
        let torn = [&old[..header], &new[header..cut]].concat();
        let found = ContiguousFrame::from_source(bytes::Bytes::from(torn)).unwrap();
        assert_eq!(super::bytes_of(&found).unwrap(), parts.concat());
    }
}
