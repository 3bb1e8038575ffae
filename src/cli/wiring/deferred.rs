//! Arguments of a verb that are defined only when the verb is used. Defining all options of all verbs was most of the
//! time that a short command took.

use std::ops::Deref;

use clap::builder::{Resettable, StyledStr};
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
        command.defer(define::<T>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| keep_about(command, T::augment_args_for_update))
    }
}

/// Defines the arguments of a verb now.
pub(in crate::cli) fn define<T: Args>(command: Command) -> Command {
    keep_about(command, T::augment_args)
}

/// Adds arguments to a verb that has its text already: that of a list of verbs in them would replace it.
fn keep_about(command: Command, augment: impl FnOnce(Command) -> Command) -> Command {
    let about: Resettable<StyledStr> = command.get_about().cloned().into();
    let long_about: Resettable<StyledStr> = command.get_long_about().cloned().into();
    augment(command).about(about).long_about(long_about)
}
