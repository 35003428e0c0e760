//! The methods that the builders of readers and of streams of one file have.

/// The methods of the builder of a reader or a stream of one file.
macro_rules! file_setters {
    ($($reader:ident .)*) => {
        /// Returns what is known of the file and its schema, to open it again.
        pub fn metadata(&self) -> ArrowReaderMetadata {
            let builder = &self$(.$reader)*;
            ArrowReaderMetadata {
                file: builder.file.metadata().clone(),
                planning: builder.planning.clone(),
            }
        }

        /// Returns the schema of the file, before projection.
        pub fn schema(&self) -> &SchemaRef {
            &self$(.$reader)*.planning.schema
        }

        /// Returns the rows in the file.
        pub fn rows(&self) -> u64 {
            self$(.$reader)*.file.rows()
        }

        /// Returns the columns that the rows are sorted by, which the writer has checked; empty if the file does not
        /// say.
        pub fn sorting_columns(&self) -> Vec<SortingColumn> {
            let builder = &self$(.$reader)*;
            let sorting = sorting::find(&builder.file.header().metadata, &builder.planning.schema);
            sorting.into_iter().map(|(_, column)| column).collect()
        }

        /// Sets the fields to read. Default: all. From a store, bytes of other columns are fetched only in gaps between
        /// ranges.
        pub fn with_projection(mut self, projection: ProjectionMask) -> Self {
            self$(.$reader)*.projection = projection;
            self
        }

        /// Sets the rows to read, of those of the [row range](Self::with_row_range). Of each column only the blocks that
        /// have such rows are opened. Default: all.
        pub fn with_row_selection(mut self, selection: RowSelection) -> Self {
            self$(.$reader)*.selection = Some(selection);
            self
        }

        /// Sets predicates written in Rust, which are evaluated after that of [`with_predicate`](Self::with_predicate).
        /// They receive batches of at most 8192 rows, or of the batch size if it is larger. One thread reads then.
        /// Default: none.
        pub fn with_row_filter(mut self, filter: RowFilter) -> Self {
            self$(.$reader)*.hooks.filter = Some(filter);
            self
        }

        /// Sets a function that excludes rows while others are read: for a predicate that becomes stricter, such as the
        /// bound of a top-k query. It is called before each window of rows and returns the rows that are still needed if
        /// they are fewer than before. What was read and fetched before is not taken back. One thread reads then.
        /// Default: none.
        pub fn with_row_pruner(
            mut self,
            prune: impl FnMut() -> Option<RowSelection> + Send + 'static,
        ) -> Self {
            self$(.$reader)*.hooks.pruner = Some(RowPruner::new(Box::new(prune)));
            self
        }

        /// Sets what counts the blocks that are read. Default: nothing.
        pub fn with_metrics(mut self, metrics: Arc<ReadMetrics>) -> Self {
            let builder = &mut self$(.$reader)*;
            builder.file = builder.file.clone().with_metrics(metrics);
            self
        }
    };
}

pub(super) use file_setters;
