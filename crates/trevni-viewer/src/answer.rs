//! Answers requests about a file.

use serde_json::{Value as Json, json};
use trevni::arrow::Predicate;
use trevni::{Error, Result};

use crate::counted_source::BytesRead;
use crate::request::Request;
use crate::session::{RowRange, Session};
use crate::{blocks, diff, rows, summary, values};

impl Session {
    /// Answers a request.
    ///
    /// ```
    /// use trevni_viewer::{CountedSource, Session};
    ///
    /// # use arrow::array::{ArrayRef, Int32Array, RecordBatch};
    /// # use std::sync::Arc;
    /// use trevni::arrow::ArrowWriter;
    ///
    /// let values: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    /// let batch = RecordBatch::try_from_iter([("a", values)])?;
    /// let mut file = Vec::new();
    /// let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None)?;
    /// writer.write(&batch)?;
    /// writer.close()?;
    ///
    /// let session = Session::try_new("a.trv", CountedSource::new(file))?;
    /// let answer = session.answer(r#"{"do":"rows","start":1,"count":1}"#);
    /// assert!(answer.starts_with(r#"{"start":1,"columns":["a"],"rows":[["2"]]"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn answer(&self, request: &str) -> String {
        let answer = serde_json::from_str(request)
            .map_err(|e| Error::invalid(format!("no request: {e}")))
            .and_then(|request| self.answer_to(request));
        let mut answer = answer.unwrap_or_else(|e| json!({ "error": e.to_string() }));
        if let (Some(answer), Some(read)) = (answer.as_object_mut(), &self.read) {
            let other = self.other.as_ref().and_then(|other| other.read.as_ref());
            let read = read.get() + other.map_or(0, BytesRead::get);
            answer.insert("read".into(), read.into());
        }
        answer.to_string()
    }

    pub(crate) fn answer_to(&self, request: Request) -> Result<Json> {
        match request {
            Request::Open => summary::summary(self),
            Request::Blocks { column } => blocks::blocks(self.file()?, column),
            Request::Block { column, block } => blocks::block(self.file()?, column, block),
            Request::Rows { start, count, columns, predicate } => {
                let predicate = predicate.as_deref().map(Predicate::parse).transpose()?;
                rows::rows(self, RowRange { columns, start, count: Some(count as u64), predicate })
            }
            Request::Count { predicate } => {
                rows::count(self, predicate.as_deref().map(Predicate::parse).transpose()?)
            }
            Request::Values { column } => values::values(self, column),
            Request::Verify { column } => self.verify(column),
            Request::Diff { start, count } => diff::diff(self, start, count),
        }
    }

    fn verify(&self, column: usize) -> Result<Json> {
        let seen = self.file()?.verify_column(column);
        let faults: Vec<_> =
            seen.faults.iter().chain(&seen.exceeded).map(ToString::to_string).collect();
        Ok(json!({
            "blocks": seen.blocks,
            "verified": seen.verified,
            "unchecked": seen.unchecked,
            "faults": faults,
        }))
    }
}
