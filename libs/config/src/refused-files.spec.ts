import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationFolder } from '@test/support/configuration-folder';
import type { FileName } from './folder';
import { loadConfiguration } from './load';

const folder = new ConfigurationFolder();

/** Each line holds the one before it ten times. */
function laughs(depth: number): string {
  const lines = Array.from({ length: depth }, (_, n) => `x${n + 1}: &x${n + 1} [${`*x${n},`.repeat(10)}]`);
  return ['x0: &x0 [ha]', ...lines].join('\n');
}

/** Contents of files in ISO 8859-1, each with what follows the file's name in one of the problems. */
const REFUSED: Record<FileName, [text: string, problem: string][]> = {
  'proctor.yaml': [
    ['suites: []', ':1: suites: suites should not be empty'],
    ['suites:\n  - bad name', ':1: suites: each name is letters'],
    ['api:\n  port: high', ':2: api.port: port must be an integer number (found "high")'],
    ['\n\nsuits: [sid]', ':3: suits: property suits should not exist; did you mean suites?'],
    [
      'api:\n  mail: { host: "smtp://relay", sender: ci@example.org }',
      ':2: api.mail.host: it is a host name or an IP address',
    ],
    [
      'api:\n  mail: { host: relay, sender: ci@example.org, passwordFile: "a\\nb" }',
      ':2: api.mail.passwordFile: ',
    ],
    ['api:\n  mail: { host: relay, sender: "ci@a\\nb" }', ':2: api.mail.sender: sender must be an address'],
    ['api:\n  mail: { host: relay, sender: ci@example.org }', ':2: api.mail: publicUrl is missing'],
    [
      'api:\n  publicUrl: https://ci.example\n  mail: { host: relay, sender: ci@example.org, user: ci }',
      ':3: api.mail: user and passwordFile belong together',
    ],
    ['defaultBackend: lxc', ':1: defaultBackend: lxc is not among the backends'],
    ['scheduler:\n  leaseRenewMs: 50000', ':2: scheduler.leaseRenewMs: must be at most half'],
    ['api:\n  host: [', ':2: Flow sequence in block collection must be'],
    ['suites: [sid]\nsuites: [sid]', ':2: suites: is there twice'],
    ['suites: !names [sid]', ':1: Unresolved tag: !names'],
    ['suites: [sid]\nbackends: *s', ':2: *s stands for nothing'],
    ['? [a]\n: 1', ':1: a key is a name'],
    ['suites: [sid]\n---\nsuites: [sid]', ':2: Source contains multiple documents'],
    ['api:\n  - host', ':1: api: api must be an object'],
    ['scheduler: soon', ':1: scheduler: '],
    ['api:', ':1: api: '],
    ['api:\n  prot: 80', ':2: api.prot: property prot should not exist (found 80); did you mean port?'],
    ['store: { path: "" }', ':1: store.path: path should not be empty'],
    ['\nstore: { kind: s3 }', ':2: store: bucket is missing: the kind s3 needs it'],
    ['store: { kind: s3, bucket: A }', ':1: store.bucket: bucket must match'],
    ['store: { endpoint: "s3.example" }', ':1: store.endpoint: endpoint must be a URL'],
    ['store: { endpoint: "http://a:b@s3.example" }', ':1: store.endpoint: endpoint must'],
    ['store: { endpoint: "http://s3.example/?x=1" }', ':1: store.endpoint: endpoint must'],
    ['store: { endpoint: "http://s3.example/#x" }', ':1: store.endpoint: endpoint must'],
    ...['ci.example', 'ftp://ci.example', 'https://', 'https://a:b@ci.example', 'https://a@ci.example'].map(
      (url): [string, string] => [`api:\n  publicUrl: "${url}"`, ':2: api.publicUrl: is an address as'],
    ),
    ...['?x=1', '?', '#x', '#', '/ci?x=1', '/a/../b', '/a//b', '/%61', '/a b', '/api', '/user/ci'].map(
      (end): [string, string] => [
        `api:\n  publicUrl: "https://ci.example${end}"`,
        ':2: api.publicUrl: is an address as',
      ],
    ),
    ['store: { path: "a\\nb" }', ':1: store.path: path must be a path without control characters'],
    ...['http://x.example/v1#x', 'collector:4318', 'http://a:b@x.example/', 'ftp://x.example'].map(
      (url): [string, string] => [`scheduler:\n  tracesUrl: "${url}"`, ':2: scheduler.tracesUrl: '],
    ),
    ...[
      'https://bugs.example/',
      'mailto:a@b.example?{bug}',
      'https://b.example/{bug}/{package}',
      'b/{bug}',
    ].map((url): [string, string] => [`api:\n  bugUrl: "${url}"`, ':2: api.bugUrl: it begins with']),
    ...['https://b.example/{bug}', 'ftp://b.example/{body}', 'https://b.example/{', 'mailto:a b'].map(
      (url): [string, string] => [`api:\n  bugReportUrl: "${url}"`, ':2: api.bugReportUrl: it begins with'],
    ),
    ...['https://t.example/{name}', 'https://{package}.example/', 'ftp://t.example/'].map(
      (url): [string, string] => [
        `api:\n  packageLinks:\n    - { name: t, url: "${url}" }`,
        ':3: api.packageLinks.0.url: url must be an address',
      ],
    ),
    ...['http://127.0.0.1', '127.0.0.1:80', '[::1]', '/run/socket', 'a b'].flatMap(
      (host): [string, string][] =>
        ['api', 'scheduler'].map((section) =>
          section === 'api'
            ? [`api:\n  host: "${host}"`, ':2: api.host: it is a host name or an IP address']
            : [
                `scheduler:\n  metrics:\n    host: "${host}"`,
                ':3: scheduler.metrics.host: it is a host name or an IP address',
              ],
        ),
    ),
    ['api: { metrics: { host: "x:1" } }', ':1: api.metrics.host: it is a host name or an IP address'],
    ['api: { trustedProxies: ["10.0.0.0/8/8"] }', ':1: api.trustedProxies: each proxy is an IP address'],
    ...['http://a.example', 'https://a.example/?x', 'https://a.example/#x', 'https://a:b@a.example'].map(
      (issuer): [string, string] => [
        `api:\n  login:\n    providers:\n      - { id: a, label: A, issuer: "${issuer}", clientId: x }`,
        ':4: api.login.providers.0.issuer: ',
      ],
    ),
    [
      'api:\n  login:\n    providers:\n      - { id: a, label: A, issuer: "https://a.example", clientId: x, clientSecretFile: "a\\nb" }',
      ':4: api.login.providers.0.clientSecretFile: ',
    ],
    ['store: { prefix: ci }', ':1: store.prefix: prefix must be empty or names that'],
    ['store: { partBytes: 1 }', ':1: store.partBytes: partBytes must not be less than'],
    ['api: { host: "caf\xe9" }', ': is not UTF-8'],
    ['just text', ': a mapping of keys to values is expected'],
    ['api:\n  bodyBytesMax: 999999999', ':1: api.bodiesBytesMax: must be at least'],
    ['api:\n\n  socketIdleMs: 60000', ':3: api.socketIdleMs: must be longer than'],
    [
      'scheduler:\n  retry:\n    attemptsMax: 0',
      ':3: scheduler.retry.attemptsMax: attemptsMax must not be less than 1 (found 0)',
    ],
    [
      'scheduler:\n  retry:\n    attempts: 2',
      ':3: scheduler.retry.attempts: property attempts should not exist (found 2)',
    ],
    [
      'scheduler: { attemptsMax: 2 }',
      ':1: scheduler.attemptsMax: property attemptsMax should not exist (found 2); did you mean scheduler.retry.attemptsMax?',
    ],
    ['scheduler:\n  blame: 3', ':2: scheduler.blame: '],
    ['scheduler:\n  caps:', ':2: scheduler.caps: '],
    [
      'scheduler:\n  caps:\n    perSuiteMax: 0.5',
      ':3: scheduler.caps.perSuiteMax: perSuiteMax must be an integer number (found 0.5)',
    ],
    [
      'scheduler:\n  ageing: { stepsMax: 10 }',
      ':2: scheduler.ageing.stepsMax: stepsMax must not be greater than 9 (found 10)',
    ],
    [
      'scheduler:\n  retry:\n    delayMs: 9000\n    delayMaxMs: 8000',
      ':4: scheduler.retry.delayMaxMs: must be at least delayMs',
    ],
    [
      'scheduler:\n  requests: { bytesPerSecondMax: 1000 }',
      ':2: scheduler.requests.bytesPerSecondMax: must be at least 524288, the longest request',
    ],
    [
      'scheduler:\n  requests: { shunMaxMs: 1 }',
      ':2: scheduler.requests.shunMaxMs: must be at least shunMinMs',
    ],
    ['scheduler:\n  blame: { slowedMaxMs: 1 }', ':2: scheduler.blame.slowedMaxMs: must be at least slowedMs'],
    [
      'scheduler:\n  blame: { quarantineMaxMs: 1 }',
      ':2: scheduler.blame.quarantineMaxMs: must be at least quarantineMs',
    ],
    ...['{ ci: 0 }', '{ ci: 1001 }', '{ ci: "2" }', '{ "a b": 2 }'].map((weights): [string, string] => [
      `scheduler:\n  fairShare:\n    weights: ${weights}`,
      ':3: scheduler.fairShare.weights: each user has a weight above 0 and at most 1000',
    ]),
    ...['{ big: linux }', '{ big: [Linux] }', '{ big: ["a*b"] }', '{ "a b": [linux] }'].map(
      (classes): [string, string] => [
        `scheduler:\n  sizeClasses: ${classes}`,
        ':2: scheduler.sizeClasses: each class has a list of package names, which may end in *',
      ],
    ),
  ],
  'worker.yaml': [
    ['variants: &v\n  a: [*v]', ':2: *v contains itself'],
    [laughs(6), ': Excessive alias count'],
    ['sizeClasses: big', ':1: sizeClasses: '],
    ['sizeClasses: [1]', ':1: sizeClasses: each value in sizeClasses must be a string'],
    ['workPath: "a\\0b"', ':1: workPath: workPath must be a path without control characters'],
    ['visiblePaths: [srv]', ':1: visiblePaths: '],
    ['visiblePaths: ["/srv\\0"]', ':1: visiblePaths: '],
    ['metrics: { host: "x:1" }', ':1: metrics.host: it is a host name or an IP address'],
    ['name: "a.b"', ':1: name: name must match'],
    ['variants:\n  mine: []', ':1: variants: each name is letters'],
    ['variants:\n  a b: [a]', ':1: variants: each name is letters'],
    ['suiteSources: { "": [deb] }', ':1: suiteSources: each name is letters'],
    ['backendCommands:\n  __proto__: [ssh]', ':2: __proto__: is not a name'],
    ['slots: 2\n__proto__: { slots: 3 }', ':2: __proto__: is not a name'],
    ['slots: 2\nconstructor: [a]', ':2: constructor: property constructor should not exist'],
    ['metrics:\n  constructor: 1', ':2: metrics.constructor: property constructor should not exist'],
  ],
  'apt-sources.yaml': [
    ['x:\n  lines: [deb]', ':2: x.lines.0: is not an apt source line'],
    [
      'x:\n  lines:\n    - deb http://a.example sid main\n    - deb http://a.example/$(id) sid main',
      ':4: x.lines.1: is not an apt source line',
    ],
    ['- deb http://a.example sid main', ': a mapping of source names'],
    ['x:\n  lines: [deb http://a.example sid main]\n  user: [a]', ':3: x.user: unknown key'],
  ],
  'reject-list.yaml': [
    ['a:\n  sid: ""', ':2: a.sid: a mapping from each architecture'],
    ['a:\n  sid:\n    amd64:\n      "*": why', ':4: a.sid.amd64.*: the value'],
    ['"*": {}', ':1: *: is not a valid package'],
    ['a+b:\n  s/d: {}', ':2: a+b.s/d: is not a valid suite'],
    ['ab: { sid: { AMD: {} } }', ':1: ab.sid.AMD: is not a valid architecture'],
    ['ab: { sid: { "*": { "1 0": "" } } }', ':1: ab.sid.*.1 0: is not a valid version'],
    ['- hello', ': a mapping from each package is expected'],
  ],
};

describe.each(Object.entries(REFUSED))('%s', (file, contents) => {
  it.each(contents)('%j is refused with line and key', async (text, problem) => {
    await folder.write(file, Buffer.from(text, 'latin1'));
    await expect(loadConfiguration(folder.env)).rejects.toThrow(`/${file}${problem}`);
  });
});

/** Keys of a schema whose names say that they hold an address or a path. */
function addressKeys(schema: object, above: string[] = []): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object };
  const own = Object.entries(properties).flatMap(([key, value]) => [
    ...(/(?:url|paths?|endpoint|issuer|file|prefix|proxies|host)$/i.test(key)
      ? [[...above, key].join('.')]
      : []),
    ...addressKeys(value, [...above, key]),
  ]);
  return items ? [...own, ...addressKeys(items, above)] : own;
}

it.each(['proctor', 'worker'] as const)(
  'each address and path of %s.yaml is refused where it could not be followed as a whole',
  (name) => {
    const schema = readFileSync(join(__dirname, `../../../docs/schema/${name}.schema.json`), 'utf8');
    const keys = addressKeys(JSON.parse(schema) as object);
    const problems = REFUSED[`${name}.yaml`].map(([, problem]) => problem.replace(/\.\d+\./, '.'));
    expect(keys.length).toBeGreaterThan(2);
    expect(keys.filter((key) => !problems.some((problem) => problem.includes(` ${key}: `)))).toEqual([]);
  },
);
