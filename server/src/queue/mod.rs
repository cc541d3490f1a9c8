//! The durable, bounded priority queue.
