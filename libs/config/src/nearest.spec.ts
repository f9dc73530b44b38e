import { nearest } from './nearest';

it.each([
  ['suits', ['suites', 'backends'], 'suites'],
  ['prot', ['host', 'port'], 'port'],
  ['proctor.yml', ['proctor.yaml', 'worker.yaml'], 'proctor.yaml'],
  ['rejectlist.yaml', ['reject-list.yaml', 'apt-sources.yaml'], 'reject-list.yaml'],
  ['amd46', ['arm64', 'amd64'], 'amd64'],
  ['trixe', ['bookworm', 'trixie'], 'trixie'],
  ['Suites', ['suites'], 'suites'],
  ['docker', ['unshare', 'podman'], null],
  ['sid', ['sid'], null],
  ['sid', [], null],
])('for %s, of %j, %s was most likely meant', (typed, names, expected) => {
  expect(nearest(typed, names)).toBe(expected);
});
