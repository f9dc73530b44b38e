import { Client } from 'pg';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Servers } from './servers';

it.each([
  [
    'postgres://u:p@one:5432,two:5433/name?x=1',
    ['postgres://u:p@one:5432/name?x=1', 'postgres://u:p@two:5433/name?x=1'],
  ],
  ['postgresql://one,two', ['postgresql://one', 'postgresql://two']],
  ['postgres://u@[::1]:1,10.0.0.1/name', ['postgres://u@[::1]:1/name', 'postgres://u@10.0.0.1/name']],
  ['postgres://u:p%2Cq@one/name?options=-c%20a,b', ['postgres://u:p%2Cq@one/name?options=-c%20a,b']],
  ['postgres://u:p,q@one/name', ['postgres://u:p,q@one/name']],
  ['postgres://u@/name?host=/run/postgresql', ['postgres://u@/name?host=/run/postgresql']],
])('the servers of %s', (text, urls) => {
  expect(Servers.of(text)).toMatchObject({ text, urls, isSingle: urls.length === 1, first: urls[0] });
});

it('when no server answers, the error names them without their passwords', async () => {
  const servers = Servers.of('postgres://u:s3cret@127.0.0.1:1,127.0.0.1:2/name');
  const failure: Error = await servers.primary(1_000).then(
    () => new Error('it was found'),
    (error: Error) => error,
  );
  expect(failure).toMatchObject({ code: 'ETIMEDOUT' });
  expect(failure.message).toBe('none of the 2 servers of the database is a primary that answers');
});

it('connections that are made together ask once who the primary is, and ask again after they found none', async () => {
  let connections = 0;
  const refusing = await Promise.all(
    [1, 2].map(async () => {
      const server = createServer((socket) => {
        connections += 1;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  const servers = Servers.of(
    `postgres://u@${refusing.map((server) => `127.0.0.1:${portOf(server)}`).join()}/name`,
  );
  const together = await Promise.allSettled([servers.primary(1_000), servers.primary(1_000)]);
  expect([together.map(({ status }) => status), connections]).toEqual([['rejected', 'rejected'], 2]);
  await expect(servers.primary(1_000)).rejects.toThrow('is a primary that answers');
  expect(connections).toBe(4);
  await Promise.all(refusing.map((server) => once(server.close(), 'close')));
});

it('what the environment says of PostgreSQL has no say in a connection', () => {
  const ambient = {
    PGHOST: 'elsewhere',
    PGPORT: '1',
    PGUSER: 'other',
    PGPASSWORD: 'wrong',
    PGDATABASE: 'another',
    PGSSLMODE: 'require',
    PGSSLNEGOTIATION: 'direct',
    PGOPTIONS: '-c no.such=1',
    PGAPPNAME: 'x',
  };
  Object.assign(process.env, ambient);
  const { connectionParameters } = new Client({
    connectionString: Servers.of('postgres://me:secret@127.0.0.1/mine').first,
  }) as unknown as { connectionParameters: Record<string, unknown> };
  const stated = { host: '127.0.0.1', port: 5432, user: 'me', database: 'mine' };
  expect(connectionParameters).toMatchObject({ ...stated, ssl: false, options: undefined });
  expect(Object.keys(process.env).filter((name) => name in ambient)).toEqual([]);
});
