//! A container viewed with another dtype.
//!
//! ```text
//! inner   bytes of 4     0 │ 1 │ 2 │ 3 │ 4 │ 5
//! view    bytes of 8     0     │ 1     │ 2
//! ```

use std::ops::Range;

use bytes::Bytes;

use crate::array::{Chunking, Container, Edit, Layout, Order};
use crate::chunk::Params;
use crate::dtype::Dtype;
use trevni::{Error, Result};

/// A container whose elements are taken for others.
#[derive(Debug)]
pub(super) struct View {
    inner: Box<dyn Container>,
    layout: Layout,
}

impl View {
    pub(super) fn try_new(inner: Box<dyn Container>, dtype: Dtype) -> Result<Self> {
        let layout = viewed(inner.layout(), dtype)?;
        Ok(Self { inner, layout })
    }
}

fn viewed(of: &Layout, dtype: Dtype) -> Result<Layout> {
    let bytes = of.rows().checked_mul(of.row_bytes()? as u64);
    let size = dtype.size as u64;
    let rows = bytes.filter(|bytes| size > 0 && bytes % size == 0);
    let rows = rows.map(|bytes| bytes / size).ok_or_else(|| {
        let what = format!(
            "elements of {} do not fit an array of shape {:?}",
            dtype.numpy_str(),
            of.shape
        );
        Error::invalid(what)
    })?;
    if matches!(of.chunking, Chunking::Grid { .. }) {
        return Err(Error::invalid("the container has the type of its elements already"));
    }
    Ok(Layout { dtype, shape: vec![rows], order: Order::C, fill: Vec::new(), ..of.clone() })
}

impl Container for View {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn params(&self) -> &Params {
        self.inner.params()
    }

    fn chunk(&self, number: u64) -> Result<Bytes> {
        self.inner.chunk(number)
    }

    fn chunk_part(&self, number: u64, range: Range<u64>) -> Result<Bytes> {
        self.inner.chunk_part(number, range)
    }

    fn commit(&mut self, mut edit: Edit) -> Result<()> {
        let of = self.inner.layout();
        let bytes =
            edit.shape.first().map_or(0, |rows| rows.saturating_mul(self.layout.dtype.size as u64));
        let row = of.row_bytes()? as u64;
        if row == 0 || !bytes.is_multiple_of(row) {
            return Err(Error::invalid(format!("{bytes} bytes are not rows of {row} bytes")));
        }
        edit.shape = std::iter::once(bytes / row).chain(of.shape.iter().skip(1).copied()).collect();
        self.inner.commit(edit)?;
        self.layout = viewed(self.inner.layout(), self.layout.dtype.clone())?;
        Ok(())
    }
}
