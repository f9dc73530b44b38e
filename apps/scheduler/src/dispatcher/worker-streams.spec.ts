import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { silenceLog } from '@test/support/silent-log';
import { WorkerStreams } from './worker-streams';

silenceLog();

function streams() {
  const clock = new VirtualClock();
  const prepared: string[] = [];
  const state: { failure: Error | null } = { failure: null };
  const prepareWorkers = (workers: readonly string[]) => {
    prepared.push(workers.join());
    return state.failure ? Promise.reject(state.failure) : Promise.resolve();
  };
  const streams = new WorkerStreams({ prepareWorkers, purgeLog: () => Promise.resolve() }, clock);
  const time = async (ms: number) => {
    await clock.runUntil(clock.now() + ms);
    return prepared.splice(0);
  };
  return { streams, time, state };
}

it('the streams of a worker are made at its first ask, and those of all that ask are looked for once a minute', async () => {
  const { streams: workerStreams, time } = streams();
  for (const worker of ['w1', 'w2', 'w3']) workerStreams.onRequest(worker);
  expect(await time(0)).toEqual(['w1', 'w2', 'w3']);
  for (const worker of ['w1', 'w2', 'w1']) workerStreams.onRequest(worker);
  expect(await time(59_999)).toEqual([]);
  expect(await time(1)).toEqual(['w1,w2']);
  expect(await time(600_000)).toEqual([]);
});

it('the streams of a worker are tried again at its next ask when they could not be made', async () => {
  const { streams: workerStreams, time, state } = streams();
  state.failure = new Error('no room');
  workerStreams.onRequest('w1');
  expect(await time(0)).toEqual(['w1']);
  state.failure = null;
  workerStreams.onRequest('w1');
  expect(await time(0)).toEqual(['w1']);
  workerStreams.onRequest('w1');
  expect(await time(0)).toEqual([]);
});
