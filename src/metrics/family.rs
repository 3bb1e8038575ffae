//! One family of metrics: its name, help and samples. The library encodes it.

use std::collections::BTreeMap;

use prometheus::TextEncoder;
use prometheus::proto::{Bucket, Counter, Gauge, Histogram, LabelPair, Metric, MetricFamily, MetricType};

use crate::model::MetricSum;

/// The content type of the text.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Families, in the order in which they are written.
#[derive(Default)]
pub(super) struct Families(Vec<MetricFamily>);

impl Families {
    /// Adds a value that goes up and down.
    pub(super) fn gauge(&mut self, name: &str, help: &str, samples: impl IntoIterator<Item = Sample>) {
        self.add(name, help, MetricType::GAUGE, samples, |metric, value| {
            let mut gauge = Gauge::default();
            gauge.set_value(value);
            metric.set_gauge(gauge);
        });
    }

    /// Adds a sum that only grows.
    pub(super) fn counter(&mut self, name: &str, help: &str, samples: impl IntoIterator<Item = Sample>) {
        self.add(name, help, MetricType::COUNTER, samples, |metric, value| {
            let mut counter = Counter::default();
            counter.set_value(value);
            metric.set_counter(counter);
        });
    }

    /// Adds durations counted in buckets, in seconds, by the value of a label.
    pub(super) fn histogram(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        counted: &BucketCounts<'_>,
        bounds: &[i64],
    ) {
        let mut metrics = Vec::new();
        for (value, (buckets, sum_ms)) in &counted.0 {
            let mut histogram = Histogram::default();
            let up_to = |bound: i64| buckets.range(1..=bound).map(|(_, many)| *many).sum::<i64>();
            let bucket = |bound: &i64| {
                let mut bucket = Bucket::default();
                bucket.set_upper_bound(seconds(*bound));
                bucket.set_cumulative_count(up_to(*bound).unsigned_abs());
                bucket
            };
            histogram.set_bucket(bounds.iter().map(bucket).collect());
            histogram.set_sample_count(buckets.values().sum::<i64>().unsigned_abs());
            histogram.set_sample_sum(seconds(*sum_ms));
            let mut metric = Metric::default();
            metric.set_label(vec![pair(label, value)]);
            metric.set_histogram(histogram);
            metrics.push(metric);
        }
        self.push(name, help, MetricType::HISTOGRAM, metrics);
    }

    fn add(
        &mut self,
        name: &str,
        help: &str,
        kind: MetricType,
        samples: impl IntoIterator<Item = Sample>,
        set: impl Fn(&mut Metric, f64),
    ) {
        let metric = |Sample { labels, value }: Sample| {
            let mut metric = Metric::default();
            metric.set_label(labels.iter().map(|(name, value)| pair(name, value)).collect());
            set(&mut metric, value);
            metric
        };
        let metrics = samples.into_iter().map(metric).collect();
        self.push(name, help, kind, metrics);
    }

    fn push(&mut self, name: &str, help: &str, kind: MetricType, metrics: Vec<Metric>) {
        // A family without samples is left out.
        if metrics.is_empty() {
            return;
        }
        let mut family = MetricFamily::default();
        family.set_name(name.to_owned());
        family.set_help(help.to_owned());
        family.set_field_type(kind);
        family.set_metric(metrics);
        self.0.push(family);
    }

    /// All families as text.
    pub(super) fn encode(&self) -> Result<String, prometheus::Error> {
        TextEncoder::new().encode_to_string(&self.0)
    }
}

fn pair(name: &str, value: &str) -> LabelPair {
    let mut pair = LabelPair::default();
    pair.set_name(name.to_owned());
    pair.set_value(value.to_owned());
    pair
}

/// A value and its labels.
pub(super) struct Sample {
    labels: Vec<(&'static str, String)>,
    value: f64,
}

impl Sample {
    /// A value without labels.
    pub(super) fn unlabelled(value: f64) -> Self {
        Self { labels: Vec::new(), value }
    }

    pub(super) fn of<const N: usize>(labels: [(&'static str, &str); N], value: f64) -> Self {
        Self { labels: labels.into_iter().map(|(name, value)| (name, value.to_owned())).collect(), value }
    }
}

/// Counts in buckets, by label: the counts by bound, and the sum in milliseconds.
pub(super) struct BucketCounts<'t>(BTreeMap<&'t str, (BTreeMap<i64, i64>, i64)>);

impl<'t> BucketCounts<'t> {
    pub(super) fn of(sums: &'t [MetricSum], (buckets, sum): (&str, &str)) -> Self {
        let mut all: BTreeMap<&str, (BTreeMap<i64, i64>, i64)> = BTreeMap::new();
        for tallied in sums {
            if tallied.name == buckets {
                // Values above all bounds go beyond the last one.
                let bound = if tallied.bound > 0 { tallied.bound } else { i64::MAX };
                *all.entry(&tallied.labels).or_default().0.entry(bound).or_default() += tallied.value;
            } else if tallied.name == sum {
                all.entry(&tallied.labels).or_default().1 += tallied.value;
            }
        }
        Self(all)
    }
}

/// A whole number as a value of Prometheus.
#[expect(clippy::cast_precision_loss, reason = "counts and bytes are far below 2^53")]
pub(super) fn number(number: i64) -> f64 {
    number as f64
}

/// Converts milliseconds to seconds.
pub(super) fn seconds(ms: i64) -> f64 {
    number(ms) / 1_000.0
}
