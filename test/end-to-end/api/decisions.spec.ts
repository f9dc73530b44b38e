import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';

let api: RunningApi;
let admin: string;
beforeAll(async () => {
  api = await startApi();
  await api.database.users.add('root', { isAdmin: true });
  admin = (await api.database.apiKeys.create('root', 'test')).key;
});
afterAll(() => api.stop());

type Json = Record<string, unknown>;

async function decide(what: string, body: Json): Promise<[number, Json]> {
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', body: JSON.stringify(body), headers };
  const response = await api.api(`/admin/${what}`, init, admin);
  return [response.status, (await response.json()) as Json];
}

async function get(path: string, key = admin): Promise<Json> {
  const response = await api.api(path, {}, key);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as Json;
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Resolves once the dispatcher of the architecture gets the signal that orders wait. */
function signalOf(arch: string): Promise<unknown> {
  return new Promise((resolve) => {
    const end = api.bus.subscribe(subjectOf(SUBJECTS.ordersWaiting, arch), () => resolve(end()));
  });
}

it.each<[Json, string]>([
  [{ suite: 'trixie', arch: 'arm64' }, 'arm64'],
  [{ suite: 'trixie' }, 'amd64'],
  [{ arch: 'amd64' }, 'amd64'],
  [{ suite: null }, 'arm64'],
])('the dispatchers get a signal about a pause of %j, and about its end', async (scope, arch) => {
  const [signal, reason] = [signalOf(arch), 'the mirror is away <b>'];
  expect((await decide('pause', { ...scope, reason }))[0]).toBe(200);
  await signal;
  const page = await (await api.fetch('/')).text();
  expect(page).toMatch(/ is paused by root \(since .* UTC\): the mirror is away &lt;b&gt;/);
  const end = signalOf(arch);
  expect((await decide('resume', scope))[0]).toBe(200);
  await end;
});

it('trust in a worker is an order that is kept at once, to the dispatchers that think otherwise', async () => {
  const judge = (standing: 'sound' | 'quarantined') =>
    api.commit([{ kind: 'judge-worker', worker: 'worker-2', standing, reason: 'x' }]);
  await judge('quarantined');
  const signal = signalOf('amd64');
  const trusted = { worker: 'worker-2', reason: 'new disks' };
  expect(await decide('trust', trusted)).toEqual([200, { ...trusted, architectures: ['amd64'], by: 'root' }]);
  await signal;
  const orders = await api.database.journal.orders('amd64', 100);
  expect(orders).toContainEqual({ kind: 'trust', orderId: expect.any(Number), ...trusted, by: 'root' });
  // A dispatcher has ingested it.
  await judge('sound');
  const [status, { detail }] = await decide('trust', { worker: 'worker-2' });
  expect([status, detail]).toEqual([409, 'Worker worker-2 is sound already.']);
});

const decision = { by: 'root', reason: 'new disks', since: '2026-11-20T15:40:51.123Z' };
const worker = {
  worker: 'w2',
  slots: 2,
  busy: 1,
  testbeds: [{ suite: 'bookworm', backend: 'unshare', state: 'ready' }],
  variants: ['autopkgtest'],
  sizeClasses: ['big'],
  standing: 'slowed',
  reason: 'run 5: no space left',
  untilMs: 40_000,
  drained: decision,
};

it('workers of every architecture are shown as their dispatchers see them; which does not answer is named', async () => {
  const end = api.bus.subscribe(subjectOf(SUBJECTS.status, 'amd64'), ({ respond }) => {
    const sound = {
      ...worker,
      worker: 'w1',
      standing: 'sound',
      reason: undefined,
      untilMs: undefined,
      drained: undefined,
      version: '1.2',
      protocol: 2,
    };
    respond?.(JSON.stringify({ arch: 'amd64', epoch: 1, workers: [worker, sound], queues: [] }));
  });
  const answer = await get('/workers', api.keys.bob);
  await api.submit('waits');
  const page = await (await api.fetch('/')).text();
  end();
  const { testbeds, variants } = worker;
  expect(answer).toEqual({
    workers: [
      {
        ...{ name: 'w1', arch: 'amd64', slots: 2, busy: 1, standing: 'sound', reason: null, until: null },
        ...{
          drained: null,
          problem: null,
          version: '1.2',
          protocol: 2,
          testbeds,
          variants,
          size_classes: ['big'],
        },
      },
      {
        ...{
          name: 'w2',
          arch: 'amd64',
          slots: 2,
          busy: 1,
          standing: 'slowed',
          reason: 'run 5: no space left',
          until: time,
        },
        ...{
          drained: decision,
          problem: null,
          version: null,
          protocol: 1,
          testbeds,
          variants,
          size_classes: ['big'],
        },
      },
    ],
    silent_architectures: ['arm64'],
  });
  expect(page).toContain('Worker w2 is drained by root (since 2026-11-20 15:40:51 UTC): new disks');
  expect(page).toMatch(/Worker w2 is slowed until .* UTC: run 5: no space left/);
  expect(await get('/workers')).toEqual({ workers: [], silent_architectures: ['amd64', 'arm64'] });
  expect((await api.fetch('/api/v1/workers')).status).toBe(403);
});
