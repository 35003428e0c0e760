//! Vacuum removes unnamed files, and nothing else.

use super::*;

#[test]
fn only_what_is_old_and_unnamed_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let properties = || DatasetProperties::builder().set_partition_by(["year"]).build();
    write(path, &[rows(0..30)], properties());
    let orphan = path.join("year=2020/part-00.trv");
    std::fs::write(&orphan, b"12345").unwrap();
    std::fs::write(path.join("_commits/.trevni-abc"), b"123").unwrap();
    std::fs::write(path.join("notes.txt"), b"mine").unwrap();
    let day = Duration::from_secs(86_400);
    assert_eq!(Dataset::vacuum(path, day).unwrap(), VacuumReport::default());
    let gone = Dataset::vacuum(path, Duration::ZERO).unwrap();
    assert_eq!(gone, VacuumReport { files: 2, bytes: 8, commits: 0 });
    assert!(!orphan.exists() && path.join("notes.txt").exists());
    assert_eq!(ids(&read(path)), (0..30).collect::<Vec<_>>());

    let replace = DatasetProperties::builder().set_mode(DatasetMode::Overwrite).build();
    write(path, &[rows(0..3)], replace);
    assert_eq!(Dataset::vacuum(path, day).unwrap(), VacuumReport::default());
    let gone = Dataset::vacuum(path, Duration::ZERO).unwrap();
    assert_eq!((gone.files, gone.commits), (3, 2));
    assert_eq!(ids(&read(path)), (0..3).collect::<Vec<_>>());
    write(path, &[rows(3..5)], DatasetProperties::default());
    assert_eq!(ids(&read(path)), (0..5).collect::<Vec<_>>());
}
