import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import importX from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

// The house: apps → libs, never the reverse; apps never import each other; a library is entered by its index.ts only.
const APPS = ['api', 'cli', 'scheduler', 'worker'];
const LIBS = [
  'administration',
  'bus',
  'clock',
  'config',
  'contracts',
  'database',
  'dispatch',
  'embedded',
  'events',
  'monitoring',
  'pauses',
  'process',
  'request-fields',
  'resources',
  'result-files',
  'retention',
  'store',
  'surroundings',
  'webhooks',
];
const MAY_IMPORT = {
  administration: ['contracts', 'resources', 'database', 'bus', 'embedded'],
  clock: [],
  contracts: ['request-fields'],
  dispatch: ['contracts', 'pauses'],
  config: ['contracts', 'store'],
  store: ['contracts', 'surroundings'],
  database: ['contracts', 'dispatch', 'events', 'request-fields', 'surroundings'],
  events: ['contracts'],
  bus: ['contracts', 'clock', 'pauses', 'process', 'result-files'],
  embedded: ['clock', 'pauses'],
  monitoring: ['clock', 'process'],
  pauses: [],
  process: [],
  'request-fields': [],
  resources: ['contracts', 'request-fields'],
  surroundings: [],
  webhooks: ['pauses'],
  'result-files': ['contracts'],
  retention: ['contracts', 'database', 'store'],
};

const DATABASE = ['typeorm', 'typeorm/*', 'pg', 'pg-*', 'connect-pg-simple', '@nestjs/typeorm'];
const MAIL = ['nodemailer', 'nodemailer/*'];
const NATS = ['@nats-io/*'];
const CHILD_PROCESS = ['child_process', 'node:child_process'];
const IO = ['node:*', 'fs', 'path', 'os', 'net', 'http', 'crypto', '@nestjs/*', 'rxjs'];

const forbid = (group, message) => ({ group, message });
const INNER = forbid(
  ['@proctor/*/**', '**/libs/*/src/**'],
  "A library is entered by its index.ts: import from '@proctor/<library>'.",
);
const OF_TESTS = forbid(
  ['@apps/**', '@libs/**', '@test/**'],
  'Only tests use these names: the walls do not see them.',
);
const onlyIn = {
  database: forbid(DATABASE, 'PostgreSQL is spoken in libs/database only.'),
  nats: forbid(NATS, 'NATS is spoken in libs/bus only.'),
  mail: forbid(MAIL, 'Mail is sent by apps/api/src/mail/relay.ts only.'),
  childProcess: forbid(CHILD_PROCESS, 'Child processes are started by apps/worker and libs/embedded only.'),
};

/** The import walls of one part of the house; flat config does not merge a rule, so each part has its whole list. */
function walls(files, { allow = [], libs = LIBS, extra = [], ignores = [] } = {}) {
  const patterns = Object.entries(onlyIn)
    .filter(([name]) => !allow.includes(name))
    .map(([, pattern]) => pattern);
  const foreign = LIBS.filter((lib) => !libs.includes(lib)).map((lib) => `@proctor/${lib}`);
  if (foreign.length > 0)
    patterns.push(forbid(foreign, 'This library may not depend on that one (ARCHITECTURE.md).'));
  const rules = (...more) => ({
    'no-restricted-imports': ['error', { patterns: [INNER, ...patterns, ...extra, ...more] }],
  });
  const specs = files.map((each) => each.replace('*.ts', '*.spec.ts'));
  return [
    { files, ignores, rules: rules(OF_TESTS) },
    { files: specs, ignores, rules: rules() },
  ];
}

const ALLOWED = { database: ['database'], bus: ['nats'], embedded: ['childProcess'] };

/** The rooms of an app, each with those below it, which are all that it may import. */
const ROOMS = {
  api: {
    http: [],
    sessions: ['http'],
    auth: ['http', 'sessions'],
    document: ['http', 'auth', 'sessions'],
    dispatchers: ['http'],
    events: ['http', 'auth', 'dispatchers', 'runs'],
    monitoring: ['http', 'dispatchers'],
    webhooks: ['http', 'auth', 'dispatchers', 'runs', 'events'],
    admin: ['http', 'auth', 'dispatchers'],
    keys: ['http', 'auth', 'sessions'],
    queues: ['http', 'auth', 'dispatchers', 'admin'],
    sources: ['http'],
    runs: ['http', 'auth', 'sessions', 'dispatchers', 'queues', 'sources'],
    workers: ['http', 'auth', 'dispatchers', 'queues', 'runs'],
    notes: ['http', 'auth', 'runs'],
    'public-data': ['http', 'auth', 'sessions', 'runs'],
    logs: ['http', 'auth', 'sessions', 'dispatchers', 'runs', 'public-data'],
    pages: [
      'http',
      'document',
      'sessions',
      'auth',
      'dispatchers',
      'admin',
      'keys',
      'queues',
      'sources',
      'runs',
      'workers',
      'notes',
      'events',
      'webhooks',
      'public-data',
      'logs',
    ],
    mail: ['http', 'runs', 'pages'],
  },
  scheduler: {
    ownership: [],
    traces: [],
    facts: ['ownership', 'traces'],
    statuses: ['ownership'],
    retention: [],
    dispatcher: ['ownership', 'facts', 'statuses'],
    testbeds: [],
    reports: ['dispatcher', 'testbeds'],
    sources: ['dispatcher'],
    monitoring: ['ownership', 'retention', 'dispatcher'],
  },
  worker: {
    sandbox: [],
    autopkgtest: [],
    slot: ['sandbox', 'autopkgtest'],
    reports: ['slot'],
    machine: ['sandbox', 'autopkgtest'],
    testbed: ['sandbox', 'autopkgtest', 'slot', 'machine'],
    attempt: ['sandbox', 'autopkgtest', 'slot', 'reports', 'machine', 'testbed'],
    life: ['sandbox', 'slot', 'reports', 'machine', 'testbed', 'attempt'],
    health: ['slot', 'reports', 'testbed', 'attempt', 'life'],
    sources: ['slot', 'testbed'],
    check: ['sandbox', 'machine', 'testbed'],
  },
};

/** The rooms of the database, and what each may import: `rows` has the tables, and the files beside the rooms put them together. */
const DATABASE_ROOMS = {
  rows: [],
  kit: ['rows'],
  schema: ['rows', 'kit'],
  people: ['rows', 'kit'],
  runs: ['rows', 'kit', 'people'],
  dispatch: ['rows', 'kit', 'people', 'runs'],
  statuses: ['rows', 'kit', 'runs'],
  reading: ['rows', 'kit', 'people', 'runs', 'dispatch', 'statuses'],
  webhooks: ['rows', 'kit', 'people', 'runs'],
  mail: ['rows', 'kit', 'people', 'runs', 'statuses', 'reading'],
  upkeep: ['rows', 'kit', 'schema', 'people', 'runs', 'statuses', 'webhooks'],
};

/** Each app has this file outside its rooms: the tokens of what is injected everywhere. */
const TOKENS = './configuration.token.ts';

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.cache/', '.proctor/', 'coverage/'] },
  js.configs.recommended,
  {
    // Most text comes from strangers: the time that an expression takes grows with the length of a text and no faster.
    files: ['{apps,libs,bin}/**'],
    ignores: ['**/*.spec.ts'],
    plugins: { regexp },
    rules: { 'regexp/no-super-linear-backtracking': 'error', 'regexp/no-super-linear-move': 'error' },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: { 'import-x/resolver': { node: { extensions: ['.ts', '.js'] } } },
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            ...APPS.map((app) => ({
              target: `./apps/${app}`,
              from: './apps',
              except: [`./${app}`],
              message: 'Apps never import each other: they talk over the bus.',
            })),
            ...Object.entries(ROOMS).flatMap(([app, rooms]) =>
              Object.entries(rooms).map(([room, below]) => ({
                target: `./apps/${app}/src/${room}/**/!(*.spec).ts`,
                from: `./apps/${app}/src`,
                except: [room, ...below].map((each) => `./${each}`).concat(TOKENS),
                message: `In the ${app}, ${room} imports ${below.join(', ') || 'none of the others'} only.`,
              })),
            ),
            ...Object.entries(DATABASE_ROOMS).map(([room, below]) => ({
              target: `./libs/database/src/${room}/**/!(*.spec).ts`,
              from: './libs/database/src',
              except: [room, ...below].map((each) => `./${each}`),
              message: `In the database, ${room} imports ${below.join(', ') || 'none of the others'} only.`,
            })),
            { target: './libs', from: './apps', message: 'Libraries never import apps.' },
            {
              target: './{apps,libs}/**/!(*.spec).ts',
              from: './test',
              message: 'The product never imports its tests.',
            },
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "MethodDefinition[kind='constructor'] > FunctionExpression[params.length>5]",
          message: 'A constructor has at most five parameters: fewer dependencies, or one object of options.',
        },
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'The object is one literal: name its properties in it.',
        },
      ],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-restricted-globals': ['error', { name: 'test', message: 'Tests are said by `it`.' }],
    },
  },
  { files: ['test/**/*.ts'], rules: { 'no-restricted-syntax': 'off' } },
  ...LIBS.filter((lib) => lib !== 'dispatch').flatMap((lib) =>
    walls([`libs/${lib}/**/*.ts`], { allow: ALLOWED[lib] ?? [], libs: MAY_IMPORT[lib] ?? [] }),
  ),
  ...walls(['libs/dispatch/**/*.ts'], {
    libs: MAY_IMPORT.dispatch,
    extra: [forbid(IO, 'The rules of scheduling are pure: no IO.')],
    ignores: ['**/*.spec.ts'],
  }),
  {
    // The rules of scheduling are pure: no clock and no randomness.
    files: ['libs/dispatch/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'Date',
        'performance',
        'setTimeout',
        'setInterval',
        'setImmediate',
        'process',
        'fetch',
        'crypto',
        'console',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'The rules are pure.' },
      ],
    },
  },
  ...APPS.flatMap((app) =>
    walls([`apps/${app}/**/*.ts`], { allow: app === 'worker' ? ['childProcess'] : [] }),
  ),
  ...walls(['apps/api/src/mail/relay.ts'], { allow: ['mail'] }),
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        require: 'readonly',
        module: 'writable',
        __dirname: 'readonly',
        setTimeout: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
  prettier,
);
