//! What is the same as what: identity keys, canonical URLs, folded text. Pure and versioned; it knows no database.
