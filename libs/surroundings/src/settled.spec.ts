import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeAmbient } from './ambient';
import { completePath, settleSurroundings } from './settled';

const STANDARD = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

let before: number;
beforeEach(() => (before = process.umask()));
afterEach(() => process.umask(before));

it.each([0o000, 0o027, 0o077, 0o777])('a process does not keep the umask %o of who starts it', (umask) => {
  process.umask(umask);
  settleSurroundings({});
  expect(process.umask()).toBe(0o022);
});

it.each([
  [undefined, STANDARD],
  ['', STANDARD],
  ['/opt/node/bin', `/opt/node/bin:${STANDARD}`],
  [':/usr/bin:', '/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin'],
])('a PATH %j becomes whole', (path, whole) => {
  expect(completePath(path)).toBe(whole);
});

it('a TMPDIR that will not do is dropped and named; one that will stays', () => {
  const folder = mkdtempSync('/tmp/with blanks ');
  try {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const TMPDIR of [file, join(folder, 'missing')]) {
      const env: NodeJS.ProcessEnv = { TMPDIR };
      expect(settleSurroundings(env)).toEqual([
        `TMPDIR: ${TMPDIR} is not a folder that this user may write to; temporary files go to /tmp. Type: unset TMPDIR`,
      ]);
      expect(env).not.toHaveProperty('TMPDIR');
    }
    const env: NodeJS.ProcessEnv = { TMPDIR: folder };
    expect([settleSurroundings(env), env['TMPDIR']]).toEqual([[], folder]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('what would make libraries write secrets to the log is dropped and named', () => {
  const env: NodeJS.ProcessEnv = { DEBUG: '*', NODE_DEBUG: 'http', DEBUG_LEVEL: '1' };
  expect(settleSurroundings(env)).toEqual([
    'DEBUG, NODE_DEBUG: not used: libraries would write cookies and keys in addresses to the log',
  ]);
  expect(Object.keys(env)).toEqual(expect.not.arrayContaining(['DEBUG', 'NODE_DEBUG']));
  expect(env['DEBUG_LEVEL']).toBe('1');
});

it('no proxy is asked for the addresses of this machine, beside those that a user has excepted', () => {
  const env: NodeJS.ProcessEnv = { NO_PROXY: 'example.org, ', no_proxy: '*' };
  settleSurroundings(env);
  expect([env['NO_PROXY'], env['no_proxy']]).toEqual(['example.org,127.0.0.1,::1,localhost', '*']);
});

it('variables of client libraries are forgotten, and no others; who names a database reads which', () => {
  const env: NodeJS.ProcessEnv = { PGSSLMODE: 'require', PGPASSWORD: 'x', PGP_KEY1: 'y', AWS_PROFILE: 'z' };
  expect(settleSurroundings({ ...env })).toEqual([]);
  const [notice, ...others] = settleSurroundings({ ...env, PROCTOR_DATABASE_URL: 'postgres://p@h/d' });
  expect(notice).toMatch(/^PGSSLMODE, PGPASSWORD: not used, PROCTOR_DATABASE_URL alone says /);
  expect(others).toEqual([]);
  removeAmbient('postgres', env);
  expect(env).toEqual({ PGP_KEY1: 'y', AWS_PROFILE: 'z' });
  removeAmbient('aws', env);
  expect(env).toEqual({ PGP_KEY1: 'y' });
});
