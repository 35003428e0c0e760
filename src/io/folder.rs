//! A folder that appears complete or not at all.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::Builder;

use super::atomic::{exists, folder_of, keep_access, private, resolve, sync_folder};
use super::temporary::{self, TemporaryFolder};

/// The prefix of the name of an old folder while it is replaced, on systems that cannot exchange two folders. Other
/// processes do not delete it: for a moment it is the only complete one.
const OLD: &str = ".trevni_old-";

/// A folder that is being made, as [`AtomicFile`](super::AtomicFile) is a file that is.
#[derive(Debug)]
pub struct AtomicFolder {
    temporary: TemporaryFolder,
    path: PathBuf,
    replace: bool,
}

impl AtomicFolder {
    /// Starts a folder that replaces whatever folder is at `path` when it is committed.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::start(path, true)
    }

    /// Starts a folder at `path`, which must not exist, neither now nor when the folder is committed.
    pub fn create_new(path: &Path) -> io::Result<Self> {
        Self::start(path, false)
    }

    fn start(path: &Path, replace: bool) -> io::Result<Self> {
        let path = resolve(path.to_owned())?;
        let old = existing(&path, replace)?;
        let mode = old.as_ref().map_or(0o777, |old| private(old) | 0o700);
        let temporary = TemporaryFolder::create(folder_of(&path), mode)?;
        Ok(Self { temporary, path, replace })
    }

    /// Returns where its files are put.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Returns where it will be.
    pub fn target(&self) -> &Path {
        &self.path
    }

    /// Renames the folder. The folder that it replaces is deleted afterwards.
    pub fn commit(self) -> io::Result<()> {
        let Self { temporary, path, replace } = self;
        let Some(old) = existing(&path, replace)? else {
            rename(|| fs::rename(temporary.path(), &path))?;
            drop(temporary.keep());
            return sync_folder(folder_of(&path));
        };
        if let (true, Ok(folder)) = (old.is_dir(), fs::File::open(temporary.path())) {
            keep_access(&folder, &old)?;
        }
        let old = rename(|| match exchange(temporary.path(), &path) {
            Ok(()) => Ok(temporary.path().to_owned()),
            Err(e) if is_unsupported(&e) => replace_in_two_steps(temporary.path(), &path),
            Err(e) => Err(e),
        })?;
        sync_folder(folder_of(&path))?;
        // Locked and listed until it is deleted.
        let _held = temporary.keep();
        match old.symlink_metadata()?.is_dir() {
            true => fs::remove_dir_all(&old),
            false => fs::remove_file(&old),
        }
    }
}

/// Returns the metadata of the folder that is replaced, if there is one. Fails if it may not be replaced.
fn existing(path: &Path, replace: bool) -> io::Result<Option<Metadata>> {
    match path.symlink_metadata() {
        Ok(_) if !replace => Err(exists(path)),
        Ok(about) if !about.is_dir() && !about.is_file() => {
            let what = "it is a device, a pipe or a socket, and is not replaced";
            Err(io::Error::new(io::ErrorKind::InvalidInput, what))
        }
        Ok(about) => Ok(Some(about)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Renames folders. Meanwhile a signal does not delete them, since both names may be affected.
fn rename<T>(rename: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let _in_use = temporary::in_use();
    rename()
}

/// Exchanges two paths atomically: other processes see the old folder or the new one.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns whether the system, or the file system, exchanges nothing.
fn is_unsupported(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// Moves the old folder to another name first: between the two steps there is none. Returns the other name.
fn replace_in_two_steps(new: &Path, path: &Path) -> io::Result<PathBuf> {
    let old = Builder::new().prefix(OLD).tempdir_in(folder_of(path))?;
    let name = old.path().to_owned();
    // A file takes only a name that is free.
    old.close()?;
    fs::rename(path, &name)?;
    if let Err(e) = fs::rename(new, path) {
        fs::rename(&name, path)?;
        return Err(e);
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(path: &Path, replace: bool, text: &str) -> io::Result<()> {
        let folder = match replace {
            true => AtomicFolder::create(path)?,
            false => AtomicFolder::create_new(path)?,
        };
        fs::write(folder.path().join("x"), text)?;
        folder.commit()
    }

    #[test]
    fn a_folder_is_replaced_whole() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("folder");
        make(&path, false, "one").unwrap();
        fs::write(path.join("y"), "only in the old one").unwrap();
        assert_eq!(make(&path, false, "two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        make(&path, true, "two").unwrap();
        assert_eq!(fs::read(path.join("x")).unwrap(), b"two");
        assert!(!path.join("y").exists());
        fs::remove_dir_all(&path).unwrap();
        fs::write(&path, "a file").unwrap();
        make(&path, true, "three").unwrap();
        assert_eq!(fs::read(path.join("x")).unwrap(), b"three");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn two_steps_do_the_same() {
        let home = tempfile::tempdir().unwrap();
        let (new, path) = (home.path().join("new"), home.path().join("folder"));
        fs::create_dir(&new).unwrap();
        fs::write(&path, "old").unwrap();
        let old = replace_in_two_steps(&new, &path).unwrap();
        assert_eq!(fs::read(&old).unwrap(), b"old");
        assert!(path.is_dir() && !new.exists());
        assert!(replace_in_two_steps(&new, &path).is_err());
        assert!(path.is_dir(), "it is back");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_modes_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let home = tempfile::tempdir().unwrap();
        let (path, link) = (home.path().join("folder"), home.path().join("link"));
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        symlink("folder", &link).unwrap();
        make(&link, true, "new").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(path.join("x")).unwrap(), b"new");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, 0o750);
    }
}
