import { Logger } from '@nestjs/common';
import { ActorRig } from '@test/support/actor-rig';
import { ARCH, finishedReport, leaseRequest } from '@test/support/runs';
import { runRequest } from '@test/support/run-request';

const REASON =
  '3 failures here in a row: run 1 (the testbed failed), run 2 (the testbed failed), run 3 (the testbed failed)';
/** The reason for the worker, whose health is for all clients of its port. */
const PUBLIC_REASON = 'attempts failed here in a row, the latest of a public run: run 3 (the testbed failed)';

describe('the standing of a worker', () => {
  const rig = new ActorRig();
  const lines: string[] = [];

  beforeAll(() => {
    for (const level of ['log', 'warn'] as const)
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((...args: unknown[]) => void lines.push(`${level}: ${String(args[0])}`));
  });
  afterAll(async () => {
    await rig.end();
    jest.restoreAllMocks();
  });

  const settle = async <T>(answer: Promise<T>): Promise<T> => {
    await rig.time(0);
    return answer;
  };
  const testbeds = [{ suite: 'bookworm', backend: 'unshare', state: 'ready' as const }];
  const ask = () => settle(rig.actor.request({ kind: 'lease', request: leaseRequest({ testbeds }) }));

  it('a change of a worker’s standing is logged with its reason and what comes next, and ended by an order of a user', async () => {
    await rig.start();
    for (const name of ['one', 'two', 'three'])
      rig.books.draw(runRequest({ package: name })).committed = true;
    rig.actor.readArrivalsSoon();
    await rig.time(0);
    for (let times = 0; times < 3; times += 1) {
      const { runId, attempt } = (await ask()).lease!;
      const failure = { verdict: 'tmpfail', message: 'the testbed failed', exitCode: 16 } as const;
      await settle(rig.actor.request({ kind: 'finished', report: finishedReport(runId, attempt, failure) }));
    }
    expect(lines).toContain(`warn: worker w1 is slowed (a run every 5 s, the next in 5 s): ${REASON}`);
    expect(await ask()).toMatchObject({
      lease: null,
      standing: { standing: 'slowed', reason: PUBLIC_REASON },
    });
    rig.books.trust('w1', 'ada', 'a new disk');
    rig.actor.readOrdersSoon();
    await rig.time(0);
    expect(lines).toContain('log: worker w1 is sound: trusted by ada: a new disk');
    expect(rig.signalled).toHaveBeenLastCalledWith(ARCH, null);
    expect(await ask()).not.toHaveProperty('standing');
    expect(rig.books.decisions.waiting()).toEqual([]);
  });
});
