//! The tables that are raced over: the same rows in every run.
//!
//! ```text
//! lineitem            TPC-H: integers, decimals, dates, flags, short text
//! taxi                rides as a generator makes them: times, money as doubles, even codes, nulls
//! events              a program's events, made so too: ids, times, words, numbered names, doubles, a list
//! trips               like a month of New York's yellow cabs: times, money as doubles, skewed codes, nulls
//! visits              like a web site's log: ids, times, words, URLs, a nullable double, a list
//! orders ... supplier TPC-H's others: names with numbers, addresses, text
//! sentences           text of many scripts
//! prices              252 rows of 754 doubles
//! c_...               one column each, to see what a kind of value costs
//! ```
//! A table is a list of batches that are arrays of their own, as a program has them that makes rows as it goes.

mod cabs;
mod columns;
mod events;
pub mod file;
mod prices;
mod taxi;
pub mod tpch;
mod trips;
mod visits;

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use crate::Result;

/// Rows of a batch, written and read.
pub const BATCH: usize = 8192;

/// Makes one batch after another of as many rows as it is asked for.
type Rows = Box<dyn FnMut(usize) -> Result<RecordBatch>>;

/// A table, before it is made.
pub struct Recipe {
    pub name: &'static str,
    pub rows: usize,
    start: fn() -> Rows,
}

const fn wide(name: &'static str, rows: usize, start: fn() -> Rows) -> Recipe {
    Recipe { name, rows, start }
}

const fn column(name: &'static str, start: fn() -> Rows) -> Recipe {
    Recipe { name, rows: 2_000_000, start }
}

/// All tables, in the order in which they are raced and shown.
pub const RECIPES: [Recipe; 20] = [
    wide("lineitem", 1_000_000, tpch::lineitem),
    wide("taxi", 1_000_000, taxi::rows),
    wide("events", 300_000, events::rows),
    wide("trips", 1_000_000, trips::rows),
    wide("visits", 500_000, visits::rows),
    wide("orders", 500_000, tpch::orders),
    wide("customer", 150_000, tpch::customer),
    wide("part", 200_000, tpch::part),
    wide("partsupp", 500_000, tpch::partsupp),
    wide("supplier", 10_000, tpch::supplier),
    wide("sentences", 200_000, columns::sentences),
    wide("prices", 252, prices::rows),
    wide("lineitem_sf1", 6_001_215, tpch::lineitem_sf1),
    column("c_sorted_i64", columns::sorted_i64),
    column("c_random_i64", columns::random_i64),
    column("c_small_i32", columns::small_i32),
    column("c_walk_f64", columns::walk_f64),
    column("c_str", columns::strings),
    column("c_bool", columns::bools),
    column("c_null_i32", columns::null_i32),
];

/// A table that is there to be written.
pub struct Table {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
    pub rows: usize,
}

impl Recipe {
    pub fn make(&self, rows: usize) -> Result<Table> {
        let mut next = (self.start)();
        let mut batches = Vec::new();
        for from in (0..rows).step_by(BATCH) {
            batches.push(next(BATCH.min(rows - from))?);
        }
        let schema = batches.first().ok_or("a table without rows")?.schema();
        Ok(Table { schema, batches, rows })
    }
}

impl Table {
    /// Returns the schema with views in the place of strings, if there are any.
    pub fn with_views(&self) -> Option<SchemaRef> {
        let strings = |field: &Field| *field.data_type() == DataType::Utf8;
        let fields = self.schema.fields();
        fields.iter().any(|field| strings(field)).then(|| {
            let view = |field: &Field| field.clone().with_data_type(DataType::Utf8View);
            let fields = fields.iter();
            let fields = fields.map(|f| if strings(f) { view(f) } else { f.as_ref().clone() });
            Arc::new(Schema::new(fields.collect::<Vec<_>>()))
        })
    }
}
