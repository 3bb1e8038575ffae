//! Empty: the service with known ground truth is in `support/truth.rs`.
