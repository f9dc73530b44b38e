import { systemClock } from '@proctor/clock';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import { jsonBytes, MESSAGE_BYTES_MAX, type StatusReply, type StatusRequest } from '@proctor/contracts';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { registered, waitingRun } from '@test/support/runs';
import { wholeStatus } from './whole-status';

const SUBJECT = 'proctor.query.amd64.status';

function page(worker: string, isLast = false): StatusReply {
  const workers = [{ worker }] as StatusReply['workers'];
  const more = { kind: 'worker', name: worker } as const;
  return { arch: 'amd64', epoch: 1, workers, queues: [], ...(!isLast && { more }) };
}

it('a status comes through the bus whole, however many workers there are', async () => {
  const names = Array.from({ length: 5_000 }, (_, n) => `w${n}`);
  const past = { workers: registered(...names) };
  const rig = new DispatcherRig([waitingRun(1)], { workersMax: 5_000 }, past);
  const testbeds = Array.from({ length: 10 }, (_, n) => ({
    suite: `suite-${n}`,
    backend: 'unshare',
    state: 'ready' as const,
  }));
  for (const worker of names) rig.ask({ worker, testbeds });
  const broker = new MemoryBroker();
  const [server, client] = [new MemoryBus(broker), new MemoryBus(broker)];
  server.subscribe(SUBJECT, ({ text, respond }) => {
    const request = JSON.parse(text) as StatusRequest;
    respond!(JSON.stringify(rig.send({ kind: 'status', request }).reply));
  });
  // Its time does not pass, so that a busy machine has time for all pages.
  const clock = { now: () => 0, after: () => () => undefined };
  const status = await wholeStatus((request) => client.request<StatusReply>(SUBJECT, request, 5_000), clock);
  expect(status).not.toHaveProperty('more');
  expect(new Set(status!.workers.map(({ worker }) => worker)).size).toBe(5_000);
  expect(status!.workers.every((worker) => worker.testbeds.length === 10)).toBe(true);
  expect(status!.queues).toHaveLength(1);
  expect(jsonBytes(status)).toBeGreaterThan(3 * MESSAGE_BYTES_MAX);
});

it('a status is nothing when the dispatcher does not answer', async () => {
  await expect(wholeStatus(() => Promise.resolve(null), systemClock)).resolves.toBeNull();
});

it('a status has what came, and says that there is more, when a later page is not answered', async () => {
  const pages = [page('w1'), page('w2'), null];
  const status = await wholeStatus(() => Promise.resolve(pages.shift() ?? null), systemClock);
  expect(status!.workers).toEqual([{ worker: 'w1' }, { worker: 'w2' }]);
  expect(status!.more).toEqual({ kind: 'worker', name: 'w2' });
});

it('a status takes at most its time and its number of pages', async () => {
  let [now, requests] = [0, 0];
  const clock = { now: () => now, after: () => () => undefined };
  const ask = (pageMs: number) => () => {
    [now, requests] = [now + pageMs, requests + 1];
    return Promise.resolve(page('w1'));
  };
  expect(await wholeStatus(ask(1_000), clock)).toHaveProperty('more');
  expect(requests).toBe(3);
  requests = 0;
  expect(await wholeStatus(ask(0), clock)).toHaveProperty('more');
  expect(requests).toBe(100);
});
