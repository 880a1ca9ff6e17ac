//! Every command of README.md runs as written, but for the test command itself.

use std::path::Path;

const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_command_runs() {
    let readme = std::fs::read_to_string(Path::new(REPOSITORY).join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(REPOSITORY).join("scenarios"), &folder.path().join("scenarios"));
    let commands: Vec<&str> =
        readme.lines().filter_map(|line| line.strip_prefix("cargo run --release -- ")).collect();
    assert!(commands.len() > 5, "README has lost its commands");
    for command in commands {
        let words = command.split('#').next().unwrap_or_default().split_whitespace();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_alba"))
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(folder.path().join("results/figure1/figures/figure1.png").exists());
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
