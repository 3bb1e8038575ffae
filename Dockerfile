# topicwatch as a small image without a shell: `docker build -t topicwatch .`
#
#   docker run --rm topicwatch once                      try it, without a key
#   docker run -d --name topicwatch \
#     -v ./jobs.toml:/etc/topicwatch/jobs.toml:ro -v topicwatch:/var/lib/topicwatch \
#     -e TOPICWATCH_API_KEY topicwatch                   run it (the key comes from your environment)
#
# compose.yaml adds PostgreSQL. Without a container engine, `scripts/container_check` runs these steps and the image. The
# image is for the architecture of the machine that builds it (.github/workflows/release.yml).

FROM rust:1-bookworm AS build
WORKDIR /build
# First the dependencies, with empty crates: this layer is rebuilt only when these files change.
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo
COPY core/Cargo.toml core/
RUN mkdir -p src core/src tests/it benches \
    && echo 'fn main() {}' | tee build.rs > src/main.rs \
    && touch src/lib.rs core/src/lib.rs tests/architecture.rs tests/it/main.rs benches/store.rs \
    && cargo build --release --locked --features graphile --bin topicwatch
COPY . .
# cargo compares file times, and copied files can be older than the build of the empty crates.
RUN touch build.rs core/src/lib.rs src/lib.rs src/main.rs \
    && cargo build --release --locked --features graphile --bin topicwatch
# A folder for the final image, which has no shell to create one.
RUN install -d -m 0700 /state/topicwatch

# Contains only glibc, libgcc, certificates and time zones.
FROM gcr.io/distroless/cc-debian12
COPY --from=build --chown=10001:10001 /state/ /var/lib/
COPY --from=build /build/target/release/topicwatch /usr/local/bin/topicwatch
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/topicwatch/
# The annotated example, which uses only the built-in sandbox; mount your own file over it.
COPY jobs.toml /etc/topicwatch/jobs.toml
ENV TOPICWATCH_CONFIG=/etc/topicwatch/jobs.toml \
    TOPICWATCH_DATABASE_URL=sqlite:/var/lib/topicwatch/topicwatch.db \
    TOPICWATCH_SCHEDULER_OUTPUT_FOLDER=/var/lib/topicwatch
USER 10001:10001
WORKDIR /var/lib/topicwatch
VOLUME /var/lib/topicwatch
# On SIGTERM, active runs finish first, so allow `shutdown_grace` and a little more (docker stop -t 45).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=10s --start-period=20s CMD ["topicwatch", "health"]
ENTRYPOINT ["topicwatch"]
CMD ["run"]
