import { VirtualClock } from '@test/simulation/world/virtual-clock';
import type { Sandbox } from '../sandbox/sandbox';
import { waitForEnd } from './sandbox-end';

const SILENT = { log: () => undefined, warn: () => undefined };
const LIMIT_MS = 60_000;

/** A sandbox that takes some time to end once it is killed. */
function makeEnd() {
  const clock = new VirtualClock();
  const abort = new AbortController();
  let ends: (end: { code: number | null }) => void = () => undefined;
  const ending = new Promise<{ code: number | null }>((resolve) => (ends = resolve));
  const sandbox = { ending, kill: () => Promise.resolve() } as unknown as Sandbox;
  const end = waitForEnd(sandbox, LIMIT_MS, abort.signal, { clock, log: SILENT });
  return { clock, abort, ends, end };
}

it('a sandbox that a stop ends has no ending to judge', async () => {
  const { abort, ends, end } = makeEnd();
  abort.abort(new Error('it was cancelled'));
  ends({ code: 0 });
  await expect(end).rejects.toThrow('it was cancelled');
});

it('a sandbox that has ended by itself has its ending, whatever is stopped later', async () => {
  const { abort, ends, end } = makeEnd();
  ends({ code: 4 });
  expect(await end).toEqual({ exitCode: 4 });
  abort.abort(new Error('it was cancelled'));
  expect(await end).toEqual({ exitCode: 4 });
});

it('a sandbox that has reached its limit has its ending, though a stop comes before it is gone', async () => {
  const { clock, abort, ends, end } = makeEnd();
  await clock.runUntil(LIMIT_MS);
  abort.abort(new Error('the run has finished'));
  ends({ code: 0 });
  expect(await end).toEqual({ exitCode: null, limitMs: LIMIT_MS });
});
