import { Logger } from '@nestjs/common';
import { connectBus, reloadServers, type Bus } from '@proctor/bus';
import { requestSubject } from '@proctor/contracts';
import { changeAccounts } from '@proctor/embedded';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PATIENCE_MS, until } from '@test/support/until';
import { ownNats } from './nats-server';

Logger.overrideLogger(false);

const FIRST = { name: 'w1', architectures: ['amd64'] };

let server: Awaited<ReturnType<typeof ownNats>>;
let buses: Bus[];
let first: Bus;

beforeEach(async () => {
  buses = [];
  server = await ownNats([FIRST]);
  const scheduler = await bus('scheduler');
  scheduler.subscribe('proctor.rpc.*.*.lease', ({ subject, respond }) =>
    respond?.(JSON.stringify({ subject })),
  );
  await scheduler.flush();
  first = await bus('w1');
});
afterEach(async () => {
  await Promise.all(buses.map((each) => each.close()));
  await server?.remove();
});

async function bus(name: string): Promise<Bus> {
  const opened = await connectBus(await server.users.read(name), { makesStreams: name === 'scheduler' });
  buses.push(opened);
  return opened;
}

/** The accounts once there is another worker, and the first has another architecture. */
function grown(): Promise<string> {
  const workers = [
    { ...FIRST, architectures: ['amd64', 'riscv64'] },
    { name: 'w2', architectures: ['amd64'] },
  ];
  return server.users.prepare(server.nats.url, workers);
}

const ask = (from: Bus, arch: string, worker: string, timeoutMs = PATIENCE_MS) =>
  from.request(requestSubject(arch, worker, 'lease'), {}, timeoutMs);

/** Each worker's request arrives, and no connection was ended. */
async function expectRequests(): Promise<void> {
  const second = await bus('w2');
  for (const [from, arch, worker] of [
    [second, 'amd64', 'w2'],
    [first, 'amd64', 'w1'],
    [first, 'riscv64', 'w1'],
  ] as const)
    expect(await ask(from, arch, worker)).toEqual({ subject: `proctor.rpc.${arch}.${worker}.lease` });
}

it('after a change of the accounts the scheduler receives requests of a worker that is added while the server runs', async () => {
  await changeAccounts(server.folder, await grown());
  await expectRequests();
});

it('its requests arrive too when the system user asks the server to reload, where the server can do that', async () => {
  await writeFile(join(server.folder, 'accounts.conf'), await grown());
  const { reloaded, refusal } = await reloadServers(await server.users.read('system'), PATIENCE_MS);
  expect(refusal).toBeNull();
  // A server before 2.10 needs a signal.
  if (reloaded === 0) await changeAccounts(server.folder, await grown());
  await expectRequests();
});

it('a change of the accounts says why the server cannot read its accounts; those before stay in force', async () => {
  await expect(changeAccounts(server.folder, 'accounts: { A: {')).rejects.toThrow(
    /nats-server: Failed to reload server configuration: /,
  );
  expect(await ask(first, 'amd64', 'w1')).toMatchObject({ subject: 'proctor.rpc.amd64.w1.lease' });
});

it('a change of the accounts keeps those accounts when the server dies and is started again', async () => {
  await changeAccounts(server.folder, await grown());
  server.nats.kill('SIGKILL');
  await server.nats.whenEnded;
  await server.nats.start();
  const isReceived = () =>
    ask(first, 'amd64', 'w1', 20_000).then(
      () => true,
      () => false,
    );
  expect(await until(isReceived)).toBe(true);
  await expectRequests();
});
