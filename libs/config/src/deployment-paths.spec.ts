import { deploymentPaths } from './deployment-paths';

it('names the home, the configuration, and what holds credentials', () => {
  const env = {
    PROCTOR_CONFIG: '/etc/proctor',
    PROCTOR_NATS_CREDENTIALS: '/etc/w1.json',
    PROCTOR_NATS_USERS: '/etc/nats-users',
    PROCTOR_NATS_ACCOUNTS: '/etc/nats-accounts.conf',
  };
  expect(deploymentPaths({ home: '/var/lib/proctor' }, env)).toEqual([
    '/var/lib/proctor',
    '/etc/proctor',
    '/etc/w1.json',
    '/etc/nats-users',
    '/etc/nats-accounts.conf',
  ]);
});
