//! Outputs: regular files are replaced; devices, pipes and sockets are written to.

use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use super::*;

fn csv() -> String {
    rows_file("parcels.csv").to_str().unwrap().to_owned()
}

/// Returns the rows as CSV, as the command writes them.
fn expected() -> Vec<u8> {
    let output = run(&["convert", &csv(), "-", "--to", "csv", "--columns", "id"]);
    assert_eq!(code(&output), 0);
    output.stdout
}

#[test]
fn a_fifo_is_written_to_with_and_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    for to in ["csv", "parquet", "trv", "arrow", "jsonl", "bloscpack"] {
        let plain = run(&["convert", &csv(), "-", "--to", to, "--columns", "id"]);
        assert_eq!(code(&plain), 0, "{to}: {}", said(&plain));
        for force in [&[][..], &["--force"]] {
            let reader = std::thread::spawn({
                let fifo = fifo.clone();
                move || std::fs::read(fifo).unwrap()
            });
            out(&[&["convert", &csv(), str(&fifo), "--to", to, "--columns", "id"], force].concat());
            assert!(reader.join().unwrap() == plain.stdout, "{to} {force:?}");
            assert!(fifo.symlink_metadata().unwrap().file_type().is_fifo());
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn devices_are_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let before = Path::new("/dev/null").symlink_metadata().unwrap();
    let is_null = |about: &std::fs::Metadata| {
        about.file_type().is_char_device() && about.rdev() == before.rdev()
    };
    assert!(is_null(&before));
    let csv = csv();
    let node = folder.path().join("null");
    let link = folder.path().join("link");
    symlink("/dev/null", &link).unwrap();
    // Only root makes devices, and not in every container.
    let made = mknodat(CWD, &node, FileType::CharacterDevice, Mode::from(0o666), makedev(1, 3));
    let usable = made.is_ok() && std::fs::write(&node, "x").is_ok();
    let mut paths = vec![PathBuf::from("/dev/null"), link.clone()];
    paths.extend(usable.then(|| node.clone()));
    for path in &paths {
        for to in ["csv", "parquet", "trv", "arrows", "bloscpack"] {
            for force in [&[][..], &["--force"]] {
                let args =
                    [&["convert", &csv, str(path), "--to", to, "--columns", "id"], force].concat();
                out(&args);
                assert!(is_null(&path.metadata().unwrap()), "{args:?}");
            }
        }
        let bcolz =
            run(&["convert", &csv, str(path), "--to", "bcolz", "--columns", "id", "--force"]);
        assert_ne!(code(&bcolz), 0);
    }
    assert!(is_null(&Path::new("/dev/null").symlink_metadata().unwrap()));
    assert!(link.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn a_socket_is_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        listener.accept().unwrap().0.read_to_end(&mut bytes).unwrap();
        bytes
    });
    out(&["convert", &csv(), str(&path), "--to", "csv", "--columns", "id", "--force"]);
    assert_eq!(reader.join().unwrap(), expected());
    assert!(path.symlink_metadata().unwrap().file_type().is_socket());
}

/// Standard output that is a regular file stays that file, whatever it is called.
#[test]
fn open_files_are_written_to_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    symlink("/dev/stdout", &link).unwrap();
    for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", str(&link)] {
        let path = folder.path().join("out.csv");
        let file = std::fs::File::create(&path).unwrap();
        (&file).write_all(b"# before\n").unwrap();
        let inode = path.metadata().unwrap().ino();
        let done = Command::new(env!("CARGO_BIN_EXE_trevni"))
            .args(["convert", &csv(), name, "--to", "csv", "--columns", "id", "--force"])
            .stdout(file)
            .output()
            .unwrap();
        assert_eq!(code(&done), 0, "{name}: {}", said(&done));
        assert_eq!(std::fs::read(&path).unwrap(), [b"# before\n", &expected()[..]].concat());
        assert_eq!(path.metadata().unwrap().ino(), inode, "{name}");
    }
    let output = run(&["convert", &csv(), "/dev/stderr", "--to", "csv", "--columns", "id"]);
    assert!(output.stderr.starts_with(&expected()));
}

#[test]
fn the_target_of_a_link_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("below")).unwrap();
    for (to, extra) in [("csv", &[][..]), ("parquet", &[]), ("trv", &[]), ("bloscpack", &[])] {
        let (file, link, dangling) =
            (at(&format!("below/{to}")), at(&format!("link-{to}")), at(&format!("new-{to}")));
        std::fs::write(&file, "old").unwrap();
        symlink(format!("below/{to}"), &link).unwrap();
        symlink(format!("below/new-{to}"), &dangling).unwrap();
        let convert = |path: &Path, force: &[&str]| {
            run(&[&["convert", &csv(), str(path), "--to", to, "--columns", "id"], extra, force]
                .concat())
        };
        assert_eq!(code(&convert(&link, &[])), 1, "{to}");
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
        for (path, target) in [(&link, &file), (&dangling, &at(&format!("below/new-{to}")))] {
            let done = convert(path, &["--force"]);
            assert_eq!(code(&done), 0, "{to}: {}", said(&done));
            assert!(path.symlink_metadata().unwrap().is_symlink(), "{to}");
            assert!(target.symlink_metadata().unwrap().is_file(), "{to}");
            assert_eq!(out(&["count", str(path)]), out(&["count", &csv()]), "{to}");
        }
        std::fs::remove_file(at(&format!("below/new-{to}"))).unwrap();
        // Nothing is lost by that.
        if to != "bloscpack" {
            assert_eq!(code(&convert(&dangling, &[])), 0, "{to}");
        }
    }
    // A folder through a symbolic link, too.
    let (folder, link) = (at("below/table"), at("table"));
    symlink("below/table", &link).unwrap();
    for _ in 0..2 {
        out(&["convert", &csv(), str(&link), "--to", "bcolz", "--columns", "id", "--force"]);
        assert!(link.symlink_metadata().unwrap().is_symlink() && folder.is_dir());
    }
    assert_eq!(std::fs::read_dir(at("below")).unwrap().count(), 8);
}

#[test]
fn modes_are_kept_and_new_files_obey_the_umask() {
    let folder = tempfile::tempdir().unwrap();
    for to in ["csv", "parquet", "trv", "bloscpack", "b2frame"] {
        let path = folder.path().join(to);
        let command = format!(
            "umask 027; exec '{}' convert '{}' '{}' --force --to {to} --columns id",
            env!("CARGO_BIN_EXE_trevni"),
            csv(),
            path.display()
        );
        let convert = || {
            let done = Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(code(&done), 0, "{to}: {}", said(&done));
            path.metadata().unwrap().mode() & 0o7777
        };
        assert_eq!(convert(), 0o640, "{to}");
        for mode in [0o600, 0o664, 0o444] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(convert(), mode, "{to}");
        }
        // Only root can change the owner of files.
        if std::os::unix::fs::chown(&path, Some(65_534), Some(65_533)).is_ok() {
            assert_eq!(convert(), 0o444);
            let about = path.metadata().unwrap();
            assert_eq!((about.uid(), about.gid()), (65_534, 65_533), "{to}");
        }
    }
}
