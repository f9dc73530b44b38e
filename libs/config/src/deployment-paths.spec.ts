import { deploymentPaths } from './deployment-paths';

it('the paths of a deployment are its home, its configuration, and what holds credentials', () => {
  const env = {
    PROCTOR_CONFIG: '/etc/proctor',
    PROCTOR_NATS_CREDENTIALS: '/etc/proctor-worker/w1.json',
    PROCTOR_NATS_USERS: '/etc/nats-users',
    PROCTOR_NATS_ACCOUNTS: '/etc/nats-accounts/accounts.conf',
  };
  expect(deploymentPaths({ home: '/var/lib/proctor' }, env)).toEqual([
    '/var/lib/proctor',
    '/etc/proctor',
    '/etc/proctor-worker',
    '/etc/nats-accounts',
    '/etc/nats-users',
  ]);
});

it.each([
  ['/w1.json', '/w1.json'],
  ['/etc/w1.json', '/etc/w1.json'],
  ['/usr/share/w1.json', '/usr/share/w1.json'],
  ['/var/lib/w1.json', '/var/lib/w1.json'],
  ['/var/lib/w1/w1.json', '/var/lib/w1'],
  ['/home/alice/w1.json', '/home/alice'],
])('a file in a folder that tests need is named alone: %s', (file, problem) => {
  expect(deploymentPaths({ home: '/h' }, { PROCTOR_CONFIG: '/c', PROCTOR_NATS_CREDENTIALS: file })).toEqual([
    '/h',
    '/c',
    problem,
  ]);
});
