//! Killed writers: the old rows exist, or all that they wrote.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const NAME: &str = "dataset::tests::crash::a_writer_that_dies_leaves_the_old_or_the_new";

/// How many steps this process may still do.
static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// A step of a writer; the last one that it may do is its end.
pub(in crate::dataset) fn step() {
    let less = |left: usize| if left == usize::MAX { Some(left) } else { left.checked_sub(1) };
    if LEFT.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_err() {
        std::process::abort();
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Task {
    Fresh,
    Append,
    Partitioned,
    Replace,
    Adopt,
}

const TASKS: [Task; 5] = [Task::Fresh, Task::Append, Task::Partitioned, Task::Replace, Task::Adopt];

fn prepare(path: &Path, task: Task) {
    let by: &[&str] = if task == Task::Partitioned { &["year"] } else { &[] };
    match task {
        Task::Fresh => {}
        Task::Adopt => {
            let file = std::fs::File::create(path.join("plain.trv")).unwrap();
            let batch = rows(0..50);
            let mut writer =
                crate::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
        }
        _ => {
            let properties = DatasetProperties::builder().set_partition_by(by.to_vec()).build();
            write(path, &[rows(0..50)], properties);
        }
    }
}

fn change(path: &Path, task: Task) {
    let mode = if task == Task::Replace { DatasetMode::Overwrite } else { DatasetMode::Append };
    let properties = DatasetProperties::builder().set_mode(mode).set_max_rows_per_file(20).build();
    write(path, &[rows(100..130), rows(130..150)], properties);
}

/// Returns the existing ids; none if there is no data set.
fn state(path: &Path) -> Vec<i64> {
    match Dataset::open(path) {
        Ok(table) => ids(&collect(table.scan())),
        Err(e) => match e.kind() {
            crate::ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            _ => panic!("{e}"),
        },
    }
}

fn old_and_new(task: Task) -> [Vec<i64>; 2] {
    let (old, new) = ((0..50).collect::<Vec<_>>(), 100..150);
    match task {
        Task::Fresh => [Vec::new(), new.collect()],
        Task::Replace => [old, new.collect()],
        _ => [old.clone(), old.into_iter().chain(new).collect()],
    }
}

fn child(path: &Path, task: Task, steps: usize) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--test-threads=1"])
        .env("TREVNI_DATASET_FOLDER", path)
        .env("TREVNI_DATASET_TASK", TASKS.iter().position(|one| *one == task).unwrap().to_string())
        .env("TREVNI_DATASET_STEPS", steps.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Checks that a killed writer left the old or the new state, and that the next one continues from there.
fn check(path: &Path, task: Task) -> bool {
    let [old, new] = old_and_new(task);
    let found = state(path);
    assert!(found == old || found == new, "{task:?}: {found:?}");
    let landed = found == new;
    change(path, task);
    let mut expected = if task == Task::Replace { (100..150).collect() } else { found };
    if task != Task::Replace {
        expected.extend(100..150);
        expected.sort_unstable();
    }
    assert_eq!(state(path), expected, "{task:?}");
    Dataset::vacuum(path, Duration::ZERO).unwrap();
    assert_eq!(state(path), expected, "{task:?}");
    assert_eq!(files_in(path).len(), Dataset::open(path).unwrap().files().count(), "{task:?}");
    landed
}

#[test]
fn a_writer_that_dies_leaves_the_old_or_the_new() {
    if let Some(path) = std::env::var_os("TREVNI_DATASET_FOLDER") {
        let number = |name| std::env::var(name).unwrap().parse::<usize>().unwrap();
        LEFT.store(number("TREVNI_DATASET_STEPS"), Ordering::SeqCst);
        return change(Path::new(&path), TASKS[number("TREVNI_DATASET_TASK")]);
    }
    std::thread::scope(|scope| {
        for task in TASKS {
            scope.spawn(move || die_everywhere(task));
        }
    });
}

fn die_everywhere(task: Task) {
    let (mut died, mut landed) = (0, 0);
    for steps in 0.. {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), task);
        let status = child(folder.path(), task, steps).wait().unwrap();
        landed += usize::from(check(folder.path(), task));
        if status.success() {
            break;
        }
        died += 1;
    }
    println!("{task:?}: died at {died} steps, of which {} behind its commit", landed - 1);
    assert!(died >= 6 && landed == 2, "{task:?}: {died} {landed}");
}

#[cfg(unix)]
#[test]
fn a_writer_that_is_killed_anywhere_leaves_the_old_or_the_new() {
    // The duration of a writer that is not killed.
    let folder = tempfile::tempdir().unwrap();
    let started = std::time::Instant::now();
    child(folder.path(), Task::Fresh, usize::MAX - 1).wait().unwrap();
    let whole = started.elapsed().as_micros() as u64;
    let mut landed = 0;
    for turn in 0..20 {
        let task = TASKS[turn % TASKS.len()];
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path(), task);
        let mut child = child(folder.path(), task, usize::MAX - 1);
        let wait = whole * (turn as u64 * 7 % 20) / 18;
        std::thread::sleep(Duration::from_micros(wait));
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        landed += usize::from(check(folder.path(), task));
    }
    println!("killed 20 writers, {landed} of them behind their commits");
}
