# List recipes.
default:
    @just --list

# Build the program.
build:
    cargo build --release --locked

# Run all tests.
test:
    cargo test --locked

# Run integration tests of one subject, such as `just it cli::replay`.
it subject:
    cargo test --locked --test it {{subject}}

# Check formatting, lints, rustdoc, wording and links.
lint:
    cargo fmt --all -- --check
    cargo clippy --locked --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --quiet
    .ci/voice
    .ci/links

# Compare the public API with that of the newest release, or of a revision.
api *revision:
    .ci/api {{revision}}

# Build and test the Python package.
python:
    .ci/python

# Build the documents as pages, in target/pages.
pages:
    .ci/pages

# Renew snapshots of whole outputs; read the diff.
snapshots:
    INSTA_UPDATE=always cargo test --locked --test it snapshots

# Run benchmarks, and count instructions of whole replays.
bench:
    cargo bench --locked
    benches/instructions

# Renew the list of third parties.
third-parties:
    .ci/third-parties > THIRD-PARTY.md

# Everything that has to hold before a change lands.
ci:
    .ci/run
