//! Removes the files in a store that no commit names.

use std::sync::Arc;
use std::time::Duration;

use ::object_store::ObjectStore;
use ::object_store::path::Path;

use super::Prefix;
use crate::dataset::Dataset;
use crate::dataset::commit::Commit;
use crate::dataset::vacuum::{self, Listing, VacuumPlan, VacuumReport};
use crate::error::Result;

impl Dataset<Prefix> {
    /// Removes files that no commit names, as [`Dataset::vacuum`] does. Uploads that were begun and never ended are
    /// for a rule of the bucket.
    pub async fn vacuum_in(
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
        older: Duration,
    ) -> Result<VacuumReport> {
        let place = Prefix::new(store, prefix.into());
        place.remove_all(place.vacuum_plan(older).await?).await
    }

    /// Returns what [`vacuum_in`](Self::vacuum_in) would remove, as [`Dataset::vacuumable`] does.
    pub async fn vacuumable_in(
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
        older: Duration,
    ) -> Result<(Vec<String>, VacuumReport)> {
        let plan = Prefix::new(store, prefix.into()).vacuum_plan(older).await?;
        Ok((plan.paths, plan.vacuumed))
    }

    /// Removes replaced commits and their files, as [`Dataset::remove_replaced`] does.
    pub async fn remove_replaced_in(
        store: Arc<dyn ObjectStore>,
        prefix: impl Into<Path>,
    ) -> Result<VacuumReport> {
        Prefix::new(store, prefix.into()).remove_replaced().await
    }
}

impl Prefix {
    async fn vacuum_plan(&self, older: Duration) -> Result<VacuumPlan> {
        let mut listing = Listing::new(self.files().await?, self.commits().await?, older);
        loop {
            let next = listing.next(self.fetch.concurrency());
            if next.is_empty() {
                break;
            }
            for (number, bytes) in self.read_commits(next).await? {
                listing.push(number, bytes)?;
            }
        }
        listing.plan()
    }

    /// Removes the commits and files that were replaced.
    async fn remove_replaced(&self) -> Result<VacuumReport> {
        let commits = self.read_commits(self.commit_numbers().await?).await?;
        let commits = commits
            .into_iter()
            .map(|(number, bytes)| Ok((number, Commit::decode_numbered(number, bytes)?)));
        self.remove_all(vacuum::replaced(commits.collect::<Result<_>>()?)).await
    }

    async fn remove_all(&self, plan: VacuumPlan) -> Result<VacuumReport> {
        for path in &plan.paths {
            self.remove(path).await?;
        }
        Ok(plan.vacuumed)
    }
}
