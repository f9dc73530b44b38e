import { chmod, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationFolder } from '@test/support/configuration-folder';
import { checkFolder } from './cross-check';

const folder = new ConfigurationFolder();

beforeEach(async () => {
  await mkdir(join(folder.path, '../bin'));
  for (const name of ['autopkgtest', 'autopkgtest-virt-ssh']) {
    await folder.write(`../bin/${name}`, '#!/bin/sh\n');
    await chmod(join(folder.path, '../bin', name), 0o755);
  }
});

async function warnings(): Promise<string[]> {
  const env = { ...folder.env, PATH: join(folder.path, '../bin') };
  const { problems, warnings } = await checkFolder(env);
  expect(problems).toEqual([]);
  return warnings.map((line) => line.replace(`${folder.path}/`, ''));
}

it('there is nothing to say of a folder without files, nor of names that agree', async () => {
  expect(await warnings()).toEqual([]);
  await folder.write(
    'proctor.yaml',
    'suites: [trixie, ours]\nbackends: [unshare, lab]\narchitectures: [i386]',
  );
  await folder.write(
    'worker.yaml',
    [
      'backends: [unshare, lab]',
      'backendCommands: { lab: [ssh, --, "{suite}"] }',
      'suitesAtStart: [trixie]',
      'architectures: [i386]',
    ].join('\n'),
  );
  await folder.write('reject-list.yaml', 'hello: { trixie: { i386: { "*": "" } } }');
  await folder.write('server.env', 'A=b');
  expect(await warnings()).toEqual([]);
});

it.each<[file: string, text: string, warning: string]>([
  [
    'proctor.yml',
    'suites: [sid]',
    'proctor.yml: is a file that no process reads; did you mean proctor.yaml?',
  ],
  ['rejectlist.yaml', '', 'rejectlist.yaml: is a file that no process reads; did you mean reject-list.yaml?'],
  ['extra.yaml', '', 'extra.yaml: is a file that no process reads'],
  [
    'proctor.yaml',
    '\narchitectures: [amd46]',
    'proctor.yaml:2: architectures: amd46 is no architecture of Debian; did you mean amd64?',
  ],
  [
    'proctor.yaml',
    'suites: [trixe]',
    'proctor.yaml:1: suites: trixe is no suite that Debian has had; did you mean trixie?',
  ],
  [
    'proctor.yaml',
    'suites: [trixie]\napi:\n  supersede:\n    - { suite: trixi }',
    'proctor.yaml:4: api.supersede.0.suite: suite trixi is not tested; did you mean trixie?',
  ],
  [
    'proctor.yaml',
    'api:\n  login:\n    providers:\n      - { id: a, label: A, issuer: https://a.example, clientId: p, clientSecretFile: /none }',
    'proctor.yaml:4: api.login.providers.0.clientSecretFile: /none does not exist',
  ],
  [
    'reject-list.yaml',
    'hello:\n  sad: { "*": { "*": "" } }',
    'reject-list.yaml:2: hello.sad: suite sad is not tested',
  ],
  [
    'reject-list.yaml',
    'hello:\n  "*": { armhf: { "*": "" } }',
    'reject-list.yaml:2: hello.*.armhf: architecture armhf is not tested',
  ],
  [
    'worker.yaml',
    'backends: [unshar]',
    "worker.yaml:1: backends: unshar is neither a backend of Proctor's own nor in backendCommands; did you mean unshare?",
  ],
  [
    'worker.yaml',
    'backendCommands: { lab: [ssh] }',
    'worker.yaml:1: backendCommands.lab: lab is not among backends, so it is not offered',
  ],
  [
    'worker.yaml',
    'backends: ["null"]',
    'worker.yaml:1: backends: null is not offered without machineMayBeDestroyed: true',
  ],
  [
    'worker.yaml',
    'architectures: [detectd]',
    'worker.yaml:1: architectures: detectd is no architecture of Debian; did you mean detected?',
  ],
  [
    'worker.yaml',
    'variants:\n  git: [/opt/none/autopkgtest]',
    'worker.yaml:2: variants.git: there is no program /opt/none/autopkgtest on this machine',
  ],
  [
    'worker.yaml',
    'backends: [lab]\nbackendCommands: { lab: [docker] }',
    'worker.yaml:2: backendCommands.lab: there is no program autopkgtest-virt-docker on this machine',
  ],
])('%s with %j is warned of', async (file, text, warning) => {
  await folder.write(file, text);
  expect(await warnings()).toEqual([warning]);
});

it.each<[server: string, worker: string, warning: string]>([
  ['', 'backends: [unshare, lxc]', 'worker.yaml:1: backends: lxc is not among backends of proctor.yaml'],
  [
    'suites: [trixie]',
    'suitesAtStart: [trixi]',
    'worker.yaml:1: suitesAtStart: trixi is not among suites of proctor.yaml; did you mean trixie?',
  ],
  [
    '',
    'sizeClasses: [big]',
    'worker.yaml:1: sizeClasses: big is not among scheduler.sizeClasses of proctor.yaml',
  ],
  [
    'variants: [autopkgtest, git]',
    'slots: 1',
    'proctor.yaml:1: variants: git is not among variants of worker.yaml: another worker must offer it',
  ],
  [
    'architectures: [amd64]',
    'architectures: [arm64]',
    'worker.yaml:1: architectures: arm64 is not among architectures of proctor.yaml',
  ],
])('proctor.yaml with %j beside worker.yaml with %j is warned of', async (server, worker, warning) => {
  await folder.write('proctor.yaml', server || 'suites: [host]');
  await folder.write('worker.yaml', worker);
  expect(await warnings()).toEqual([warning]);
});

it('a misnamed file is named beside the problems of the others', async () => {
  await folder.write('proctor.yaml', 'suits: [sid]');
  await folder.write('workers.yaml', '');
  const { problems, warnings } = await checkFolder(folder.env);
  expect([problems.length, warnings]).toEqual([
    1,
    [`${folder.path}/workers.yaml: is a file that no process reads; did you mean worker.yaml?`],
  ]);
  await rename(folder.path, `${folder.path}.away`);
  expect((await checkFolder(folder.env)).warnings).toEqual([]);
  await rename(`${folder.path}.away`, folder.path);
});
