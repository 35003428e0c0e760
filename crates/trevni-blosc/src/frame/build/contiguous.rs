//! Writes a contiguous frame: the chunks, the index, the trailer, and the header last.

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::Draft;
use crate::array::{Attributes, Build};
use trevni::Result;
use trevni::io::AtomicFile;

#[derive(Debug)]
pub(super) struct Builder {
    file: BufWriter<AtomicFile>,
    draft: Draft,
}

impl Builder {
    pub(super) fn new(path: PathBuf, replace: bool, draft: Draft) -> Result<Self> {
        let file = match replace {
            true => AtomicFile::create(path)?,
            false => AtomicFile::create_new(path)?,
        };
        let mut file = BufWriter::new(file);
        file.write_all(&vec![0; draft.header.encoded_len()])?;
        Ok(Self { file, draft })
    }
}

impl Build for Builder {
    fn push(&mut self, chunk: &[u8]) -> Result<()> {
        let place = self.draft.header.cbytes;
        match self.draft.push(chunk, place)? {
            Some(bytes) => Ok(self.file.write_all(bytes)?),
            None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>, shape: &[u64], attributes: &Attributes) -> Result<()> {
        for (number, bytes) in self.draft.spelled_out()? {
            let place = self.draft.header.cbytes;
            self.file.write_all(&bytes)?;
            self.draft.store(number, place, &bytes);
        }
        let (head, tail) = self.draft.finish(shape, attributes)?;
        self.file.write_all(&tail)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&head)?;
        let file = self.file.into_inner().map_err(|e| e.into_error())?;
        Ok(file.commit()?)
    }
}
