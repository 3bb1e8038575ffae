//! The followers that derive data from stored runs for readers. They notify no one, and pruning waits only for
//! near-copies. `collect` brings them up to date; their progress is in the table `follower`; that of the word index is a
//! queue of items, because an edit must be indexed again.

use crate::model::closed_list;

closed_list! {
    /// The followers, in the order in which they are brought up to date: the cheapest first, since the others may take
    /// long.
    Follower {
        /// Sums of finished runs, for metrics.
        Counters = "counters",
        /// Items that are near-copies of others.
        NearCopies = "near-copies",
        /// The index that items are searched by.
        Words = "words",
        /// Counts of topics' items on each local day.
        Days = "days",
        /// Counts of the terms in topics' texts of each local day.
        Terms = "terms",
    }
}
