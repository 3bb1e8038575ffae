# topicwatch as a small image: `docker build -t topicwatch .`
#
#   docker run --rm topicwatch once                      try it, without a key
#   docker run -d --name topicwatch \
#     -v ./jobs.toml:/etc/topicwatch/jobs.toml:ro -v topicwatch:/var/lib/topicwatch \
#     -e TOPICWATCH_API_KEY topicwatch                   run it (the key comes from your environment)
#
# With PostgreSQL beside it: compose.yaml. Without an engine, `scripts/container_check` runs these steps and the image.

FROM rust:1-bookworm AS build
WORKDIR /build
# The dependencies first, for a crate that is empty: this layer is built again only when these files change.
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo
RUN mkdir -p src tests/it benches \
    && echo 'fn main() {}' | tee build.rs > src/main.rs \
    && touch src/lib.rs tests/architecture.rs tests/it/main.rs benches/store.rs \
    && cargo build --release --locked --bin topicwatch
COPY . .
# Copied files can be older than what was built for the empty crate; cargo goes by their times.
RUN touch build.rs src/lib.rs src/main.rs \
    && cargo build --release --locked --bin topicwatch

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --system --gid 10001 topicwatch \
    && useradd --system --uid 10001 --gid topicwatch --home-dir /var/lib/topicwatch --shell /usr/sbin/nologin topicwatch \
    && install -d -o topicwatch -g topicwatch -m 0700 /var/lib/topicwatch
COPY --from=build /build/target/release/topicwatch /usr/local/bin/topicwatch
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/topicwatch/
# The annotated example, which asks nobody but the built-in sandbox; mount your own over it.
COPY jobs.toml /etc/topicwatch/jobs.toml
ENV TOPICWATCH_CONFIG=/etc/topicwatch/jobs.toml \
    TOPICWATCH_DATABASE_URL=sqlite:/var/lib/topicwatch/topicwatch.db
USER topicwatch
WORKDIR /var/lib/topicwatch
VOLUME /var/lib/topicwatch
# SIGTERM ends it: what runs is finished first, so give it `shutdown_grace` and a little more (docker stop -t 45).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=10s --start-period=20s CMD ["topicwatch", "health"]
ENTRYPOINT ["topicwatch"]
CMD ["run"]
