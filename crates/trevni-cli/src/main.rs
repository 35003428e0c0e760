//! The program `trevni`.

fn main() -> std::process::ExitCode {
    trevni_cli::main()
}
