import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import { SUBJECTS, subjectOf, type RecordedSignal, type ResultFile } from '@proctor/contracts';
import {
  WriteRefused,
  type DispatchedRun,
  type MessageOf,
  type ReportAnswer,
  type ReportState,
} from '@proctor/dispatch';
import { DispatcherRig } from '@test/support/dispatcher-rig';
import { StoreUnavailable } from '@proctor/store';
import { MemoryStore } from '@test/simulation/world/memory-store';
import { ARCH, finishedReport, waitingRun } from '@test/support/runs';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { NotHandled, NotOwner } from '../dispatcher/not-handled';
import { ClaimTimer } from './claim-timer';
import { FinishedReports } from './finished-reports';
import { silenceLog } from '@test/support/silent-log';

const CONTENT = Buffer.from('the log');
const LOG: ResultFile = {
  name: 'log.gz',
  size: CONTENT.length,
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
};
const STAGED = '1/2/5/log.gz';

silenceLog();

describe('FinishedReports', () => {
  const report = finishedReport(1, 2, { files: [LOG], grantEpoch: 5 });
  let bus: MemoryBus;
  let store: MemoryStore;
  let clock: VirtualClock;
  let answers: Promise<RecordedSignal>;
  const ask = jest.fn<Promise<ReportAnswer>, unknown[]>();
  let state: ReportState;
  const reportState = jest.fn<Promise<ReportState>, []>();

  beforeEach(async () => {
    const broker = new MemoryBroker();
    bus = new MemoryBus(broker);
    store = new MemoryStore();
    clock = new VirtualClock();
    state = 'over';
    reportState.mockReset().mockImplementation(() => Promise.resolve(state));
    ask.mockReset().mockResolvedValue('counts');
    const worker = new MemoryBus(broker);
    answers = new Promise((resolve) => {
      worker.subscribe(subjectOf(SUBJECTS.recorded, report.worker), ({ text }) => {
        resolve(JSON.parse(text) as RecordedSignal);
      });
    });
    await bus.stage(report.worker, STAGED, Readable.from([CONTENT]));
  });

  const reports = () => {
    const journal = { reportState };
    return new FinishedReports(
      { request: ask as never },
      journal,
      bus,
      store,
      new ClaimTimer(clock, () => 15_000),
    );
  };
  const take = () => reports().receive(ARCH, report);
  const isStaged = async () => (await bus.readStaged(report.worker, STAGED)) !== null;

  it('a report that counts is stored and recorded, its worker and all who wait are notified, and the staging area is cleared', async () => {
    const notified = new Promise((resolve) => bus.subscribe(SUBJECTS.resultsChanged, resolve));
    ask.mockImplementation((_arch, message) => {
      const { kind } = message as { kind: string };
      expect([kind, store.files.size]).toEqual(kind === 'finished' ? ['finished', 1] : ['may-finish', 0]);
      return Promise.resolve('counts');
    });
    expect(await take()).toBe(true);
    expect(await answers).toEqual({ runId: 1, attempt: 2, grantEpoch: 5, answer: 'recorded' });
    expect([...store.files]).toEqual(['1/2/log.gz']);
    expect(await isStaged()).toBe(false);
    await notified;
  });

  it('another upload is asked for when a file is missing or damaged, and nothing is recorded', async () => {
    await bus.stage(report.worker, STAGED, Readable.from(['another log']));
    await take();
    expect(await answers).toMatchObject({
      answer: 'upload-again',
      reason: expect.stringContaining('log.gz'),
    });
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it.each<[string, ReportAnswer]>([
    ['has ended its run', 'unknown'],
    ['has failed, and another was granted since', 'stale'],
    ['has failed, and its run waits', 'reported'],
  ])('a report is answered recorded again when its attempt %s, and its files are kept', async (_, reply) => {
    ask.mockResolvedValue(reply);
    state = reply === 'reported' ? 'over' : 'reported';
    store.files.add('1/2/log.gz');
    expect(await take()).toBe(false);
    expect(await answers).toMatchObject({ answer: 'recorded' });
    expect([...store.files]).toEqual(['1/2/log.gz']);
  });

  it.each<[string, ReportAnswer]>([
    ['a newer attempt was granted', 'stale'],
    ['its run ended otherwise', 'unknown'],
  ])('a report is answered stale when %s, and nothing of it is kept', async (_, reply) => {
    ask.mockResolvedValueOnce('counts').mockResolvedValueOnce(reply);
    expect(await take()).toBe(false);
    expect(await answers).toMatchObject({ answer: 'stale' });
    expect([...store.files]).toEqual([]);
    expect(await isStaged()).toBe(false);
  });

  it('a report is answered stale only when the store has removed the files of an attempt that is over', async () => {
    ask.mockResolvedValueOnce('counts').mockResolvedValue('unknown');
    const signal = jest.spyOn(bus, 'signal');
    const remove = jest
      .spyOn(store, 'remove')
      .mockRejectedValueOnce(new StoreUnavailable('the bucket', 'connect ECONNREFUSED'));
    await expect(take()).rejects.toThrow(StoreUnavailable);
    expect(signal).not.toHaveBeenCalled();
    await take();
    expect(remove).toHaveBeenCalledTimes(2);
    expect(await answers).toMatchObject({ answer: 'stale' });
    expect([...store.files]).toEqual([]);
  });

  it.each([0, 2])(
    'files that were stored in vain are removed, also after %i questions without an answer',
    async (failures) => {
      ask.mockResolvedValueOnce('counts').mockRejectedValueOnce(new NotOwner(ARCH));
      for (let time = 0; time < failures; time++) reportState.mockRejectedValueOnce(new Error('away'));
      await expect(take()).rejects.toThrow(NotOwner);
      for (let time = 1; time <= failures; time++) {
        expect([...store.files]).toEqual(['1/2/log.gz']);
        await clock.runUntil(time * 15_000);
      }
      expect([...store.files]).toEqual([]);
      await clock.runUntil(90_000);
      expect(reportState).toHaveBeenCalledTimes(failures + 1);
    },
  );

  it.each<ReportState>(['counts', 'late', 'reported'])(
    'stored files stay when their result cannot be recorded and the rows say %s',
    async (booked) => {
      state = booked;
      ask.mockResolvedValueOnce('counts').mockRejectedValueOnce(new NotOwner(ARCH));
      await expect(take()).rejects.toThrow(NotOwner);
      expect([...store.files]).toEqual(['1/2/log.gz']);
    },
  );

  it('deliveries of a report are handled one at a time, one without files by one message, and each ends the live log', async () => {
    const [all, purge] = [reports(), jest.spyOn(bus, 'purgeLog')];
    const first = all.receive(ARCH, report);
    await expect(all.receive(ARCH, { ...report })).rejects.toThrow(NotHandled);
    await first;
    await all.receive(ARCH, { ...report, files: [] });
    const kinds = ask.mock.calls.map(([, message]) => (message as { kind: string }).kind);
    expect(kinds).toEqual(['may-finish', 'finished', 'finished']);
    expect(purge).toHaveBeenCalledTimes(2);
  });

  describe('a slow store', () => {
    /** Asked of a dispatcher that knows the run, at the clock's time. */
    function dispatcherOf(run: DispatchedRun): DispatcherRig {
      const rig = new DispatcherRig([run]);
      ask.mockImplementation((_arch, message) => {
        rig.now = 1_000 + clock.now();
        return Promise.resolve(rig.send(message as MessageOf<'finished'>).reply);
      });
      return rig;
    }

    const { incarnation } = report;
    const HELD = { worker: 'w1', incarnation, slot: 0, state: 'running', heldMs: 0 } as const;

    it.each([
      ['that is leased', { lease: HELD }],
      ['that waits again', {}],
    ])('a run %s is not granted again while its result is being stored', async (_, change) => {
      const rig = dispatcherOf(waitingRun(1, { attempt: 2, grantEpoch: 5, latestWorker: 'w1', ...change }));
      let goOn: () => void = () => undefined;
      const put = store.save.bind(store);
      jest.spyOn(store, 'save').mockImplementation(async (...file) => {
        await new Promise<void>((resolve) => (goOn = resolve));
        return put(...file);
      });
      const outcome = take();
      for (let seconds = 0; seconds < 600; seconds += 5) {
        await clock.runUntil(seconds * 1_000);
        rig.now = 1_000 + clock.now();
        rig.send({ kind: 'tick', workersReachable: true });
        const other = { worker: 'w2', incarnation: '00000000-0000-4000-8000-00000000000b' };
        expect(rig.ask(other).reply.lease).toBeNull();
      }
      goOn();
      await outcome;
      expect(await answers).toMatchObject({ answer: 'recorded' });
      const count = ask.mock.calls.length;
      await clock.runUntil(700_000);
      expect(ask).toHaveBeenCalledTimes(count);
    });

    it('the claim on a run ends when the store fails, and goes on when a renewal fails', async () => {
      ask.mockResolvedValueOnce('counts').mockRejectedValueOnce(new Error('the mailbox is full'));
      let fail: (error: Error) => void = () => undefined;
      jest.spyOn(store, 'save').mockImplementation(() => new Promise((_, reject) => (fail = reject)));
      const outcome = take();
      await clock.runUntil(45_000);
      expect(ask).toHaveBeenCalledTimes(4);
      fail(new StoreUnavailable('the bucket', 'timed out'));
      await expect(outcome).rejects.toThrow('the bucket');
      await clock.runUntil(500_000);
      expect(ask).toHaveBeenCalledTimes(4);
    });
  });

  it('the result of a run that was ended for lack of it is recorded', async () => {
    state = 'late';
    const messages: unknown[] = [];
    ask.mockImplementation((_arch, message) => {
      messages.push({ ...(message as object), stored: store.files.size });
      return Promise.resolve((message as { kind: string }).kind === 'late' ? 'counts' : 'unknown');
    });
    const notified = new Promise((resolve) => bus.subscribe(SUBJECTS.resultsChanged, resolve));
    await take();
    expect(messages).toEqual([
      { kind: 'may-finish', report, stored: 0 },
      { kind: 'late', report, stored: 1 },
    ]);
    expect(await answers).toMatchObject({ answer: 'recorded' });
    expect([...store.files]).toEqual(['1/2/log.gz']);
    await notified;
  });

  it('a late report is delivered again while its dispatcher does not know that the run was ended', async () => {
    state = 'late';
    ask.mockResolvedValue('unknown');
    await expect(take()).rejects.toThrow('has not seen');
    expect([...store.files]).toEqual(['1/2/log.gz']);
  });

  it.each<ReportAnswer>(['foreign', 'unknown', 'stale'])(
    'a report that the rows count is not answered when its dispatcher calls it %s',
    async (reply) => {
      ask.mockResolvedValue(reply);
      state = 'counts';
      await expect(take()).rejects.toThrow('the rows know of a grant');
      expect(await isStaged()).toBe(true);
    },
  );

  it.each<[string, ReportAnswer]>([
    ['is executed', 'foreign'],
    ['has failed, and another was granted since', 'stale'],
    ['has ended its run', 'unknown'],
  ])('nothing is removed of an attempt that was granted otherwise and %s', async (_, reply) => {
    ask.mockResolvedValue(reply);
    state = 'foreign';
    store.files.add('1/2/log.gz');
    await take();
    expect(await answers).toMatchObject({
      answer: 'stale',
      reason: expect.stringContaining('granted again'),
    });
    expect([...store.files]).toEqual(['1/2/log.gz']);
    expect(await isStaged()).toBe(true);
  });

  it('a failed attempt is recorded in place of a result that the database refuses', async () => {
    ask.mockResolvedValueOnce('counts').mockRejectedValueOnce(new WriteRefused('value out of range'));
    await take();
    const message = 'its result could not be recorded: value out of range';
    const failure = {
      ...report,
      verdict: 'tmpfail',
      message,
      exitCode: null,
      version: null,
      durationSeconds: 0,
    };
    expect(ask).toHaveBeenLastCalledWith(ARCH, { kind: 'finished', report: failure });
    expect(await answers).toMatchObject({ answer: 'recorded' });
    expect([...store.files]).toEqual(['1/2/log.gz']);
  });

  it('a worker is answered when its report cannot be read, and the attempt has failed', async () => {
    const attempt = { worker: report.worker, runId: 1, attempt: 2, grantEpoch: 5 };
    await reports().refuse(ARCH, attempt, 'it is\0 odd');
    const reason = 'the report of worker w1 was refused, it is odd';
    expect(ask.mock.calls).toEqual([[ARCH, { kind: 'report-refused', attempt, reason }]]);
    expect(await answers).toEqual({ runId: 1, attempt: 2, grantEpoch: 5, answer: 'refused', reason });
    expect(await isStaged()).toBe(false);
  });

  it.each([
    [
      'it could not be recorded',
      () => ask.mockResolvedValueOnce('counts').mockRejectedValueOnce(new Error('away')),
    ],
    ['the store fails', () => jest.spyOn(store, 'save').mockRejectedValue(new Error('away'))],
  ])('a report is delivered again when %s', async (_, fail) => {
    fail();
    await expect(take()).rejects.toThrow('away');
    expect(await isStaged()).toBe(true);
  });

  it('a report is delivered again, not uploaded again, when the failing store breaks off the files that it reads', async () => {
    jest.spyOn(store, 'save').mockImplementation(async (_runId, _attempt, _name, content) => {
      content.destroy(new Error('premature close'));
      await finished(content).catch(() => undefined);
      throw new StoreUnavailable('the bucket', 'connect ECONNREFUSED');
    });
    await expect(take()).rejects.toThrow('the bucket is not available: connect ECONNREFUSED');
    expect(await isStaged()).toBe(true);
  });
});
