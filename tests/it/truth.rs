//! A service whose truth is known: posts of topics with the instants at which they were published, indexed and deleted, shown
//! newest first under a cap. It tells what it showed, so that what the program claims can be held against it. Written for
//! the tests alone; it shares nothing with the program's client or the sandbox.
