//! A stand-in of the search service on a loopback port, for trying, rehearsing and testing. It imports nothing of
//! `search`: both were written from the service's documentation, so that one checks the other.
