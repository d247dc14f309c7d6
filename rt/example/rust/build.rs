//! Links libert.a as pkg-config says (PKG_CONFIG_PATH=PREFIX/lib/pkgconfig for one that is not installed in the system).
//!
//! SPDX-License-Identifier: Apache-2.0
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let said = Command::new("pkg-config")
        .args(["--libs", "--static", "ert >= 0.2"])
        .output()
        .expect("pkg-config is needed to find ert");
    if !said.status.success() {
        panic!("pkg-config finds no ert; set PKG_CONFIG_PATH to PREFIX/lib/pkgconfig\n{}", String::from_utf8_lossy(&said.stderr));
    }
    for word in String::from_utf8(said.stdout).expect("pkg-config speaks UTF-8").split_whitespace() {
        if let Some(folder) = word.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if word == "-lert" {
            println!("cargo:rustc-link-lib=static=ert");
        } else if let Some(library) = word.strip_prefix("-l") {
            println!("cargo:rustc-link-lib=dylib={library}");
        }
    }
}
