//! The help of all subcommands: examples, the predicate language, and the options that the short help omits.

use clap::{Arg, Command, CommandFactory};

use crate::Cli;

/// The language of `--where`, for the long help of each subcommand that has the option.
const WHERE: &str = "\
Expressions for --where:
  a = 1   a != 1   a < 1   a <= 1   a > 1   a >= 1     compare a column with a literal
  a < b   a = b.c                                      compare two columns
  a between 1 and 9   a in (1, 2)   a not in (1, 2)    ranges and lists
  a like 'x_%'   a ilike 'x_%'   a not like 'x%'       patterns: _ is one character, % any text
  a is null   a is not null   flag   not flag          nulls and booleans
  x and y   x or y   not x   (x)                       `not` binds tightest, then `and`, then `or`
  a.b   \"a name\".b                                     fields of structs; names with other characters
Literals: 10, -0.5, 1e9, nan, inf; 'text' ('' is a quote); x'6162' (bytes); true, false;
  '2024-01-31', '2024-01-31T10:00:00.5Z', '10:00:00.5' (dates, timestamps, times); '1h 30m' (durations)
As in SQL, a comparison with null is neither true nor false, and keeps no row.
There is no arithmetic: that is what `trevni sql` is for.";

/// Groups of options for single formats. Only the long help of `convert` lists them: the other commands that read rows
/// have the same options.
const FORMAT_GROUPS: &[&str] = &["Reading csv", "Reading jsonl", "Rows of protobuf and thrift"];

/// What the long help of the other commands says instead.
const FORMAT_OPTIONS: &str = "Options for reading csv, jsonl, protobuf and thrift: the same as those of `trevni convert --help`.";

/// Subcommands, and what they do.
type Line = (&'static [&'static str], &'static str);

/// The subcommands by what they are for, as the short help lists them.
const GROUPS: &[(&str, &[Line])] = &[
    (
        "Rows of any format",
        &[
            (
                &["cat", "head", "tail", "sample"],
                "Print rows: all, the first, the last, random ones",
            ),
            (&["count", "describe", "schema"], "Count rows, profile the columns, print the schema"),
            (&["sql", "explain"], "Run SQL over files, show how a query is run"),
            (&["convert", "diff"], "Convert between formats, compare two files"),
            (&["view", "bench"], "Show a file in a browser, measure Trevni and Parquet on it"),
        ],
    ),
    (
        "Trevni files",
        &[
            (&["meta", "layout", "size"], "Print the metadata, the blocks, the bytes of columns"),
            (&["verify"], "Check checksums, values and statistics, of Blosc files too"),
            (&["rewrite", "concat"], "Change the codec or the layout, join files"),
            (&["vacuum"], "Delete files of a data set that no commit names"),
            (&["tojson", "totrevni", "trevni_random"], "As the tools of the reference"),
        ],
    ),
    (
        "Others",
        &[
            (&["blosc"], "Bloscpack files, and containers of the Blosc family"),
            (
                &["random", "completions", "man"],
                "Random rows, completions for a shell, manual pages",
            ),
        ],
    ),
];

/// The top of the help: subcommands are listed by group.
const TEMPLATE: &str = "\
{about}

{usage-heading} {usage}{after-help}
Options:
{options}";

/// Two examples for each subcommand.
const EXAMPLES: &[(&str, [&str; 2])] = &[
    (
        "bench",
        ["trevni bench flights.csv", "trevni bench orders.parquet --where \"price < 2\" --json"],
    ),
    (
        "cat",
        [
            "trevni cat quakes.trv --columns place,mag --where \"mag > 6\"",
            "trevni cat quakes.parquet --rows 10..20 --format csv",
        ],
    ),
    ("head", ["trevni head quakes.csv", "trevni head -n 3 https://example.org/quakes.trv"]),
    ("tail", ["trevni tail quakes.trv", "trevni tail -n 3 quakes.csv --where \"mag > 6\""]),
    (
        "sample",
        ["trevni sample quakes.trv", "trevni sample -n 1000 --seed 7 quakes.parquet --format csv"],
    ),
    ("describe", ["trevni describe quakes.csv", "trevni describe --json quakes.parquet"]),
    ("schema", ["trevni schema quakes.trv", "trevni schema --format avro quakes.parquet"]),
    ("count", ["trevni count quakes.trv", "trevni count quakes.csv --where \"mag > 6\""]),
    ("meta", ["trevni meta quakes.trv", "trevni meta --pretty s3://bucket/quakes.trv"]),
    ("layout", ["trevni layout quakes.trv", "trevni layout --json quakes.trv"]),
    ("size", ["trevni size quakes.trv", "trevni size --json quakes.trv"]),
    ("verify", ["trevni verify quakes.trv", "trevni verify backup.blp frame.b2nd"]),
    ("view", ["trevni view quakes.trv", "trevni view --no-browser orders.parquet"]),
    ("vacuum", ["trevni vacuum quakes/ --dry-run", "trevni vacuum quakes/ --older-than 7d"]),
    ("tojson", ["trevni tojson quakes.trv", "trevni tojson --pretty quakes.trv"]),
    (
        "convert",
        [
            "trevni convert quakes.csv quakes.trv --codec pack",
            "trevni convert quakes.parquet - --to jsonl --where \"mag > 6\"",
        ],
    ),
    ("diff", ["trevni diff quakes.csv quakes.trv", "trevni diff old.parquet new.parquet -n 3"]),
    (
        "sql",
        [
            "trevni sql \"select place, max(mag) from quakes group by place\" quakes.csv",
            "trevni sql \"select * from 'data/*.trv' where mag > 6\" --output strong.trv",
        ],
    ),
    (
        "explain",
        [
            "trevni explain \"select max(mag) from quakes\" quakes.trv",
            "trevni explain --analyze \"select * from quakes where mag > 6\" quakes.trv",
        ],
    ),
    (
        "random",
        [
            "trevni random schema.json 1000 rows.trv",
            "trevni random schema.avsc 1000 rows.avro --seed 7",
        ],
    ),
    (
        "concat",
        ["trevni concat all.trv jan.trv feb.trv", "trevni concat --force all.trv jan.trv feb.trv"],
    ),
    (
        "rewrite",
        [
            "trevni rewrite old.trv new.trv --codec zstd",
            "trevni rewrite old.trv new.trv --drop note",
        ],
    ),
    (
        "totrevni",
        ["trevni totrevni in.avro out.trv", "trevni totrevni --codec snappy in.avro out.trv"],
    ),
    (
        "trevni_random",
        [
            "trevni trevni_random schema.avsc 100 out.trv",
            "trevni trevni_random --seed 7 schema.avsc 100 out.trv",
        ],
    ),
    ("blosc", ["trevni blosc compress data.bin", "trevni blosc info data.bin.blp"]),
    (
        "compress",
        ["trevni blosc compress data.bin", "trevni blosc compress -t 4 data.bin data.blp"],
    ),
    (
        "decompress",
        ["trevni blosc decompress data.blp", "trevni blosc decompress -f data.blp data.bin"],
    ),
    (
        "append",
        ["trevni blosc append data.blp more.bin", "trevni blosc append -n 2 data.blp more.bin"],
    ),
    ("info", ["trevni blosc info data.blp", "trevni blosc info bundle.bcolz"]),
    ("completions", ["trevni completions bash", "trevni completions zsh > _trevni"]),
    ("man", ["trevni man | man -l -", "trevni man target/man"]),
];

/// Options that only `--help` lists.
const RARE: &[&str] = &[
    "batch_size",
    "block_rows",
    "block_size",
    "checksum",
    "chunk_rows",
    "comment",
    "decimal_comma",
    "dtype",
    "encoding",
    "escape",
    "file_rows",
    "file_size",
    "infer_rows",
    "layout",
    "level",
    "lossy",
    "max_row_size",
    "memory",
    "memory_budget",
    "message",
    "no_header",
    "no_sampling",
    "no_statistics",
    "null_values",
    "pad",
    "proto_descriptor",
    "quote",
    "rename",
    "rename_duplicates",
    "rows_at",
    "schema",
    "seed",
    "shuffle",
    "skip_bad",
    "skip_lines",
    "struct_name",
    "fsst_threshold",
    "threads",
    "thrift",
    "thrift_protocol",
];

/// Returns the command line, with all of its help.
pub(crate) fn command() -> Command {
    let command = Cli::command();
    let (short, long) = (short_list(&command), long_list(&command));
    with_examples(command).help_template(TEMPLATE).after_help(short).after_long_help(long)
}

/// Returns the subcommands that this build has, some on a line, and what they do.
fn short_list(command: &Command) -> String {
    let mut list = String::new();
    for (group, lines) in GROUPS {
        list += &format!("{group}:\n");
        for (names, about) in *lines {
            let known = names.iter().filter(|name| command.find_subcommand(name).is_some());
            let names = known.copied().collect::<Vec<_>>().join(", ");
            if !names.is_empty() {
                list += &format!("  {names:31}  {about}\n");
            }
        }
    }
    list + "\n`trevni COMMAND -h` lists the options of a command, `--help` explains them.\n"
}

/// Returns the subcommands, each with its own description.
fn long_list(command: &Command) -> String {
    let mut list = String::new();
    for (group, lines) in GROUPS {
        list += &format!("{group}:\n");
        for name in lines.iter().flat_map(|(names, _)| *names) {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            if let Some(about) = about {
                list += &format!("  {name:13}  {about}\n");
            }
        }
        list += "\n";
    }
    list
}

fn with_examples(command: Command) -> Command {
    command.mut_subcommands(|sub| {
        let mut text = EXAMPLES
            .iter()
            .find(|(name, _)| *name == sub.get_name())
            .map_or(String::new(), |(_, [a, b])| format!("Examples:\n  {a}\n  {b}"));
        if sub.get_arguments().any(|arg| arg.get_id() == "predicate") {
            text = format!("{WHERE}\n\n{text}");
        }
        let brief = sub.get_name() != "convert";
        if brief && sub.get_arguments().any(is_of_one_format) {
            text = format!("{FORMAT_OPTIONS}\n\n{text}");
        }
        let sub = sub.mut_args(|arg| {
            let rare = RARE.contains(&arg.get_id().as_str());
            let hidden = brief && is_of_one_format(&arg);
            let arg = if rare { arg.hide_short_help(true) } else { arg };
            if hidden { arg.hide_long_help(true) } else { arg }
        });
        with_examples(sub.after_long_help(text))
    })
}

fn is_of_one_format(arg: &Arg) -> bool {
    arg.get_help_heading().is_some_and(|heading| FORMAT_GROUPS.contains(&heading))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all subcommands, those of subcommands too.
    fn all(command: &Command) -> Vec<Command> {
        let below = command.get_subcommands().filter(|sub| sub.get_name() != "help");
        below.flat_map(|sub| [vec![sub.clone()], all(sub)].concat()).collect()
    }

    #[test]
    fn the_short_help_has_each_subcommand_and_fits_a_screen() {
        let mut command = command();
        let grouped = GROUPS.iter().flat_map(|(_, lines)| *lines).flat_map(|(names, _)| *names);
        let grouped: Vec<_> = grouped.copied().collect();
        for sub in command.get_subcommands() {
            let count = grouped.iter().filter(|name| **name == sub.get_name()).count();
            assert_eq!(count, 1, "{}", sub.get_name());
        }
        let help = command.render_help().to_string();
        assert!(help.lines().count() <= 24, "{help}");
        assert!(help.lines().all(|line| line.len() <= 100), "{help}");
    }

    #[test]
    fn every_subcommand_has_two_examples_that_parse() {
        let command = command();
        for sub in all(&command) {
            let name = sub.get_name();
            assert!(EXAMPLES.iter().any(|(known, _)| *known == name), "{name} has no examples");
        }
        for example in EXAMPLES.iter().flat_map(|(_, examples)| examples) {
            let words = words(example);
            if !command.get_subcommands().any(|sub| sub.get_name() == words[1]) {
                continue;
            }
            let parsed = command.clone().try_get_matches_from(&words);
            assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
        }
    }

    /// Splits as a shell does, up to a pipe or a redirection.
    fn words(example: &str) -> Vec<String> {
        let parts = example.split('"').enumerate();
        let parts = parts.flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        parts.take_while(|word| word != "|" && word != ">").collect()
    }

    #[test]
    fn only_convert_lists_the_options_of_single_formats() {
        let mut command = command().term_width(100);
        command.build();
        for mut one in all(&command) {
            let text = one.render_long_help().to_string();
            let lists = text.contains("--delimiter <");
            assert_eq!(lists, one.get_name() == "convert", "{}", one.get_name());
            let refers = text.contains(FORMAT_OPTIONS);
            assert_eq!(refers, one.get_arguments().any(is_of_one_format) && !lists, "{text}");
        }
    }

    #[test]
    fn short_help_fits_a_screen() {
        let mut command = command().term_width(100);
        command.build();
        for mut one in [vec![command.clone()], all(&command)].concat() {
            let text = one.render_help().to_string();
            let lines = text.lines().count();
            assert!(lines <= 45, "{}: {lines} lines\n{text}", one.get_name());
            for line in text.lines() {
                assert!(line.chars().count() <= 100, "{}: {line}", one.get_name());
            }
        }
    }
}
