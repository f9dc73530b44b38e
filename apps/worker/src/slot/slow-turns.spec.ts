import { DispatcherRig } from '@test/support/dispatcher-rig';
import { waitingRun } from '@test/support/runs';
import { makeSlot } from '@test/support/slot-rig';

const RUNS = 8;
const TEST_MS = 500;
const OTHERS_SIGNAL_MS = 700;

/** A slot whose dispatcher, with its real rules, needs `turnMs` from taking its messages to answering them. */
function makeSlowDispatcher(turnMs: number) {
  const runs = Array.from({ length: RUNS }, (_, index) => waitingRun(index + 1, { suite: 'bookworm' }));
  const dispatcher = new DispatcherRig(runs);
  const rig = makeSlot();
  const counts = { asks: 0, returns: 0, finished: 0, attempts: 0 };
  const takeTurn = () => {
    dispatcher.now = 1_000 + rig.clock.now();
    const ends: (() => void)[] = [];
    for (const { request, answer } of rig.asks.slice(counts.asks)) {
      const testbeds = [{ suite: 'bookworm', backend: 'unshare', state: 'ready' as const }];
      const { reply } = dispatcher.ask({ ...request, testbeds, variants: ['autopkgtest'] });
      ends.push(() => answer(reply));
    }
    for (const request of rig.returns.slice(counts.returns)) {
      dispatcher.send({ kind: 'return', request });
      ends.push(() => rig.slot.wake());
    }
    for (const { report, recorded } of rig.finished.slice(counts.finished)) {
      dispatcher.send({ kind: 'finished', report: report as never });
      ends.push(recorded);
    }
    Object.assign(counts, {
      asks: rig.asks.length,
      returns: rig.returns.length,
      finished: rig.finished.length,
    });
    rig.clock.after(turnMs, () => {
      for (const end of ends) end();
      takeTurn();
    });
  };
  const executeAll = () => {
    for (const attempt of rig.attempts.slice(counts.attempts))
      rig.clock.after(TEST_MS, () => attempt.finish());
    counts.attempts = rig.attempts.length;
    rig.clock.after(100, executeAll);
  };
  const signal = () => {
    rig.slot.wake();
    rig.clock.after(OTHERS_SIGNAL_MS, signal);
  };
  takeTurn();
  executeAll();
  signal();
  return { rig, dispatcher };
}

it.each([0.9, 2, 5])(
  'a slot executes all runs though each turn takes %d s, and hands nothing back',
  async (seconds) => {
    const { rig } = makeSlowDispatcher(seconds * 1000);
    // A run needs a turn to be asked for, one to be answered, one to end, and one to be recorded.
    await rig.pass(RUNS * 5 * (seconds * 1000 + TEST_MS));
    expect(rig.returns).toEqual([]);
    expect(rig.attempts.map(({ lease }) => `${lease.runId}/${lease.attempt}`)).toEqual(
      Array.from({ length: RUNS }, (_, index) => `${index + 1}/1`),
    );
  },
);
