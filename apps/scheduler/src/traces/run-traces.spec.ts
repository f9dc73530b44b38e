import type { Fact } from '@proctor/contracts';
import { Registry } from 'prom-client';
import { ManualClock } from '@test/support/manual-clock';
import { silenceLog } from '@test/support/silent-log';
import { RunTraces } from './run-traces';

silenceLog();

/** Everything that was begun has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a collector that does not answer holds up the end of the process for seconds only', async () => {
  const clock = new ManualClock();
  const registry = new Registry();
  const sends: (() => void)[] = [];
  const sink = { send: () => new Promise<void>((resolve) => void sends.push(resolve)) };
  const traces = new RunTraces({ ofRun: () => Promise.resolve([]) }, sink, clock, registry);
  traces.onPublished(
    Array.from({ length: 200 }, (_, place) => ({ runId: place + 1, state: 'finished' }) as Fact),
  );
  await settled();
  let isOver = false;
  const end = traces.beforeApplicationShutdown().then(() => (isOver = true));
  await settled();
  expect([sends.length, isOver]).toEqual([1, false]);
  clock.advance(5_000);
  await end;
  sends[0]!();
  await settled();
  expect(sends).toHaveLength(1);
  expect(await registry.metrics()).toContain('proctor_run_traces_total{outcome="dropped"} 150');
});
