import { FACT_KINDS } from '@proctor/contracts';
import { Client } from '@test/support/client';
import { EventClient, type ReceivedEvent } from '@test/support/event-client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { silenceLog } from '@test/support/silent-log';
import { STUB_SUITE, stubConfiguration } from '@test/support/stub';
import { WebhookReceiver } from '@test/support/webhook-receiver';

silenceLog();

const RUNS = 12;
const arch = hostArchitecture();

let proctor: RunningProctor;
let client: Client;
const receiver = new WebhookReceiver();

beforeAll(async () => {
  const configuration = stubConfiguration({ ownershipTtlMs: 1_500 }, 4);
  const webhooks = { timeoutMs: 1_000, mayBeHttp: true, allowedNetworks: ['127.0.0.0/8'] };
  Object.assign(configuration.proctor!, { api: { webhooks } });
  proctor = await startProctor({ config: configuration });
  client = Client.of(proctor);
  await receiver.open();
});
afterAll(async () => {
  await receiver.close();
  await proctor?.stop();
});

/**
 * Follows events until all of the runs have come, again and again, as a program does whose service is away at
 * times.
 */
async function followed(isEnough: (events: ReceivedEvent[]) => boolean): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for (let last = String(Math.floor(Date.now() / 1_000) - 2); !isEnough(events);) {
    const stream = new EventClient((init) => client.fetch('/api/v1/events', init), last);
    try {
      await stream.open();
      while (!isEnough([...events, ...stream.events]) && (await stream.read()));
    } catch {
      // The service is away; it is asked again.
    }
    events.push(...stream.events);
    last = stream.lastId || last;
    await stream.close();
  }
  return events;
}

/** The kinds of each run, each counted where it came first. */
function stories(events: { id: string; runId: number; kind: string }[]): Map<number, string[]> {
  const deliveryIds = new Set<string>();
  const byRun = new Map<number, string[]>();
  for (const { id, runId, kind } of events) {
    if (deliveryIds.has(id)) continue;
    deliveryIds.add(id);
    byRun.set(runId, [...(byRun.get(runId) ?? []), kind]);
  }
  return byRun;
}

const isWhole = (kindsOfRuns: Map<number, string[]>): boolean =>
  [...kindsOfRuns.values()].filter((kinds) => kinds.includes('finished')).length === RUNS;

it('every event of each run comes in its order to webhooks and streams, though api, scheduler and receiver are killed meanwhile', async () => {
  const settings = JSON.stringify({ url: receiver.url, kinds: FACT_KINDS });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await client.fetch('/api/v1/webhooks', { method: 'POST', headers, body: settings });
  receiver.secret = ((await answer.json()) as { secret: string }).secret;
  const ofStream = (events: ReceivedEvent[]) =>
    stories(
      events.map(({ event, data }) => ({ id: String(data.id), runId: Number(data.run_id), kind: event })),
    );
  const streaming = followed((events) => isWhole(ofStream(events)));
  const items = Array.from({ length: RUNS }, (_, place) => ({ package: `hook-${place}` }));
  const runIds = await client.submit(STUB_SUITE, arch, items);

  await receiver.until((received) => received.length >= 3);
  await proctor.kill('api', 'SIGKILL');
  await proctor.kill('scheduler', 'SIGKILL');
  await receiver.close();
  await proctor.restart('scheduler');
  await proctor.restart('api');
  await receiver.open();
  const ofHook = () =>
    stories(receiver.received.map(({ id, data }) => ({ id, runId: data.run_id, kind: data.kind })));
  await receiver.until(() => isWhole(ofHook()));
  await proctor.kill('api', 'SIGTERM');
  await proctor.restart('api');

  // What has happened: a start whose report came after the end is none.
  const storyOf = async (runId: number): Promise<[number, string[]]> => {
    const { facts } = (await client.run(runId)) as unknown as { facts: { kind: string }[] };
    return [runId, facts.map(({ kind }) => kind)];
  };
  const expected = new Map(await Promise.all(runIds.map(storyOf)));
  expect(new Map([...ofHook()].sort(([a], [b]) => a - b))).toEqual(expected);
  expect(receiver.refused).toEqual([]);
  expect(new Map([...ofStream(await streaming)].sort(([a], [b]) => a - b))).toEqual(expected);
});
