# The six everyday commands. `just` lists them.

_default:
    @just --list

# Build and run every topic on the sandbox
once:
    cargo run -- once

# Tests whose names contain NAME, on both databases; all without NAME
test *NAME:
    scripts/test {{NAME}}

# Format, clippy and docs
check:
    cargo fmt --all --check
    cargo clippy --all-targets --locked --features graphile -- -D warnings
    RUSTDOCFLAGS='-D warnings' cargo doc --no-deps --locked

# Everything a change has to pass
ci:
    bash .ci/run

# Rewrite the generated parts of the docs
docs:
    UPDATE_DOCS=1 cargo test --locked --test it docs

# A release build
release:
    cargo build --release --locked
