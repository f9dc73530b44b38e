import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(__dirname, '../../..');

interface Share {
  parts: string[];
  packages: string[];
}
interface Manifest {
  os?: string[];
  cpu?: string[];
  gypfile?: boolean;
  scripts?: Record<string, string>;
}

/** What each Debian package would have of dist and node_modules. */
let shares: Record<string, Share>;
beforeAll(() => {
  const list = execFileSync(process.execPath, ['scripts/package.mjs', '--list'], {
    cwd: project,
    encoding: 'utf8',
  });
  shares = JSON.parse(list) as typeof shares;
});

it('what Debian packages install is the same on every architecture', () => {
  const packages = Object.values(shares).flatMap((share) => share.packages);
  const bound = packages.filter((path) => {
    const manifest = JSON.parse(readFileSync(join(project, path, 'package.json'), 'utf8')) as Manifest;
    const { os, cpu, gypfile, scripts = {} } = manifest;
    return os ?? cpu ?? gypfile ?? scripts['install'] ?? scripts['postinstall'];
  });
  expect(bound).toEqual([]);
  expect(packages).toEqual(expect.arrayContaining(['node_modules/@nestjs/core', 'node_modules/typeorm']));
});

it('the package proctor-worker has neither the store nor a service of the server', () => {
  const { parts, packages } = shares['proctor-worker']!;
  expect(parts).toEqual(['dist/apps/worker']);
  expect(packages.filter((path) => /\/(pg|typeorm|@aws-sdk)\b/.test(path))).toEqual([]);
});

it('the package proctor-worker depends on every program that a worker needs', () => {
  const control = readFileSync(join(project, 'deploy/debian/control'), 'utf8');
  const worker = control.split('\n\n').find((text) => text.startsWith('Package: proctor-worker'));
  for (const name of ['autodep8', 'autopkgtest', 'mmdebstrap', 'slirp4netns', 'uidmap'])
    expect(worker).toMatch(new RegExp(`^ +${name},|Depends:.* ${name},`, 'm'));
});

it('the documents add no worker to an address with TLS without the certificate to check it against', () => {
  const documents = ['README.md', 'docs/packages.md', 'docs/deployment.md', 'docs/operations.md'];
  const texts = documents.map((name) => readFileSync(join(project, name), 'utf8').replaceAll('\\\n', ' '));
  const added = texts.flatMap((text) => text.match(/proctor worker add [^\n`]*/g) ?? []);
  expect(added.length).toBeGreaterThan(2);
  expect(added.filter((line) => line.includes('--url tls:') && !line.includes('--ca '))).toEqual([]);
});
