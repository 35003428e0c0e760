//! `trevni completions` and `trevni man`: shell completions and manual pages.

use std::io::Write;
use std::path::PathBuf;

use clap_complete::Shell;

use crate::exit::CliError;
use crate::help;
use crate::stdout;

/// Print the completions for a shell: bash, zsh, fish, elvish or powershell.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

/// Print the manual page, or write one for each subcommand to a folder.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The folder, which is created. Pages in it are replaced.
    folder: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(), "trevni", &mut text);
    print(&text)
}

pub(crate) fn man(args: &ManArgs) -> Result<(), CliError> {
    let command = help::command().disable_help_subcommand(true);
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return print(&page);
    };
    let of_folder = || CliError::of(folder.display());
    std::fs::create_dir_all(folder).map_err(of_folder())?;
    clap_mangen::generate_to(command, folder).map_err(of_folder())
}

fn print(text: &[u8]) -> Result<(), CliError> {
    let mut out = stdout::stdout();
    out.write_all(text)?;
    Ok(out.flush()?)
}
