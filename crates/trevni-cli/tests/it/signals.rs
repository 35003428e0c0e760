//! Commands that are killed: the output is the old one or the new one, and nothing else is left.
//!
//! `TREVNI_KILLS` is the number of moments for each signal and format; the figure of a release is 50.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::*;

const SIGNALS: [Signal; 4] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL];

/// Formats, by the name of the output, and further arguments.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("x.trv", &[]),
    ("x.csv", &[]),
    ("x.jsonl", &[]),
    ("x.arrow", &[]),
    ("x.arrows", &[]),
    #[cfg(feature = "parquet")]
    ("x.parquet", &[]),
    #[cfg(feature = "avro")]
    ("x.avro", &[]),
    #[cfg(feature = "blosc")]
    ("x.blp", &[]),
    #[cfg(feature = "blosc")]
    ("x.b2nd", &["--columns", "id"]),
    #[cfg(feature = "blosc")]
    ("x.bcolz", &[]),
    #[cfg(feature = "blosc")]
    ("x.sparse", &["--columns", "id", "--to", "sparse"]),
    ("table/", &["--file-rows", "1500", "--partition-by", "kind"]),
];

fn kills() -> u32 {
    std::env::var("TREVNI_KILLS").map_or(2, |text| text.parse().unwrap())
}

/// Writes rows that take a while to convert, or those of the existing output.
fn write_rows(path: &Path, rows: std::ops::Range<u64>) {
    let mut text = String::from("id,kind,value\n");
    for id in rows {
        text += &format!("{id},k{},{}\n", id % 3, id as f64 * 0.37);
    }
    std::fs::write(path, text).unwrap();
}

fn start(input: &Path, output: &Path, extra: &[&str]) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_trevni"))
        .args(["convert", str(input), str(output), "--force"])
        .args(extra)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Returns the paths of all files below a folder.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => drop(all.insert(path)),
        }
    }
    all
}

/// Files with temporary names.
fn temporary(folder: &Path) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| {
        let text = path.to_str().unwrap();
        text.contains("/.trevni") || text.contains("/.pending")
    };
    files(folder).into_iter().filter(is_one).collect()
}

/// Files of a data set that no commit names. (Old commits name files that were replaced.)
fn orphans(table: &Path) -> usize {
    let mut named = BTreeSet::new();
    for commit in std::fs::read_dir(table.join("_commits")).into_iter().flatten() {
        let path = commit.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "trv")
            && !path.file_name().unwrap().to_str().unwrap().starts_with('.')
        {
            for line in out(&["cat", str(&path), "--columns", "path"]).lines() {
                let line: Json = serde_json::from_str(line).unwrap();
                named.insert(table.join(line["path"].as_str().unwrap()));
            }
        }
    }
    let parts = files(table).into_iter().filter(|path| !path.starts_with(table.join("_commits")));
    parts.filter(|path| !named.contains(path)).count()
}

/// Returns the rows of an output.
fn rows(path: &Path) -> u64 {
    out(&["count", str(path)]).trim().parse().unwrap()
}

#[derive(Default)]
struct Seen {
    killed: u32,
    old: u32,
}

/// Kills a conversion at a random moment. Returns whether it was running, and whether the old output exists.
fn kill_one(folder: &Path, name: &str, extra: &[&str], signal: Signal, most: Duration) -> Seen {
    let [small, large] = ["small.csv", "large.csv"].map(|name| folder.parent().unwrap().join(name));
    let output = folder.join(name);
    let is_table = name.ends_with('/');
    let first = start(&small, &output, extra).wait().unwrap();
    assert!(first.success(), "{name}");
    assert_eq!(temporary(folder), [] as [PathBuf; 0], "{name}: after a run");
    assert_eq!(if is_table { orphans(&output) } else { 0 }, 0, "{name}");

    let mut child = start(&large, &output, extra);
    std::thread::sleep(most.mul_f64(fastrand::f64()));
    let _ = kill_process(Pid::from_child(&child), signal);
    let status = child.wait().unwrap();
    let killed = status.signal().is_some();
    assert!(killed || status.success(), "{name} {signal:?}: {status}");
    if killed {
        assert_eq!(status.signal(), Some(signal.as_raw()), "{name}");
        if signal != Signal::KILL {
            assert_eq!(temporary(folder), [] as [PathBuf; 0], "{name} {signal:?}");
            assert_eq!(if is_table { orphans(&output) } else { 0 }, 0, "{name} {signal:?}");
        }
    }
    let found = rows(&output);
    assert!(found == 50 || found == 6000, "{name} {signal:?}: {found} rows");
    assert!(killed || found == 6000, "{name} {signal:?}");
    Seen { killed: killed.into(), old: (found == 50).into() }
}

#[test]
fn an_output_is_the_old_one_or_the_new_one() {
    let home = tempfile::tempdir().unwrap();
    write_rows(&home.path().join("small.csv"), 0..50);
    write_rows(&home.path().join("large.csv"), 0..6000);
    let seen: Vec<Seen> = std::thread::scope(|scope| {
        let halves = OUTPUTS.chunks(OUTPUTS.len().div_ceil(2)).enumerate();
        let threads: Vec<_> = halves
            .map(|(half, outputs)| {
                let folder = home.path().join(half.to_string());
                scope.spawn(move || kill_all(&folder, outputs))
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let sum = |of: fn(&Seen) -> u32| seen.iter().map(of).sum::<u32>();
    println!("{} of {} were killed, {} old", sum(|s| s.killed), seen.len(), sum(|s| s.old));
    assert!(sum(|seen| seen.killed) > 0);
}

fn kill_all(folder: &Path, outputs: &[(&str, &[&str])]) -> Vec<Seen> {
    let mut seen = Vec::new();
    for (name, extra) in outputs {
        std::fs::create_dir(folder).unwrap();
        let started = Instant::now();
        let large = folder.parent().unwrap().join("large.csv");
        assert!(start(&large, &folder.join(name), extra).wait().unwrap().success(), "{name}");
        let most = started.elapsed().mul_f64(1.1);
        for signal in SIGNALS {
            for _ in 0..kills() {
                seen.push(kill_one(folder, name, extra, signal, most));
            }
        }
        // The next run leaves nothing of those before.
        let small = folder.parent().unwrap().join("small.csv");
        assert!(start(&small, &folder.join(name), extra).wait().unwrap().success(), "{name}");
        assert_eq!(temporary(folder), [] as [PathBuf; 0], "{name}: at the end");
        std::fs::remove_dir_all(folder).unwrap();
    }
    seen
}

/// The parts of an unfinished upload are removed.
#[cfg(feature = "object_store")]
#[test]
fn an_upload_is_aborted() {
    let home = tempfile::tempdir().unwrap();
    let input = home.path().join("rows.csv");
    write_rows(&input, 0..1_000_000);
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let to = home.path().join("to");
        let url = PathBuf::from(format!("file://{}/rows.jsonl", str(&to)));
        let mut child = start(&input, &url, &[]);
        // Until the first part exists.
        while child.try_wait().unwrap().is_none() && !to.is_dir() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = kill_process(Pid::from_child(&child), signal);
        let status = child.wait().unwrap();
        let left = files(&to);
        match status.signal() {
            Some(_) => assert_eq!(left, BTreeSet::new(), "{signal:?}"),
            None => assert!(status.success() && left.len() == 1, "{signal:?}: {left:?}"),
        }
        std::fs::remove_dir_all(&to).unwrap();
    }
}

/// A signal that was ignored when the command started, as by `nohup`, stays ignored.
#[test]
fn an_ignored_signal_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("x.csv");
    let command = format!(
        "trap '' HUP; (sleep 0.3; printf 'a\\n1\\n') | {{ exec 3<&0; {{ '{}' convert - '{}' --from csv <&3 & sleep 0.1; kill -HUP $!; wait $!; }}; }}",
        env!("CARGO_BIN_EXE_trevni"),
        to.display()
    );
    let done = Command::new("sh").args(["-c", &command]).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(std::fs::read_to_string(to).unwrap(), "a\n1\n");
}
