//! A file that appears complete or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::temporary::{self, Listed, TemporaryFile};

/// A file that is written under a temporary name in the folder of its path. [`commit`](AtomicFile::commit) renames
/// it. A file that is dropped before that is deleted.
///
/// A symbolic link is followed: its target is created or replaced. Only regular files are replaced. The new file
/// has the mode of the old one, and its owner and group where the system permits; ACLs, extended attributes and
/// other hard links are not kept. A file that did not exist has the mode that the umask leaves.
///
/// ```
/// use std::io::Write;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.trv");
/// let mut file = trevni::io::AtomicFile::create_new(&path)?;
/// file.write_all(b"whole")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"whole");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    temporary: TemporaryFile,
    /// Without symbolic links at its end.
    path: PathBuf,
    replace: bool,
}

impl AtomicFile {
    /// Starts a file that replaces whatever file is at `path` when it is committed.
    ///
    /// Temporary files that a killed process left in the folder are deleted.
    pub fn create(path: impl Into<PathBuf>) -> io::Result<Self> {
        Self::start(path.into(), true)
    }

    /// Starts a file at `path`, which must not exist, neither now nor when the file is committed.
    pub fn create_new(path: impl Into<PathBuf>) -> io::Result<Self> {
        Self::start(path.into(), false)
    }

    fn start(path: PathBuf, replace: bool) -> io::Result<Self> {
        let path = resolve(path)?;
        let folder = folder_of(&path);
        let old = existing(&path, replace)?;
        temporary::remove_unused(folder);
        let temporary = match &old {
            None => TemporaryFile::create(folder, temporary::PREFIX, 0o666)?,
            Some(old) => {
                let temporary = TemporaryFile::create(folder, temporary::PREFIX, private(old))?;
                keep_access(temporary.file(), old)?;
                temporary
            }
        };
        Ok(Self { temporary, path, replace })
    }

    /// Renames the file without making its bytes durable. Returns its path.
    #[cfg(feature = "arrow")]
    pub(crate) fn commit_unsynced(self) -> io::Result<PathBuf> {
        existing(&self.path, self.replace)?;
        self.temporary.persist(&self.path, self.replace, &mut Vec::new())?;
        Ok(self.path)
    }

    /// Makes the bytes durable, then renames the file.
    pub fn commit(self) -> io::Result<()> {
        self.commit_with(&mut Vec::new())
    }

    /// The same for a file that commits others: until then, a signal deletes them.
    pub(crate) fn commit_with(self, commits: &mut Vec<Listed>) -> io::Result<()> {
        self.temporary.file().sync_all()?;
        existing(&self.path, self.replace)?;
        self.temporary.persist(&self.path, self.replace, commits)?;
        sync_folder(folder_of(&self.path))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.file_mut().flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.temporary.file_mut().seek(position)
    }
}

/// Returns the file that is to be replaced, if there is one. It must be regular, and it must be permitted to
/// replace it.
fn existing(path: &Path, replace: bool) -> io::Result<Option<Metadata>> {
    let about = match path.symlink_metadata() {
        Ok(about) => about,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    if !replace {
        return Err(exists(path));
    }
    if about.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if !about.is_file() {
        let what = "it is a device, a pipe or a socket, and only regular files are replaced";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok(Some(about))
}

/// Returns the refusal to overwrite.
pub(super) fn exists(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, format!("{} exists", path.display()))
}

/// Symbolic links that are followed, as many as Linux does.
const LINKS: usize = 40;

/// Follows the symbolic links at the end of a path, also those that lead to nothing.
pub(super) fn resolve(mut path: PathBuf) -> io::Result<PathBuf> {
    for _ in 0..LINKS {
        if !path.symlink_metadata().is_ok_and(|about| about.is_symlink()) {
            return Ok(path);
        }
        path = folder_of(&path).join(fs::read_link(&path)?);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many symbolic links"))
}

/// Permissions for its owner alone, no wider than those of the old file.
#[cfg(unix)]
pub(super) fn private(old: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(old) & 0o700
}

#[cfg(not(unix))]
pub(super) fn private(_: &Metadata) -> u32 {
    0
}

/// Sets the mode of a new file to that of the old one, and its owner and group where the system permits.
#[cfg(unix)]
pub(super) fn keep_access(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o777;
    let same = (new.uid(), new.gid()) == (old.uid(), old.gid());
    // Only root can change the owner; others can keep the group if they belong to it.
    if !same
        && fchown(file, Some(old.uid()), Some(old.gid())).is_err()
        && new.gid() != old.gid()
        && fchown(file, None, Some(old.gid())).is_err()
    {
        // Another group may do no more than everybody could.
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    // A file system without modes refuses; then nothing gets wider either.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn keep_access(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_nothing_behind_and_never_overwrites_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        drop(AtomicFile::create_new(&path).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

        let mut late = AtomicFile::create_new(&path).unwrap();
        late.write_all(b"late").unwrap();
        std::fs::write(&path, b"first").unwrap();
        assert_eq!(late.commit().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let refused = AtomicFile::create_new(&path).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");

        let mut forced = AtomicFile::create(&path).unwrap();
        forced.write_all(b"second").unwrap();
        forced.commit().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    fn write(path: &Path, replace: bool) {
        let opened = match replace {
            true => AtomicFile::create(path),
            false => AtomicFile::create_new(path),
        };
        let mut file = opened.unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn the_target_of_a_link_is_replaced() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("below")).unwrap();
        fs::write(at("below/old"), "old").unwrap();
        symlink("below/old", at("link")).unwrap();
        symlink("link", at("link to link")).unwrap();
        symlink("below/none", at("dangling")).unwrap();
        symlink("ring", at("ring")).unwrap();
        assert_eq!(
            AtomicFile::create_new(at("link")).unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
        write(&at("link to link"), true);
        write(&at("dangling"), false);
        for (link, target) in [("link", "below/old"), ("dangling", "below/none")] {
            assert!(at(link).symlink_metadata().unwrap().is_symlink(), "{link}");
            assert!(at(target).symlink_metadata().unwrap().is_file(), "{target}");
            assert_eq!(fs::read(at(target)).unwrap(), b"new");
        }
        assert!(AtomicFile::create(at("ring")).is_err());
        assert!(AtomicFile::create(at("below")).is_err());
        assert!(AtomicFile::create("/dev/null").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_is_kept_and_never_wider() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for mode in [0o600, 0o640, 0o444, 0o666, 0o755] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let file = AtomicFile::create(&path).unwrap();
            let being_written = file.temporary.file().metadata().unwrap().permissions().mode();
            assert_eq!(being_written & 0o7777, mode);
            file.commit().unwrap();
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, mode);
            fs::remove_file(&path).unwrap();
        }
        // Without an old one, as any other program creates files.
        let other = folder.path().join("other");
        fs::write(&other, "x").unwrap();
        write(&path, false);
        assert_eq!(path.metadata().unwrap().permissions(), other.metadata().unwrap().permissions());
    }
}
