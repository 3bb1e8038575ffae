//! The one HTTP client: rustls with ring, no redirects, no system proxy, bodies read under a cap of decoded bytes. What
//! is said over it belongs to the rooms that use it.
