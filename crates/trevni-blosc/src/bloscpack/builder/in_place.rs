//! Writes a Bloscpack file whose number of chunks is known in advance.
//!
//! ```text
//! begin    ··· room for header, metadata, offsets ··· │
//! push                                                │ chunk, checksum │ chunk, checksum ...
//! finish   header │ metadata │ offsets, spare slots   │
//! ```

use std::io::{Seek, SeekFrom, Write};

use super::BloscpackBuilder;
use crate::array::{Attributes, Build};
use crate::bloscpack::numpy::Described;
use trevni::io::AtomicFile;
use trevni::{Error, Result};

#[derive(Debug)]
struct InPlace {
    builder: BloscpackBuilder<AtomicFile>,
    /// Where the first chunk starts.
    first: u64,
}

/// Reserves room for the start of a file.
pub(super) fn begin(
    mut builder: BloscpackBuilder<AtomicFile>,
    shape: &[u64],
    attributes: &Attributes,
    chunk_bytes: u32,
) -> Result<Box<dyn Build>> {
    let total = match &builder.array {
        Some((dtype, order)) => {
            let (dtype, shape, order) = (dtype.clone(), shape.to_vec(), *order);
            Described { dtype, shape, order }.nbytes()?
        }
        None => shape.first().copied().unwrap_or(0),
    };
    if total == 0 || chunk_bytes == 0 || !builder.pushed.is_empty() {
        return Err(Error::invalid(format!("{total} bytes in chunks of {chunk_bytes}")));
    }
    let each = u64::from(chunk_bytes);
    let chunks = usize::try_from(total.div_ceil(each))
        .map_err(|_| Error::invalid(format!("{total} bytes in chunks of {chunk_bytes}")))?;
    let last = u32::try_from(total - (chunks as u64 - 1) * each).unwrap_or(chunk_bytes);
    builder.pushed = vec![(0, chunk_bytes); chunks - 1];
    builder.pushed.push((0, last));
    let (_, _, first) = builder.beginning(shape, attributes)?;
    builder.pushed.clear();
    builder.to.seek(SeekFrom::Start(first))?;
    Ok(Box::new(InPlace { builder, first }))
}

impl Build for InPlace {
    fn push(&mut self, chunk: &[u8]) -> Result<()> {
        let digest = self.builder.note(chunk)?;
        self.builder.to.write_all(chunk)?;
        Ok(self.builder.to.write_all(&digest)?)
    }

    fn finish(mut self: Box<Self>, shape: &[u64], attributes: &Attributes) -> Result<()> {
        self.builder.to.seek(SeekFrom::Start(0))?;
        if self.builder.put_beginning(shape, attributes)? != self.first {
            let chunks = self.builder.pushed.len();
            let text = format!("{chunks} chunks, shape {shape:?}, {} attributes", attributes.len());
            return Err(Error::invalid(format!("{text}: not what was expected")));
        }
        Ok(self.builder.to.commit()?)
    }
}

#[cfg(test)]
mod tests {
    use crate::bloscpack::{BloscpackProperties, Digest};
    use crate::chunk::{Encoder, Generation, Params};
    use crate::{Dtype, Order};

    use super::*;

    fn builder(path: &std::path::Path, checksum: Digest) -> BloscpackBuilder<AtomicFile> {
        let params = Params::new(Generation::Blosc1, 4);
        let properties = BloscpackProperties { checksum, ..Default::default() };
        let array = Some((Dtype::parse("<i4").unwrap(), Order::C));
        BloscpackBuilder::create(path, true, array, &params, properties).unwrap()
    }

    fn chunks(of: &[u8], each: usize) -> Vec<Vec<u8>> {
        let mut encoder = Encoder::new(&Params::new(Generation::Blosc1, 4)).unwrap();
        let chunks = of.chunks(each).map(|part| {
            let mut chunk = Vec::new();
            encoder.encode(part, &mut chunk).unwrap();
            chunk
        });
        chunks.collect()
    }

    #[test]
    fn the_file_is_that_of_the_spool() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.blp");
        let data: Vec<u8> = (0..10_001_i32).flat_map(i32::to_le_bytes).collect();
        let mut attributes = Attributes::new();
        for checksum in [Digest::None, Digest::Adler32, Digest::Sha512] {
            let mut spooled = builder(&path, checksum);
            let mut expecting =
                builder(&path, checksum).expecting(&[10_001], &attributes, 4000).unwrap();
            for chunk in chunks(&data, 4000) {
                spooled.push(&chunk).unwrap();
                expecting.push(&chunk).unwrap();
            }
            Box::new(spooled).finish(&[10_001], &attributes).unwrap();
            let expected = std::fs::read(&path).unwrap();
            expecting.finish(&[10_001], &attributes).unwrap();
            assert!(std::fs::read(&path).unwrap() == expected, "{checksum:?}");
            attributes.insert(checksum.name().into(), 7.into());
        }
    }

    #[test]
    fn something_else_is_refused_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.blp");
        let none = Attributes::new();
        let data = vec![1; 4000];
        let begun =
            |shape: &[u64], each| builder(&path, Digest::None).expecting(shape, &none, each);
        for (shape, each) in [(&[0][..], 4000), (&[1000], 0), (&[u64::MAX, 2], 4000)] {
            assert!(begun(shape, each).is_err());
        }
        // As many chunks, and bytes, as another array has.
        for (shape, each) in [(&[9_000][..], 4000), (&[1000, 1, 1], 4000), (&[1000], 1000)] {
            let mut build = begun(shape, each).unwrap();
            chunks(&data, 4000).iter().for_each(|chunk| build.push(chunk).unwrap());
            assert!(build.finish(&[1000], &none).is_err(), "{shape:?} {each}");
        }
        let mut more = Attributes::new();
        more.insert("more".into(), 1.into());
        let mut build = begun(&[1000], 4000).unwrap();
        chunks(&data, 4000).iter().for_each(|chunk| build.push(chunk).unwrap());
        assert!(build.finish(&[1000], &more).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
