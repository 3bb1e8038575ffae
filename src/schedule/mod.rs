//! When a job is due: slots as a pure function of the schedule, and what becomes of slots that passed. It reads no clock
//! and no database.
