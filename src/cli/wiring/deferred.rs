//! Arguments of a verb that are defined only when the verb is used. Defining all options of all verbs was most of the
//! time that a short command took.

use std::ops::Deref;

use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// The arguments of a verb. A command that was not built has no arguments for it yet: call [`Command::build`] before
/// listing them.
#[derive(Debug)]
pub struct Deferred<T>(pub T);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(T::augment_args)
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(T::augment_args_for_update)
    }
}
