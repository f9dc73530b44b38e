# One image for every process of Proctor; the command chooses which: api, scheduler, worker or the proctor command.
FROM node:20-bookworm-slim
WORKDIR /srv/proctor
# What a worker needs to build images and run tests; the other processes ignore it.
RUN apt-get update \
 && apt-get install -y --no-install-recommends autopkgtest autodep8 mmdebstrap uidmap slirp4netns \
 && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json .npmrc ./
COPY bin bin
COPY scripts scripts
RUN npm ci --omit=dev
COPY .swcrc ./
COPY apps apps
COPY libs libs
COPY config config
RUN npm run build
ENV PROCTOR_HOME=/var/lib/proctor PROCTOR_CONFIG=/srv/proctor/config PROCTOR_LOG=json
CMD ["node", "dist/apps/api/src/main.js"]
