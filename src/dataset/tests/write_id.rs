//! Writes that are repeated: they are committed once.

use ::object_store::ObjectStore;
use ::object_store::memory::InMemory;
use futures_util::TryStreamExt;

use super::*;

async fn written(store: &Arc<dyn ObjectStore>, mode: DatasetMode) -> UncommittedFiles {
    let batch = rows(0..10);
    let properties = DatasetProperties::builder().set_mode(mode).build();
    let writer = AsyncDatasetWriter::try_new(store.clone(), "t", batch.schema(), properties);
    let mut writer = writer.await.unwrap();
    writer.write(&batch).await.unwrap();
    writer.finish_files().await.unwrap()
}

async fn objects(store: &Arc<dyn ObjectStore>) -> usize {
    let listed: Vec<_> = store.list(None).try_collect().await.unwrap();
    listed.iter().filter(|meta| !meta.location.as_ref().contains("_commits")).count()
}

#[tokio::test]
async fn a_write_that_is_repeated_is_committed_once() {
    for mode in [DatasetMode::Append, DatasetMode::Overwrite] {
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let id = WriteId::unique();
        let first = written(&store, mode).await.with_write_id(&id);
        let again = first.clone();
        let other_files = written(&store, mode).await.with_write_id(&id);
        assert_eq!(objects(&store).await, 2);
        let committed = first.commit(store.clone(), "t").await.unwrap();

        // The same files, and the files of another try, which are removed.
        for again in [again, other_files] {
            let repeated = again.commit(store.clone(), "t").await.unwrap();
            assert_eq!((repeated.commit, &repeated.files), (committed.commit, &committed.files));
        }
        assert_eq!(objects(&store).await, 1);
        assert_eq!(Dataset::open_in(store.clone(), "t").await.unwrap().rows(), 10);

        // Another write of the same rows is another one.
        let other = written(&store, DatasetMode::Append).await.with_write_id(&WriteId::unique());
        assert_ne!(other.commit(store.clone(), "t").await.unwrap().commit, committed.commit);
        assert_eq!(Dataset::open_in(store, "t").await.unwrap().rows(), 20);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_tries_at_the_same_time_one_is_committed() {
    for _ in 0..20 {
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let id = WriteId::unique();
        let mut tries = Vec::new();
        for _ in 0..4 {
            let files = written(&store, DatasetMode::Append).await.with_write_id(&id);
            tries.push(tokio::spawn(files.commit(store.clone(), "t")));
        }
        let mut commits = Vec::new();
        for one in tries {
            commits.push(one.await.unwrap().unwrap().commit);
        }
        commits.dedup();
        assert_eq!(commits.len(), 1);
        assert_eq!(Dataset::open_in(store.clone(), "t").await.unwrap().rows(), 10);
        assert_eq!(objects(&store).await, 1);
    }
}

#[tokio::test]
async fn files_that_replace_are_refused_after_another_commit() {
    let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let append = written(&store, DatasetMode::Append).await;
    append.clone().commit(store.clone(), "t").await.unwrap();
    // Of two writers the second knows of the commit, and the first does not.
    let first = written(&store, DatasetMode::Overwrite).await;
    written(&store, DatasetMode::Append).await.commit(store.clone(), "t").await.unwrap();
    let second = written(&store, DatasetMode::Overwrite).await;
    let decode = |files: UncommittedFiles| UncommittedFiles::decode(files.encode().unwrap());
    let both = [first, second.clone()].map(|files| decode(files).unwrap());
    let both = UncommittedFiles::concat(both.into()).unwrap();
    let e = both.commit(store.clone(), "t").await.unwrap_err().to_string();
    assert!(e.ends_with("was made since this write began, which would replace its rows"), "{e}");
    assert_eq!(Dataset::open_in(store.clone(), "t").await.unwrap().rows(), 20);
    // Those files are gone, and a write that knows of every commit replaces them.
    written(&store, DatasetMode::Overwrite).await.commit(store.clone(), "t").await.unwrap();
    assert_eq!(Dataset::open_in(store, "t").await.unwrap().rows(), 10);
}

#[test]
fn an_identifier_is_short_and_printable() {
    let longest = "x".repeat(128);
    for valid in ["a", "job-7/3", &longest] {
        assert_eq!(valid.parse::<WriteId>().unwrap().to_string(), valid);
    }
    for invalid in ["", "two words", "\n", "ö", &"x".repeat(129)] {
        assert!(invalid.parse::<WriteId>().is_err(), "{invalid:?}");
    }
}
