import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import { SUBJECTS, subjectOf, type RecordedSignal, type ResultFile } from '@proctor/contracts';
import type { ReportAnswer, ReportState } from '@proctor/dispatch';
import { StoreUnavailable } from '@proctor/store';
import { MemoryStore } from '@test/simulation/world/memory-store';
import { VirtualClock } from '@test/simulation/world/virtual-clock';
import { ARCH, finishedReport } from '@test/support/runs';
import { silenceLog } from '@test/support/silent-log';
import { ClaimTimer } from './claim-timer';
import { FinishedReports } from './finished-reports';

const CONTENT = Buffer.from('the log');
const sha256 = createHash('sha256').update(CONTENT).digest('hex');
const LOG: ResultFile = { name: 'log.gz', size: CONTENT.length, sha256 };
const STAGED = '1/2/5/log.gz';

silenceLog();

describe('FinishedReports of unregistered workers', () => {
  const report = finishedReport(1, 2, { files: [LOG], grantEpoch: 5 });
  const ask = jest.fn<Promise<ReportAnswer>, unknown[]>();
  let bus: MemoryBus;
  let store: MemoryStore;
  let answers: Promise<RecordedSignal>;
  let state: ReportState;

  beforeEach(async () => {
    const broker = new MemoryBroker();
    bus = new MemoryBus(broker);
    store = new MemoryStore();
    ask.mockReset();
    const worker = new MemoryBus(broker);
    answers = new Promise((resolve) => {
      worker.subscribe(subjectOf(SUBJECTS.recorded, report.worker), ({ text }) => {
        resolve(JSON.parse(text) as RecordedSignal);
      });
    });
    await bus.stage(report.worker, STAGED, Readable.from([CONTENT]));
  });

  const reports = () => {
    const journal = { reportState: () => Promise.resolve(state) };
    return new FinishedReports(
      { request: ask as never },
      journal,
      bus,
      store,
      new ClaimTimer(new VirtualClock(), () => 15_000),
    );
  };
  const take = () => reports().receive(ARCH, report);
  const isStaged = async () => (await bus.readStaged(report.worker, STAGED)) !== null;

  it('the report of an unregistered worker is refused, and the attempt that it names is not touched', async () => {
    ask.mockResolvedValue('refused');
    state = 'foreign';
    store.files.add('1/2/log.gz');
    await take();
    expect(await answers).toMatchObject({ answer: 'refused', reason: expect.stringContaining('worker w1') });
    expect([...store.files]).toEqual(['1/2/log.gz']);
    expect(await isStaged()).toBe(true);
    await reports().refuse(ARCH, report, 'it cannot be read');
    expect(await isStaged()).toBe(true);
  });

  it('the report of a worker that was revoked while its result was stored is refused, and nothing of it is kept', async () => {
    ask.mockResolvedValueOnce('counts').mockResolvedValueOnce('refused');
    state = 'counts';
    await take();
    expect(await answers).toMatchObject({ answer: 'refused' });
    expect([...store.files]).toEqual([]);
    expect(await isStaged()).toBe(false);
  });

  it('files stored for a revoked worker are removed even if that works only the second time', async () => {
    ask.mockResolvedValueOnce('counts').mockResolvedValue('refused');
    state = 'counts';
    jest.spyOn(store, 'remove').mockRejectedValueOnce(new StoreUnavailable('the bucket', 'away'));
    await expect(take()).rejects.toThrow(StoreUnavailable);
    expect(store.files.size).toBe(1);
    await take();
    expect([...store.files]).toEqual([]);
  });

  it('the report of a revoked worker is refused only when the store has removed the files of an attempt that is over', async () => {
    ask.mockResolvedValue('refused');
    state = 'over';
    store.files.add('1/2/log.gz');
    const signal = jest.spyOn(bus, 'signal');
    jest.spyOn(store, 'remove').mockRejectedValueOnce(new StoreUnavailable('the bucket', 'away'));
    await expect(take()).rejects.toThrow(StoreUnavailable);
    expect(signal).not.toHaveBeenCalled();
    await take();
    expect(await answers).toMatchObject({ answer: 'refused' });
    expect([...store.files]).toEqual([]);
  });

  it('a revoked worker is answered before the files of an attempt that may count again are removed', async () => {
    ask.mockResolvedValue('refused');
    state = 'counts';
    jest.spyOn(store, 'remove').mockReturnValue(new Promise(() => undefined));
    void take();
    expect(await answers).toMatchObject({ answer: 'refused' });
  });

  it('what was recorded of a worker that was revoked since stays', async () => {
    ask.mockResolvedValue('refused');
    state = 'reported';
    store.files.add('1/2/log.gz');
    await take();
    expect([...store.files]).toEqual(['1/2/log.gz']);
  });
});
