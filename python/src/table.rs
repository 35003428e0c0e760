//! Tables: record batches in memory.

use std::io::Cursor;

use arrow::array::{RecordBatch as ArrowBatch, RecordBatchIterator, UInt64Array};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};
use pyo3_arrow::input::AnyRecordBatch;

use crate::batch::RecordBatch;
use crate::errors::{Raise, Result};
use crate::schema::Schema;
use crate::signals::Signals;
use crate::stream::{BoxedReader, stream_capsule};

/// Rows that `_repr_html_` shows.
const ROWS_SHOWN: usize = 10;

/// Rows in memory. Other libraries take them through `__arrow_c_stream__`, without a copy.
#[pyclass(frozen, module = "trevni")]
#[derive(Debug)]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<ArrowBatch>,
}

impl Table {
    /// Reads all batches of a reader. Ctrl-C interrupts it.
    pub(crate) fn read(reader: BoxedReader) -> PyResult<Self> {
        let (schema, mut batches, mut signals) = (reader.schema(), Vec::new(), Signals::new());
        for batch in reader {
            batches.push(batch.or_raise()?);
            signals.check()?;
        }
        Ok(Self { schema, batches })
    }

    /// Returns the rows at these indices, in this order.
    pub(crate) fn take(&self, rows: Vec<u64>) -> Result<Self> {
        let all = concat_batches(&self.schema, &self.batches)?;
        let batch = take_record_batch(&all, &UInt64Array::from(rows))?;
        Ok(Self { schema: self.schema.clone(), batches: vec![batch] })
    }

    fn reader(&self) -> BoxedReader {
        let batches = self.batches.clone().into_iter().map(Ok);
        Box::new(RecordBatchIterator::new(batches, self.schema.clone()))
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(ArrowBatch::num_rows).sum()
    }
}

#[pymethods]
impl Table {
    /// Takes any object with `__arrow_c_stream__` or `__arrow_c_array__`.
    #[new]
    fn new(data: AnyRecordBatch) -> PyResult<Self> {
        Self::read(data.into_reader()?)
    }

    /// The schema.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.schema.clone())
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows()
    }

    /// The number of columns.
    #[getter]
    fn num_columns(&self) -> usize {
        self.schema.fields().len()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The memory of the values in bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.batches.iter().map(ArrowBatch::get_array_memory_size).sum()
    }

    /// Returns the batches.
    fn to_batches(&self) -> Vec<RecordBatch> {
        self.batches.iter().cloned().map(RecordBatch).collect()
    }

    /// Returns a stream of the batches.
    fn to_reader<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("trevni")?.getattr("RecordBatchReader")?.call1((slf,))
    }

    /// Returns the rows as `pyarrow.Table`.
    fn to_arrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// Returns the rows as `pandas.DataFrame`. Arguments are those of `pyarrow.Table.to_pandas`.
    #[pyo3(signature = (**arguments))]
    fn to_pandas<'py>(
        slf: Bound<'py, Self>,
        arguments: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::to_arrow(slf)?.call_method("to_pandas", (), arguments)
    }

    /// Returns the rows as `polars.DataFrame`.
    fn to_polars<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        stream_capsule(py, self.reader(), requested_schema)
    }

    /// Returns a table of the bytes of an IPC stream.
    #[staticmethod]
    fn _of_ipc(bytes: &[u8]) -> PyResult<Self> {
        Self::read(Box::new(StreamReader::try_new(Cursor::new(bytes.to_vec()), None).or_raise()?))
    }

    fn __reduce__<'py>(
        slf: Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let table = slf.get();
        let write = || {
            let mut writer = StreamWriter::try_new(Vec::new(), &table.schema)?;
            table.batches.iter().try_for_each(|batch| writer.write(batch))?;
            writer.into_inner()
        };
        let bytes = slf.py().detach(write).or_raise()?;
        Ok((slf.get_type().getattr("_of_ipc")?, (PyBytes::new(slf.py(), &bytes),)))
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    fn __repr__(&self) -> String {
        format!("trevni.Table of {} rows\n{}", self.rows(), self.schema().describe())
    }

    fn _repr_html_(&self) -> PyResult<String> {
        let mut html = String::from("<table><thead><tr>");
        for field in self.schema.fields() {
            let (name, kind) = (escape(field.name()), escape(&field.data_type().to_string()));
            html += &format!("<th>{name}<br><small>{kind}</small></th>");
        }
        html += "</tr></thead><tbody>";
        let options = FormatOptions::default().with_null("null").with_display_error(true);
        let mut left = ROWS_SHOWN;
        for batch in &self.batches {
            let columns = batch.columns().iter();
            let columns = columns.map(|column| ArrayFormatter::try_new(column, &options));
            let columns = columns.collect::<std::result::Result<Vec<_>, _>>().or_raise()?;
            for row in 0..batch.num_rows().min(left) {
                let cells = columns.iter().map(|column| column.value(row).to_string());
                let cells = cells.map(|cell| format!("<td>{}</td>", escape(&cell)));
                html += &format!("<tr>{}</tr>", cells.collect::<String>());
            }
            left -= batch.num_rows().min(left);
        }
        Ok(html + &format!("</tbody></table><p>{} rows</p>", self.rows()))
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
