import { candidates } from './nats-binary';

describe('where nats-server is looked for', () => {
  it('is the PATH first, then where Debian puts it, each place once', () => {
    expect(candidates('/opt/bin:/usr/sbin::/usr/bin')).toEqual([
      '/opt/bin/nats-server',
      '/usr/sbin/nats-server',
      '/usr/bin/nats-server',
      '/usr/local/sbin/nats-server',
      '/usr/local/bin/nats-server',
    ]);
  });
});
