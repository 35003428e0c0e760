//! The columns of New York's yellow cabs, as the city's files have had them since 2025.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float64Builder, Int32Builder, Int64Builder, RecordBatch, StringBuilder,
    TimestampMicrosecondBuilder,
};

/// Rows of them.
#[derive(Default)]
pub(super) struct Cabs {
    pub(super) vendor: Int32Builder,
    pub(super) pickup: TimestampMicrosecondBuilder,
    pub(super) dropoff: TimestampMicrosecondBuilder,
    pub(super) passengers: Int64Builder,
    pub(super) distance: Float64Builder,
    pub(super) rate: Int64Builder,
    pub(super) stored: StringBuilder,
    pub(super) from: Int64Builder,
    pub(super) to: Int64Builder,
    pub(super) payment: Int64Builder,
    pub(super) fare: Float64Builder,
    pub(super) extra: Float64Builder,
    pub(super) tax: Float64Builder,
    pub(super) tip: Float64Builder,
    pub(super) tolls: Float64Builder,
    pub(super) improvement: Float64Builder,
    pub(super) total: Float64Builder,
    pub(super) congestion: Float64Builder,
    pub(super) airport: Float64Builder,
    pub(super) zone: Float64Builder,
}

impl Cabs {
    pub(super) fn finish(mut self) -> crate::Result<RecordBatch> {
        let columns: [(&str, ArrayRef, bool); 20] = [
            ("VendorID", Arc::new(self.vendor.finish()), false),
            ("tpep_pickup_datetime", Arc::new(self.pickup.finish()), false),
            ("tpep_dropoff_datetime", Arc::new(self.dropoff.finish()), false),
            ("passenger_count", Arc::new(self.passengers.finish()), true),
            ("trip_distance", Arc::new(self.distance.finish()), false),
            ("RatecodeID", Arc::new(self.rate.finish()), true),
            ("store_and_fwd_flag", Arc::new(self.stored.finish()), true),
            ("PULocationID", Arc::new(self.from.finish()), false),
            ("DOLocationID", Arc::new(self.to.finish()), false),
            ("payment_type", Arc::new(self.payment.finish()), false),
            ("fare_amount", Arc::new(self.fare.finish()), false),
            ("extra", Arc::new(self.extra.finish()), false),
            ("mta_tax", Arc::new(self.tax.finish()), false),
            ("tip_amount", Arc::new(self.tip.finish()), false),
            ("tolls_amount", Arc::new(self.tolls.finish()), false),
            ("improvement_surcharge", Arc::new(self.improvement.finish()), false),
            ("total_amount", Arc::new(self.total.finish()), false),
            ("congestion_surcharge", Arc::new(self.congestion.finish()), true),
            ("Airport_fee", Arc::new(self.airport.finish()), true),
            ("cbd_congestion_fee", Arc::new(self.zone.finish()), false),
        ];
        Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
    }
}

/// Whole cents.
pub(super) fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}
