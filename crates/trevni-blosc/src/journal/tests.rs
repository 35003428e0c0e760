use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::record::Record;
use super::*;

/// How many file operations this process may still do.
static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The exit code of a process that ran out of them.
const KILLED: i32 = 86;

pub(super) fn step() {
    let less = |left: usize| if left == usize::MAX { Some(left) } else { left.checked_sub(1) };
    if LEFT.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_err() {
        // No destructor runs, as in a crash.
        std::process::exit(KILLED);
    }
}

/// In a child of [`crash_at`]: the folder to change, and the name of what to do.
pub(crate) fn crash_child() -> Option<(PathBuf, String)> {
    let folder = std::env::var_os("TREVNI_CRASH_FOLDER")?;
    let left = std::env::var("TREVNI_CRASH_AFTER").unwrap().parse().unwrap();
    LEFT.store(left, Ordering::SeqCst);
    Some((folder.into(), std::env::var("TREVNI_CRASH_TASK").unwrap()))
}

/// Runs a test of this binary in a child process that exits before its file operation number `after`. Returns
/// whether it reached that.
pub(crate) fn crash_at(test: &str, folder: &Path, task: &str, after: usize) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env("TREVNI_CRASH_FOLDER", folder)
        .env("TREVNI_CRASH_AFTER", after.to_string())
        .env("TREVNI_CRASH_TASK", task)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(KILLED) => true,
        Some(0) => {
            assert!(text.contains("1 passed"), "{test} is not the name of a test: {text}");
            false
        }
        _ => panic!("child: {} {text} {}", output.status, String::from_utf8_lossy(&output.stderr)),
    }
}

fn state(folder: &Folder) -> Vec<(&'static str, Option<Vec<u8>>)> {
    ["a", "b/c", "d", "e/f/g", "h/i"]
        .into_iter()
        .map(|path| (path, folder.read(path, 100).unwrap().map(|bytes| bytes.to_vec())))
        .collect()
}

fn prepare(root: &Path) {
    fs::create_dir_all(root.join("b")).unwrap();
    fs::create_dir_all(root.join("h")).unwrap();
    for path in ["a", "b/c", "d", "h/i"] {
        fs::write(root.join(path), b"old").unwrap();
    }
}

fn change(root: &Path) -> Result<()> {
    let mut change = Transaction::new(root)?;
    change.put("a", &[b"n", b"ew"])?;
    change.put("b/c", &[b"newer"])?;
    change.put("e/f/g", &[b""])?;
    change.remove("d")?;
    change.remove("h")?;
    change.remove("never there")?;
    change.folder("k/l")?;
    change.commit()
}

fn every_file(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        found.push(path.display().to_string());
        if path.is_dir() {
            found.extend(every_file(&path));
        }
    }
    found.sort();
    found
}

#[test]
fn a_crash_at_any_point_leaves_old_or_new() {
    const NAME: &str = "journal::tests::a_crash_at_any_point_leaves_old_or_new";
    if let Some((root, task)) = crash_child() {
        match task.as_str() {
            "change" => change(&root).unwrap(),
            _ => drop(Transaction::new(&root).unwrap()),
        }
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| home.path().join(name));
    for root in [&old, &new] {
        prepare(root);
    }
    change(&new).unwrap();
    let [old, new] = [old, new].map(|root| state(&Folder::open(&root).unwrap()));
    assert_ne!(old, new);

    let (mut seen_old, mut seen_new) = (0, 0);
    for after in 0.. {
        let root = home.path().join(after.to_string());
        prepare(&root);
        let killed = crash_at(NAME, &root, "change", after);
        let files = every_file(&root);
        let found = state(&Folder::open(&root).unwrap());
        assert_eq!(every_file(&root), files, "reading writes nothing");
        assert!(found == old || found == new, "after {after}: {found:?}");
        // Once the new state is visible it stays.
        assert!(found == new || seen_new == 0, "after {after}");
        *if found == new { &mut seen_new } else { &mut seen_old } += 1;
        // The next writer may die, too.
        let mut again = 0;
        while crash_at(NAME, &root, "recover", again) {
            assert_eq!(state(&Folder::open(&root).unwrap()), found, "after {after}, {again}");
            again += 1;
        }
        assert_eq!(state(&Folder::open(&root).unwrap()), found);
        assert!(!root.join(STAGE).exists());
        assert_eq!(root.join("h").exists(), found == old);
        assert_eq!(root.join("k/l").is_dir(), found == new);
        if !killed {
            assert_eq!(found, new);
            break;
        }
    }
    println!("died at {seen_old} points before and {seen_new} behind the journal");
    assert!(seen_old > 5 && seen_new > 5, "{seen_old} {seen_new}");
}

#[test]
fn an_error_or_a_change_of_mind_leaves_the_old_state() {
    let home = tempfile::tempdir().unwrap();
    prepare(home.path());
    let old = state(&Folder::open(home.path()).unwrap());
    let mut dropped = Transaction::new(home.path()).unwrap();
    dropped.put("a", &[b"x"]).unwrap();
    let other = Transaction::new(home.path());
    if cfg!(unix) {
        assert!(other.unwrap_err().to_string().contains("another writer"));
    }
    drop(dropped);
    for twice in ["a", "h", "b/c"] {
        let mut change = Transaction::new(home.path()).unwrap();
        change.put("a", &[b"x"]).unwrap();
        change.put("h/new", &[b"x"]).unwrap();
        change.put("b/c", &[b"x"]).unwrap();
        match twice {
            "b/c" => change.put("b/c", &[b"y"]).unwrap(),
            gone => change.remove(gone).unwrap(),
        }
        assert!(matches!(change.commit().unwrap_err().kind(), trevni::ErrorKind::Invalid(_)));
    }
    assert_eq!(state(&Folder::open(home.path()).unwrap()), old);
    assert!(!home.path().join(STAGE).exists());
}

#[test]
fn names_go_through_the_journal_and_half_of_one_is_none() {
    let home = tempfile::tempdir().unwrap();
    prepare(home.path());
    let stage = home.path().join(STAGE);
    fs::create_dir(&stage).unwrap();
    fs::write(stage.join("1-0"), b"waiting").unwrap();
    let record = Record {
        rename: vec![("1-0".into(), "b/z".into())],
        remove: vec!["b/c".into(), "h".into()],
        folders: Vec::new(),
    };
    let bytes = record.to_bytes();
    assert_eq!(Record::parse(&bytes).unwrap(), Some(record));
    for cut in 0..bytes.len() {
        fs::write(stage.join(JOURNAL), &bytes[..cut]).unwrap();
        let folder = Folder::open(home.path()).unwrap();
        assert!(folder.exists("b/c").unwrap() && !folder.exists("b/z").unwrap(), "{cut}");
    }
    fs::write(stage.join(JOURNAL), &bytes).unwrap();
    let folder = Folder::open(home.path()).unwrap();
    assert_eq!(folder.names("b").unwrap().into_iter().collect::<Vec<_>>(), ["z"]);
    assert_eq!(folder.child("b").unwrap().read("z", 7).unwrap().unwrap(), "waiting");
    assert!(folder.read("b/z", 6).unwrap_err().to_string().contains("exceeds the limit"));
    assert!(!folder.exists("h").unwrap() && folder.names("h").unwrap().is_empty());
    assert!(folder.exists("b").unwrap() && folder.file("b").is_err());
}

#[test]
fn paths_of_hostile_journals_are_refused() {
    let rename = |from: &str, to: &str| Record {
        rename: vec![(from.into(), to.into())],
        ..Record::default()
    };
    let mut hostile = vec![rename("../a", "a"), rename("", "a"), rename("x/1", "a")];
    let paths = [
        "/etc/a",
        "../a",
        "a/../../b",
        "a//b",
        "",
        "a/",
        ".",
        "c:/a",
        "a\\b",
        ".trevni/journal",
        "a\0",
    ];
    hostile.extend(paths.map(|path| rename("1-0", path)));
    hostile.extend(paths.map(|path| Record { remove: vec![path.into()], ..Record::default() }));
    for record in hostile {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join(STAGE)).unwrap();
        fs::write(home.path().join(STAGE).join(JOURNAL), record.to_bytes()).unwrap();
        assert!(Folder::open(home.path()).is_err(), "{record:?}");
        assert!(Transaction::new(home.path()).is_err(), "{record:?}");
    }
    hostile_bodies();
}

fn hostile_bodies() {
    for body in [
        "{}",
        "[]",
        "{\"rename\":[[1]],\"remove\":[],\"folders\":[]}",
        "{\"rename\":[],\"remove\":[1]}",
        "x",
    ] {
        let crc = crc32fast::hash(body.as_bytes());
        let text = format!("{{\"journal\":{body},\"crc32\":{crc}}}\n");
        assert!(Record::parse(text.as_bytes()).is_err(), "{body}");
    }
}

#[test]
fn paths_of_callers_stay_within() {
    let home = tempfile::tempdir().unwrap();
    assert!(Folder::open(home.path()).unwrap().file("../x").is_err());
    assert!(Folder::open(home.path()).unwrap().child("..").is_err());
}

#[test]
fn a_new_folder_is_whole_or_not_there() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x");
    let mut dropped = NewFolder::create(&path, false).unwrap();
    dropped.put("a/b", &[b"1"]).unwrap();
    drop(dropped);
    assert!(every_file(home.path()).is_empty());

    let mut late = NewFolder::create(&path, false).unwrap();
    late.put("a/b", &[b"late"]).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(late.commit().unwrap_err().to_string().contains("exists"));
    assert!(NewFolder::create(&path, false).is_err());

    for text in [&b"first"[..], b"second"] {
        let mut forced = NewFolder::create(&path, true).unwrap();
        forced.put("a/b", &[text]).unwrap();
        forced.folder("empty").unwrap();
        assert!(forced.put("../c", &[b""]).is_err());
        forced.commit().unwrap();
        assert_eq!(fs::read(path.join("a/b")).unwrap(), text);
        assert!(path.join("empty").is_dir());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}

/// Returns the bytes of a journal of these renames and removals.
pub(crate) fn record_of(rename: &[(&str, &str)], remove: &[&str]) -> Vec<u8> {
    let owned = |text: &&str| (*text).to_owned();
    let rename = rename.iter().map(|(from, to)| (owned(from), owned(to))).collect();
    Record { rename, remove: remove.iter().map(owned).collect(), folders: Vec::new() }.to_bytes()
}
