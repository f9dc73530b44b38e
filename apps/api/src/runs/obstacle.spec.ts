import { apiConfiguration } from '@test/support/api-configuration';
import { finishedRunRecord } from '@test/support/run-record';
import { obstacleTo } from './obstacle';

const configuration = apiConfiguration();

it('a run of what the deployment tests has no obstacle', () => {
  const run = finishedRunRecord({ extraAptSources: ['inner'], pinPackages: [['src:glibc', 'trixie']] });
  expect(obstacleTo(run, configuration)).toBeNull();
  expect(obstacleTo(finishedRunRecord({ package: 'one-version' }), configuration)).toBeNull();
});

it.each([
  [{ package: 'blocked' }, 'blocked is on the reject list for bookworm/amd64.'],
  [{ suite: 'buster' }, 'There is no longer a suite buster.'],
  [{ pinPackages: [['a1', 'buster']] as [string, string][] }, 'There is no longer a suite buster.'],
  [{ arch: 'i386' }, 'There is no longer an architecture i386.'],
  [{ backend: 'lxc' }, 'There is no longer a backend lxc.'],
  [{ variant: 'git' }, 'There is no longer a variant git.'],
  [{ extraAptSources: ['inner', 'security'] }, 'There is no longer an apt source security.'],
])('a run with %j has an obstacle', (change, obstacle) => {
  expect(obstacleTo(finishedRunRecord(change), configuration)).toBe(obstacle);
});
