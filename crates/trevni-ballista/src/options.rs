//! The options of the commands.

use clap::Parser;

/// Parses the options of one of Ballista's commands, of which `policy` chooses who distributes tasks. Its default is
/// `pull-staged`: executors ask for tasks.
///
/// With `push-staged`, Ballista's default, the scheduler of Ballista 55 does not release the cores of the tasks that it
/// cancels after an executor is lost. A query whose other executors have no more cores then waits until one registers.
pub fn parse_options<T: Parser>(policy: &str) -> T {
    let command = T::command().mut_arg(policy, |option| option.default_value("pull-staged"));
    T::from_arg_matches(&command.get_matches()).unwrap_or_else(|e| e.exit())
}
