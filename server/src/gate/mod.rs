//! Token buckets before the target sites.
