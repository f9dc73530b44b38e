import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { StreamFull, type Bus, type StagedUpload, type StagingContents } from '@proctor/bus';
import { stagingName, type Grant } from '@proctor/contracts';
import { StagingSweeper } from '@apps/scheduler/src/reports/staging-sweeper';
import { ManualClock } from '@test/support/manual-clock';
import { until } from '@test/support/until';
import { LIMITS, newRunId, type BusServer, type StartServer } from './server';

const SETTINGS = { sweepMs: 600_000, idleMaxMs: 3_600_000, observedMax: 1_000 };
const WORKER = 'w1';
const BUCKET_BYTES = 1024 ** 2;
const MESSAGES_MAX = 30;
/** More than one chunk. */
const PART = Buffer.alloc(200_000, 'x');

/** What is swept from the staging areas of every Bus. @param start with areas that no other test uses */
export function describeSweeping(name: string, start: StartServer): void {
  describe(`sweeping the staging areas of ${name}`, () => {
    let server: BusServer;
    let bus: Bus;
    let clock: ManualClock;
    let sweeper: StagingSweeper;
    let awaited: number[];

    beforeAll(async () => {
      server = await start({ ...LIMITS, stagingBytesMax: BUCKET_BYTES, stagingMax: MESSAGES_MAX });
      bus = await server.connect();
      await bus.prepareWorkers([WORKER]);
    });
    beforeEach(() => {
      clock = new ManualClock();
      awaited = [];
      const among = (attempts: Grant[]) =>
        Promise.resolve(attempts.filter(({ runId }) => awaited.includes(runId)));
      sweeper = new StagingSweeper(bus, { among }, clock, () => SETTINGS);
    });
    afterEach(async () => {
      await sweeper.beforeApplicationShutdown();
      for (const upload of await uploads()) await bus.deleteUpload(upload);
      expect(await uploads()).toEqual([]);
    });
    afterAll(() => server.close());

    const areas = async (signal?: AbortSignal): Promise<StagingContents[]> => {
      const contents: StagingContents[] = [];
      for await (const area of bus.listStaging(signal)) contents.push(area);
      return contents;
    };
    const uploads = async (): Promise<StagedUpload[]> => (await areas()).flatMap((area) => area.uploads);
    const fileOf = (runId: number, attempt = 1) => stagingName({ runId, attempt, grantEpoch: 5 }, 'log.gz');
    const stage = (runId: number, content = PART) =>
      bus.stage(WORKER, fileOf(runId), Readable.from([content]));

    /** Resolves when the sweeper rests. */
    async function swept(): Promise<void> {
      expect(await until(() => Promise.resolve(clock.pending === 1))).toBe(true);
    }

    async function begin(): Promise<void> {
      sweeper.onApplicationBootstrap();
      await swept();
    }

    async function pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += SETTINGS.sweepMs) {
        clock.advance(SETTINGS.sweepMs);
        await swept();
      }
    }

    /** An upload by a client of its own, which goes on as the test wants. */
    async function upload(runId: number) {
      const client = await server.connect();
      const content = new Readable({ read: () => undefined });
      const stagedContent = client.stage(WORKER, fileOf(runId), content);
      const broken = stagedContent.then(
        () => false,
        () => true,
      );
      const before = (await uploads()).map(({ id }) => id);
      const mine = async () => (await uploads()).find(({ id }) => !before.includes(id));
      const grow = async () => {
        const chunks = (await mine())?.chunks ?? 0;
        content.push(PART);
        const grown = async () => ((await mine())?.chunks ?? 0) > chunks;
        expect(await until(grown)).toBe(true);
      };
      const breakOff = async () => {
        await server.kill(client);
        content.destroy(new Error('the process is gone'));
        expect(await broken).toBe(true);
      };
      return { content, done: stagedContent, grow, breakOff };
    }

    it('an upload that broke off is removed after the time, and not before', async () => {
      const doomed = await upload(newRunId());
      await doomed.grow();
      await doomed.breakOff();
      expect(await uploads()).toMatchObject([{ name: null }]);
      await begin();
      await pass(SETTINGS.idleMaxMs - SETTINGS.sweepMs);
      expect(await uploads()).toMatchObject([{ name: null }]);
      await pass(SETTINGS.sweepMs);
      expect(await uploads()).toEqual([]);
    });

    it('an upload is kept for as long as it grows', async () => {
      const runId = newRunId();
      const slow = await upload(runId);
      await slow.grow();
      await begin();
      for (let part = 0; part < 3; part++) {
        await pass(SETTINGS.idleMaxMs - SETTINGS.sweepMs);
        await slow.grow();
      }
      await pass(SETTINGS.sweepMs);
      slow.content.push(null);
      expect(await slow.done).toMatchObject({ size: 4 * PART.length });
      const staged = await bus.readStaged(WORKER, fileOf(runId));
      expect((await buffer(staged!)).equals(Buffer.concat([PART, PART, PART, PART]))).toBe(true);
    });

    it('the files of a result that is awaited are kept, and those of an attempt that is over are removed', async () => {
      const [over, waiting, empty] = [newRunId(), newRunId(), newRunId()];
      awaited = [waiting];
      await stage(over);
      await stage(waiting);
      await stage(empty, Buffer.alloc(0));
      await begin();
      await pass(SETTINGS.idleMaxMs - SETTINGS.sweepMs);
      expect(await uploads()).toHaveLength(3);
      await pass(SETTINGS.sweepMs);
      expect(await bus.readStaged(WORKER, fileOf(over))).toBeNull();
      expect((await buffer((await bus.readStaged(WORKER, fileOf(waiting)))!)).equals(PART)).toBe(true);
      expect(await uploads()).toMatchObject([{ name: fileOf(waiting) }]);
    });

    it('a full bucket takes uploads again after a sweep', async () => {
      const doomed = await upload(newRunId());
      for (let part = 0; part < 4; part++) await doomed.grow();
      await doomed.breakOff();
      const runId = newRunId();
      const large = Buffer.alloc(BUCKET_BYTES / 2);
      await expect(stage(runId, large)).rejects.toThrow(StreamFull);
      await begin();
      await pass(SETTINGS.idleMaxMs - SETTINGS.sweepMs);
      await expect(stage(runId, large)).rejects.toThrow(StreamFull);
      await pass(SETTINGS.sweepMs);
      expect(await stage(runId, large)).toMatchObject({ size: large.length });
    });

    it('an area takes no more messages than it may, however short, and again once there is room', async () => {
      const runs = Array.from({ length: MESSAGES_MAX }, newRunId);
      const short = (runId: number) => stage(runId, Buffer.from('x'));
      const staged: number[] = [];
      const fill = async () => {
        for (const runId of runs) {
          await short(runId);
          staged.push(runId);
        }
      };
      await expect(fill()).rejects.toThrow(StreamFull);
      // Each has a chunk and a record; the last one found room for its chunk at most.
      expect(staged).toHaveLength(MESSAGES_MAX / 2);
      expect(await areas()).toMatchObject([{ messages: MESSAGES_MAX, messagesMax: MESSAGES_MAX }]);
      await bus.deleteStaged(WORKER, fileOf(staged[0]!));
      expect(await short(staged[0]!)).toMatchObject({ size: 1 });
    });

    it('an upload is not removed in the place of one that it replaced', async () => {
      const runId = newRunId();
      await stage(runId, Buffer.from('old'));
      const [old] = await uploads();
      await stage(runId, Buffer.from('new'));
      await bus.deleteUpload(old!);
      expect((await buffer((await bus.readStaged(WORKER, fileOf(runId)))!)).toString()).toBe('new');
    });

    it('a listing is ended when its reader no longer waits for it', async () => {
      await stage(newRunId());
      await expect(areas(AbortSignal.abort())).rejects.toThrow('aborted');
    });

    it('nothing is left of what was dropped', async () => {
      const runId = newRunId();
      await stage(runId);
      await bus.deleteStaged(WORKER, fileOf(runId));
      expect(await areas()).toEqual([]);
    });
  });
}
