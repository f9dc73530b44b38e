const { readFileSync } = require('node:fs');

// Nest 12 and a few of its dependencies are published as ES modules only; jest on Node 20 cannot require() those, so
// they are compiled to CommonJS like our own sources. Error "Must use import to load ES Module" names the next one.
const esmPackages = [
  '@nestjs',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  '@borewit',
  'eta',
  'feed',
  'openid-client',
  'oauth4webapi',
  'jose',
  'd3-[a-z-]+',
  'internmap',
  'request-filtering-agent',
];

const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  cacheDirectory: '<rootDir>/.cache/jest',
  // Other releases of this package are kept there.
  modulePathIgnorePatterns: ['<rootDir>/.cache/'],
  transform: { '^.+\\.(t|j|mj)s$': ['@swc/jest', { ...swcOptions(), swcrc: false }] },
  transformIgnorePatterns: [`/node_modules/(?!(${esmPackages.join('|')})/)`],
  moduleNameMapper: {
    '^@proctor/(.*)$': '<rootDir>/libs/$1/src',
    '^@(apps|libs|test)/(.*)$': '<rootDir>/$1/$2',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  setupFiles: ['reflect-metadata'],
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'],
};

/** The options of the build, without its path mapping: jest maps the libraries itself. */
function swcOptions() {
  const { jsc, module, sourceMaps } = JSON.parse(readFileSync(`${__dirname}/.swcrc`, 'utf8'));
  return { jsc: { ...jsc, baseUrl: undefined, paths: undefined }, module, sourceMaps };
}

module.exports = {
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  projects: [
    // Rules and everything else that needs nothing but Node.
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs}/**/*.spec.ts', '<rootDir>/test/unit/**/*.spec.ts'],
    },
    // One suite for the in-memory and the real PostgreSQL and NATS.
    {
      ...base,
      displayName: 'contract',
      testMatch: ['<rootDir>/test/contract/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/services.global-setup.ts',
      globalTeardown: '<rootDir>/test/support/services.global-teardown.ts',
    },
    // The actor, ownership and slot code on a virtual clock, with faults drawn from a seed.
    { ...base, displayName: 'simulation', testMatch: ['<rootDir>/test/simulation/**/*.spec.ts'] },
    // Real processes, real services, real autopkgtest.
    {
      ...base,
      displayName: 'end-to-end',
      testMatch: ['<rootDir>/test/end-to-end/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/services.global-setup.ts',
      globalTeardown: '<rootDir>/test/support/services.global-teardown.ts',
    },
  ],
};
