//! Changes that end in the middle.

use std::path::PathBuf;

use super::spec::write;
use super::*;
use crate::journal::tests::{crash_at, crash_child};

const NAME: &str = "rootdir::tests::crash::a_change_of_a_table_is_whole_or_not_at_all";

fn columns() -> Vec<(String, Storage)> {
    vec![("a".to_owned(), storage("int32", 10)), ("b".to_owned(), storage("|S3", 10))]
}

fn before() -> [Vec<u8>; 2] {
    [some_bytes(4 * 35, 1), some_bytes(3 * 35, 2)]
}

fn after() -> [Vec<u8>; 2] {
    [some_bytes(4 * 12, 5), some_bytes(3 * 12, 6)]
}

fn prepare(path: &Path, form: DirectoryFormat) {
    let mut builder = CtableBuilder::create(path, columns(), form, false).unwrap();
    for (i, ((_, storage), data)) in columns().iter().zip(before()).enumerate() {
        for chunk in chunks_of(storage, &[35], &data) {
            builder.push(i, &chunk).unwrap();
        }
    }
    builder.finish(&[vec![35], vec![35]], &Attributes::new()).unwrap();
}

/// Truncates the table, changes all other rows, and sets an attribute.
fn change(path: &Path) {
    let mut table = Ctable::open(path).unwrap();
    let pairs = columns().into_iter().zip(before().into_iter().zip(after()));
    let edits = pairs.map(|((_, storage), (old, new))| edit(&storage, &old, &[12], &new)).collect();
    let attributes = serde_json::json!({"state": "new"}).as_object().unwrap().clone();
    table.commit(edits, Some(attributes)).unwrap();
}

fn add_column(path: &Path) {
    let storage = storage("int8", 10);
    let chunks = chunks_of(&storage, &[35], &some_bytes(35, 9));
    let chunks = chunks.into_iter().map(Ok);
    Ctable::open(path).unwrap().add_column(1, "c", storage, &[35], chunks).unwrap();
}

fn state(path: &Path) -> (Vec<String>, Vec<Vec<u8>>, String) {
    let table = Ctable::open(path).unwrap();
    let attributes = serde_json::to_string(table.attributes()).unwrap();
    (table.names().to_vec(), table.columns().iter().map(decode).collect(), attributes)
}

#[test]
fn a_change_of_a_table_is_whole_or_not_at_all() {
    let run = |task: &str, path: &Path| match task {
        "change" => change(path),
        "add" => add_column(path),
        _ => Ctable::open(path).unwrap().remove_column("a").unwrap(),
    };
    if let Some((path, task)) = crash_child() {
        return run(&task, &path);
    }
    let home = tempfile::tempdir().unwrap();
    for (form, task) in [(0, "change"), (1, "change"), (0, "add"), (2, "remove")] {
        let path = |name: &str| -> PathBuf { home.path().join(format!("{form}-{task}-{name}")) };
        let [old, new] = ["old", "new"].map(path);
        for path in [&old, &new] {
            prepare(path, FORMS[form]);
        }
        let prepared = files(&old);
        run(task, &new);
        let (old, new) = (state(&old), state(&new));
        assert_ne!(old, new);
        // The states during a change, with their counts.
        let (mut seen_old, mut seen_new) = (0, 0);
        for step in 0.. {
            let path = path(&step.to_string());
            write(&path, &prepared);
            let killed = crash_at(NAME, &path, task, step);
            let found = state(&path);
            assert!(found == old || found == new, "{form} {task} {step}");
            assert!(found == new || seen_new == 0, "{form} {task} {step}");
            *if found == new { &mut seen_new } else { &mut seen_old } += 1;
            if found == old {
                run(task, &path);
                assert_eq!(state(&path), new, "{form} {task} {step}: again");
            }
            if !killed {
                assert_eq!(found, new);
                break;
            }
        }
        println!("{form} {task}: old {seen_old} times, new {seen_new}");
        assert!(seen_old > 3 && seen_new > 3);
    }
}
