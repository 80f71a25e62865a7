# Serves a bundle that is mounted at /bundle: docker run --init --read-only -p 8080:8080 -v ./bundles/mine:/bundle:ro fuzzqe
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# Left behind: runtimes of other systems, of GPUs and of training alone (packages/tfjs), and packages of the tests, which npm keeps as
# optional peers unless these are left out as well.
RUN npm ci --ignore-scripts \
 && npm run --silent build \
 && rm -r packages/tfjs node_modules/@fuzzqe/tfjs \
 && npm prune --omit=dev --omit=optional --omit=peer --ignore-scripts \
 && node deploy/keep-platform.mjs node_modules

FROM node:24-bookworm-slim
# Version and revision are added where an image is released.
LABEL org.opencontainers.image.title="FuzzQE" \
      org.opencontainers.image.description="Answers logical queries on knowledge graphs from a bundle that is mounted at /bundle" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/fuzzqe/fuzzqe" \
      org.opencontainers.image.documentation="https://github.com/fuzzqe/fuzzqe/blob/main/docs/serving.md" \
      org.opencontainers.image.base.name="docker.io/library/node:24-bookworm-slim"
# V8 of Node 24 lets its space of new objects grow to more than 48 MB, which a server of many small requests fills and gains little by, and glibc keeps
# freed memory for each thread by itself (docs/serving.md).
ENV NODE_ENV=production FUZZQE_SERVE_HOST=0.0.0.0 NODE_OPTIONS=--max-semi-space-size=8 MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build /src/node_modules node_modules
COPY --from=build /src/packages packages
USER 1000:1000
EXPOSE 8080
# Ready and not only alive: a container that opens its bundle is starting.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.FUZZQE_SERVE_PORT ?? 8080) + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/cli/bin/fuzzqe.js"]
CMD ["serve", "/bundle"]
