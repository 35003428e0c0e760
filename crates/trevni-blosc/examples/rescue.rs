//! Prints the arrays of a container of the Blosc family: `cargo run -p trevni-blosc --example rescue -- PATH`.
//!
//! The path is a Bloscpack file, a carray, bcolz or Blaze directory, or a contiguous or sparse Blosc2 frame.

fn main() -> trevni::Result<()> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "testdata/blosc/blosc2/nd_2d_i4.b2nd".to_owned());
    for (name, array) in trevni_blosc::open(&path)?.arrays {
        let bytes = array.read(0..array.len().min(3))?;
        println!("{name}: {} rows of {}", array.len(), array.layout().dtype.numpy_str());
        println!("  the first rows have {} bytes", bytes.len());
    }
    Ok(())
}
