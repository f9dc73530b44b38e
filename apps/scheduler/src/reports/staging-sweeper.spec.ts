import { setImmediate } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { StagedUpload } from '@proctor/bus';
import { stagingName, type Grant } from '@proctor/contracts';
import { ManualClock } from '@test/support/manual-clock';
import { StagingSweeper } from './staging-sweeper';

const SETTINGS = { sweepMs: 10, idleMaxMs: 100, observedMax: 2_000 };
const MIB = 1024 ** 2;

describe('StagingSweeper', () => {
  let clock: ManualClock;
  let sweeper: StagingSweeper;
  let uploads: StagedUpload[];
  let bytes: number;
  let messages: number;
  let strays: string[];
  let isBusAway: boolean;
  let isDatabaseAway: boolean;
  let looks: number;
  let beforeAnswer: () => Promise<void>;
  const onQuestion = jest.fn<void, [Grant[]]>();
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();

  beforeEach(() => {
    jest.clearAllMocks();
    clock = new ManualClock();
    [uploads, bytes, looks, isBusAway, isDatabaseAway] = [[], 0, 0, false, false];
    [messages, strays] = [0, []];
    beforeAnswer = () => Promise.resolve();
    const bus = {
      listStaging: async function* () {
        looks++;
        if (isBusAway) throw new Error('no answer');
        const currentUploads = uploads.map((upload) => ({ ...upload }));
        await beforeAnswer();
        const limits = { bytesMax: 100 * MIB, messagesMax: 1_000 };
        yield { worker: 'w1', bytes, messages, ...limits, uploads: currentUploads, strays: [...strays] };
      },
      deleteStray: (worker: string, stray: string) => {
        strays = strays.filter((each) => worker !== 'w1' || each !== stray);
        return Promise.resolve();
      },
      deleteUpload: ({ id }: { id: string }) => {
        uploads = uploads.filter((upload) => upload.id !== id);
        return Promise.resolve();
      },
    };
    const among = (attempts: Grant[]) => {
      onQuestion(attempts);
      if (isDatabaseAway) return Promise.reject(new Error('no database'));
      return Promise.resolve(attempts.filter(({ runId }) => runId >= 1_000_000));
    };
    sweeper = new StagingSweeper(bus, { among }, clock, () => SETTINGS);
  });
  afterEach(() => sweeper.beforeApplicationShutdown());
  afterAll(() => jest.restoreAllMocks());

  const brokenOff = (id: string, chunks = 1): StagedUpload => ({ worker: 'w1', id, name: null, chunks });
  const whole = (runId: number): StagedUpload => {
    return {
      worker: 'w1',
      id: `u${runId}`,
      name: stagingName({ runId, attempt: 2, grantEpoch: 5 }, 'log.gz'),
      chunks: 1,
    };
  };
  const ids = () => uploads.map(({ id }) => id);

  async function rested(): Promise<void> {
    while (clock.pending === 0) await setImmediate();
  }

  async function begin(): Promise<void> {
    sweeper.onApplicationBootstrap();
    await rested();
  }

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += SETTINGS.sweepMs) {
      clock.advance(SETTINGS.sweepMs);
      await rested();
    }
  }

  it('the age of an upload counts from when it was first seen, and again from each growth', async () => {
    await begin();
    uploads = [brokenOff('a')];
    await pass(100);
    expect(ids()).toEqual(['a']);
    uploads = [brokenOff('a', 2), brokenOff('b')];
    await pass(100);
    expect(ids()).toEqual(['a', 'b']);
    await pass(10);
    expect(ids()).toEqual([]);
  });

  it('the age of an upload counts from the beginning when the sweeper starts again', async () => {
    uploads = [brokenOff('a')];
    clock.advance(10_000);
    await begin();
    await pass(90);
    expect(ids()).toEqual(['a']);
  });

  it('the age of an upload does not include the time that an answer took', async () => {
    uploads = [brokenOff('a')];
    let answer = (): void => undefined;
    beforeAnswer = () => new Promise((resolve) => (answer = resolve));
    sweeper.onApplicationBootstrap();
    clock.advance(95);
    beforeAnswer = () => Promise.resolve();
    answer();
    await rested();
    await pass(90);
    expect(ids()).toEqual(['a']);
    await pass(10);
    expect(ids()).toEqual([]);
  });

  it('the sweeper looks up each attempt once, many at a time, and removes what belongs to none', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => whole(index + 1));
    const keptUploads = [
      whole(1_000_000),
      { ...whole(1_000_000), id: 'second', name: '1000000/2/5/artifacts.tar.gz' },
    ];
    uploads = [...many, ...keptUploads, { worker: 'w1', id: 'stray', name: 'something else', chunks: 1 }];
    await begin();
    await pass(100);
    expect(onQuestion.mock.calls.map(([attempts]) => attempts.length)).toEqual([1_000, 501]);
    expect(ids()).toEqual(['u1000000', 'second']);
  });

  it('the sweeper removes broken-off uploads while the database is away, and nothing else', async () => {
    isDatabaseAway = true;
    uploads = [brokenOff('a'), whole(1)];
    await begin();
    await pass(100);
    expect(ids()).toEqual(['u1']);
    isDatabaseAway = false;
    await pass(10);
    expect(ids()).toEqual([]);
  });

  it('the sweeper logs once that it fails, and once that it goes on', async () => {
    isBusAway = true;
    await begin();
    await pass(100);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('no answer')]]);
    isBusAway = false;
    await pass(20);
    expect(log.mock.calls).toEqual([[expect.stringContaining('done again')]]);
  });

  it('the sweeper logs how full a staging area is', async () => {
    bytes = 95.5 * MIB;
    await begin();
    expect(warn.mock.calls).toEqual([
      [
        'the staging area of w1 holds 96 of 100 MiB: while it is full, its results with files wait on its disk',
      ],
    ]);
    bytes = MIB;
    await pass(10);
    expect(log.mock.calls).toEqual([['the staging area of w1 has room again']]);
  });

  it('the sweeper logs how many messages an area has that is nearly full of them', async () => {
    messages = 901;
    await begin();
    expect(warn.mock.calls).toEqual([[expect.stringContaining('holds 901 of 1000 messages: while')]]);
    messages = 900;
    await pass(10);
    expect(log.mock.calls).toEqual([['the staging area of w1 has room again']]);
  });

  it('the sweeper removes at once what is part of no upload', async () => {
    [strays, uploads] = [['chunk.a.b', 'file.!'], [brokenOff('a')]];
    await begin();
    expect([strays, ids()]).toEqual([[], ['a']]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('part of no upload')]]);
  });

  it('the sweeper remembers a limited number of uploads, and comes to the others later', async () => {
    uploads = Array.from({ length: SETTINGS.observedMax + 1 }, (_, number) => brokenOff(`u${number}`));
    await begin();
    await pass(100);
    expect(ids()).toEqual([`u${SETTINGS.observedMax}`]);
    await pass(110);
    expect(ids()).toEqual([]);
  });

  it('the sweeper does not overlap itself, and ends when it is stopped', async () => {
    let answer = (): void => undefined;
    beforeAnswer = () => new Promise((resolve) => (answer = resolve));
    sweeper.onApplicationBootstrap();
    clock.advance(1_000);
    expect([looks, clock.pending]).toEqual([1, 0]);
    const end = sweeper.beforeApplicationShutdown();
    answer();
    await end;
    clock.advance(1_000);
    expect([looks, clock.pending]).toEqual([1, 0]);
  });
});
