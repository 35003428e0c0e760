//! The program `trevni`.

/// Threads hand batches to each other, which the allocator of glibc makes them wait for.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    trevni_cli::main()
}
