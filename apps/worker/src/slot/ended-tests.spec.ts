import { grant, makeSlot, type Rig } from '@test/support/slot-rig';

describe('between the end of a test and its result on disk', () => {
  const REPORTED = { runId: 1, attempt: 1, verdict: 'pass' };

  it('the verdict is kept first, and the result in its place once its files are packed', async () => {
    const rig = makeSlot();
    const attempt = await grant(rig);
    await attempt.ends();
    expect(rig.keptReports).toMatchObject([{ ...REPORTED, files: [] }]);
    expect(rig.keptReports[0]?.message).toBe(
      'all tests passed; its log and artifacts are lost: the worker ended before they were packed',
    );
    attempt.finish();
    await rig.settle();
    expect(rig.keptReports[1]).toMatchObject({ ...REPORTED, message: 'all tests passed' });
    expect(rig.keptReports[1]?.files).toHaveLength(1);
    expect(rig.finished.map(({ report }) => report)).toEqual([rig.keptReports[1]]);
  });

  it.each<[string, (rig: Rig) => unknown]>([
    [
      'its renewal is answered that the run has finished',
      async (rig) => {
        await rig.pass(15_000);
        rig.renewals[0]?.answer({ instruction: 'stop', reason: 'the run has finished' });
      },
    ],
    [
      'a signal stops it',
      (rig) => rig.slot.stopAttempt({ runId: 1, attempt: 1, reason: 'it was cancelled' }),
    ],
    ['nats-server no longer lets the worker in', (rig) => rig.slot.endAttempts('refused')],
    ['the worker drains', (rig) => void rig.slot.drain('the worker drains')],
    ['the worker stops', (rig) => void rig.slot.stop('the worker stops')],
  ])('the result is kept and delivered, and no lease goes back, when %s', async (_what, happens) => {
    const rig = makeSlot();
    const attempt = await grant(rig);
    void attempt.ends();
    await happens(rig);
    await rig.settle();
    attempt.finish();
    await rig.settle();
    expect(rig.keptReports.at(-1)).toMatchObject({ ...REPORTED, message: 'all tests passed' });
    expect(rig.finished.map(({ report }) => report)).toEqual([rig.keptReports.at(-1)]);
    expect(rig.returns).toEqual([]);
  });

  it('a stop of the run is said in the log, with what becomes of the result', async () => {
    const rig = makeSlot();
    void (await grant(rig)).ends();
    rig.slot.stopAttempt({ runId: 1, attempt: 1, reason: 'it was cancelled' });
    expect(rig.lines).toEqual([
      'run 1 attempt 1: its test has ended, so the result is kept and delivered: it was cancelled',
    ]);
  });

  it.each([
    ['on disk', {}, 'its verdict is on disk, its log and artifacts are lost'],
    ['written', { diskHangs: true }, 'its verdict is lost'],
  ])(
    'a stopping slot does not wait for ever for a result that is never %s',
    async (_what, state, consequence) => {
      const rig = makeSlot();
      Object.assign(rig.state, state);
      void (await grant(rig)).ends();
      const stopped = rig.slot.stop('the worker stops');
      await rig.pass(20_000);
      await stopped;
      expect(rig.lines.at(-1)).toBe(
        `run 1 attempt 1: the worker stops before the result was kept: ${consequence}`,
      );
    },
  );

  it('the verdict that was kept is delivered when what follows it fails', async () => {
    const rig = makeSlot();
    const attempt = await grant(rig);
    await attempt.ends();
    rig.state.diskProblem = 'no space';
    attempt.finish();
    await rig.settle();
    expect(rig.finished.map(({ report }) => report)).toEqual(rig.keptReports);
    expect(rig.lines.at(-1)).toBe('run 1 attempt 1: the result could not be kept: Error: no space');
    expect(rig.unkept).toEqual([]);
  });

  it('the verdict is delivered, and not an error of the worker, when the runner fails after it', async () => {
    const rig = makeSlot();
    const attempt = await grant(rig);
    await attempt.ends();
    attempt.fail(new Error('the disk is gone'));
    await rig.settle();
    const message = 'all tests passed; its log and artifacts are lost: the disk is gone';
    expect(rig.finished.map(({ report }) => report)).toMatchObject([{ ...REPORTED, message, files: [] }]);
  });
});
