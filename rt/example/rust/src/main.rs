//! langid: the language of each text. The blob: edgeconv langid.onnx --tokenizer tests/models/langid.
//!
//!     PKG_CONFIG_PATH=PREFIX/lib/pkgconfig cargo run --offline --release -- langid.ert TEXT...
//!
//! SPDX-License-Identifier: Apache-2.0
mod ert;

use std::error::Error;

fn run(blob: &str, texts: &[String]) -> Result<(), Box<dyn Error>> {
    let mut classifier = ert::Classifier::new(&std::fs::read(blob)?, 4096)?;
    for text in texts {
        let (label, score) = classifier.classify(text)?;
        println!("{label} {score:.4}");
    }
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() < 3 {
        eprintln!("usage: langid BLOB.ert TEXT...");
        std::process::exit(2);
    }
    if let Err(error) = run(&arguments[1], &arguments[2..]) {
        eprintln!("langid: {error}");
        std::process::exit(1);
    }
}
