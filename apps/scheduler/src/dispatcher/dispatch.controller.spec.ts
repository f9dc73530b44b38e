import { BusContext } from '@proctor/bus';
import { MalformedMessage, type Grant } from '@proctor/contracts';
import { DispatchController } from './dispatch.controller';
import type { Dispatchers } from './dispatchers';
import type { Sightings } from './sightings';
import type { WorkerStreams } from './worker-streams';

const IDENTITY = { worker: 'w1', incarnation: '1b4e28ba-2fa1-41d2-883f-0016d3cca427', slot: 0 };
const ASK = { ...IDENTITY, ask: IDENTITY.incarnation, testbeds: [], variants: [] };
const HELD = { ...IDENTITY, runId: 7, attempt: 1 };

function controller() {
  const messages: unknown[] = [];
  const steps: unknown[] = [];
  const request = (_arch: string, message: unknown) => {
    messages.push(message);
    return Promise.resolve({ returned: true });
  };
  const streams = {
    onRequest: (worker: string) => steps.push(`request of ${worker}`),
    deleteLog: (worker: string, { runId }: Grant) => steps.push(`delete ${worker} ${runId}`),
  };
  const sightings = {
    recordAddress: (worker: string, address: string) => steps.push(`${worker} from ${address}`),
  };
  const dispatch = new DispatchController(
    { request } as unknown as Dispatchers,
    streams as unknown as WorkerStreams,
    sightings as unknown as Sightings,
  );
  return { dispatch, messages, steps };
}

const contextOf = (worker: string, kind: string) =>
  new BusContext(['amd64', `proctor.rpc.amd64.${worker}.${kind}`, false]);

it.each(['w2', '*', ''])(
  'a request on the subject of worker "%s" does not count as one of w1',
  async (worker) => {
    const { dispatch, messages, steps } = controller();
    const forged = /worker: w1 is not what the subject says/;
    expect(() => dispatch.renew(HELD, contextOf(worker, 'renew'))).toThrow(forged);
    const back = dispatch.return({ ...HELD, reason: 'it stops' }, contextOf(worker, 'return'));
    await expect(back).rejects.toThrow(forged);
    expect(() => dispatch.lease(ASK, contextOf(worker, 'lease'))).toThrow(MalformedMessage);
    expect([messages, steps]).toEqual([[], []]);
  },
);

it('an ask creates the streams of its worker, and a return deletes the log of its lease', async () => {
  const { dispatch, steps } = controller();
  await dispatch.lease(ASK, contextOf('w1', 'lease'));
  await dispatch.return({ ...HELD, reason: 'it stops' }, contextOf('w1', 'return'));
  expect(steps).toEqual(['request of w1', 'delete w1 7']);
});

it('the address that a worker asks from is noted once the worker is known to be that of the subject', async () => {
  const { dispatch, steps } = controller();
  const contextFrom = (worker: string) =>
    new BusContext(['amd64', `proctor.rpc.amd64.${worker}.lease`, false, '192.0.2.7']);
  await dispatch.lease(ASK, contextFrom('w1'));
  expect(() => dispatch.lease(ASK, contextFrom('w2'))).toThrow(MalformedMessage);
  expect(steps).toEqual(['request of w1', 'w1 from 192.0.2.7']);
});

it('a request on the subject of its own worker reaches the dispatcher', async () => {
  const { dispatch, messages } = controller();
  await dispatch.renew(HELD, contextOf('w1', 'renew'));
  expect(messages).toMatchObject([{ kind: 'renew', request: HELD }]);
});
