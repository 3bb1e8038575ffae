# topicwatch as a small image without a shell: `docker build -t topicwatch .`
#
#   docker run --rm topicwatch once                      try it, without a key
#   docker run -d --name topicwatch \
#     -v ./jobs.toml:/etc/topicwatch/jobs.toml:ro -v topicwatch:/var/lib/topicwatch \
#     -e TOPICWATCH_API_KEY topicwatch                   run it (the key comes from your environment)
#
# With PostgreSQL beside it: compose.yaml. Without an engine, `scripts/container_check` runs these steps and the image. Nothing
# here names an architecture: built on another, it is an image for that one (.github/workflows/release.yml).

FROM rust:1-bookworm AS build
WORKDIR /build
# The dependencies first, for a crate that is empty: this layer is built again only when these files change.
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo
COPY core/Cargo.toml core/
RUN mkdir -p src core/src tests/it benches \
    && echo 'fn main() {}' | tee build.rs > src/main.rs \
    && touch src/lib.rs core/src/lib.rs tests/architecture.rs tests/it/main.rs benches/store.rs \
    && cargo build --release --locked --features graphile --bin topicwatch
COPY . .
# Copied files can be older than what was built for the empty crate; cargo goes by their times.
RUN touch build.rs core/src/lib.rs src/lib.rs src/main.rs \
    && cargo build --release --locked --features graphile --bin topicwatch
# For the image, in which nothing could make a folder.
RUN install -d -m 0700 /state/topicwatch

# glibc, libgcc, certificates and time zones, and nothing else.
FROM gcr.io/distroless/cc-debian12
COPY --from=build --chown=10001:10001 /state/ /var/lib/
COPY --from=build /build/target/release/topicwatch /usr/local/bin/topicwatch
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/topicwatch/
# The annotated example, which asks nobody but the built-in sandbox; mount your own over it.
COPY jobs.toml /etc/topicwatch/jobs.toml
ENV TOPICWATCH_CONFIG=/etc/topicwatch/jobs.toml \
    TOPICWATCH_DATABASE_URL=sqlite:/var/lib/topicwatch/topicwatch.db
USER 10001:10001
WORKDIR /var/lib/topicwatch
VOLUME /var/lib/topicwatch
# SIGTERM ends it: what runs is finished first, so give it `shutdown_grace` and a little more (docker stop -t 45).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=10s --start-period=20s CMD ["topicwatch", "health"]
ENTRYPOINT ["topicwatch"]
CMD ["run"]
