import { Readable } from 'node:stream';
import { connectBus, type BusLimits } from '@proctor/bus';
import { stagingName } from '@proctor/contracts';
import { expectEachPassedOnce } from '@test/support/accounts';
import { silenceLog } from '@test/support/silent-log';
import { STUB_SUITE } from '@test/support/stub';
import { arch, Stage } from './stage';

silenceLog();

/** Less than one message. */
const NO_ROOM_BYTES = 64;

let stage: Stage;

describe('a deployment whose leases outlast each test', () => {
  beforeAll(async () => {
    stage = await Stage.open({ slots: 3 });
  });
  afterAll(() => stage?.close());

  describe('a stream at its limit', () => {
    /** As an operator does who has set a deployment's limits. */
    async function limit(limits: Partial<BusLimits>): Promise<void> {
      const { users } = stage.proctor;
      const bus = await connectBus(await users.operator(), { limits, makesStreams: true });
      const workers = users.workers.map(({ name }) => name);
      await bus.prepareReports(arch, workers);
      await bus.prepareWorkers(workers);
      await bus.close();
    }

    it.each<[string, string, Partial<BusLimits>]>([
      ['that takes no report', 'reports', { reportsBytesMax: NO_ROOM_BYTES }],
      ['that takes no upload', 'uploads', { stagingBytesMax: NO_ROOM_BYTES }],
    ])(
      'a stream at its limit %s: workers keep their results and deliver them later',
      async (_, name, limits) => {
        const { proctor, client } = stage;
        await expectEachPassedOnce(stage, await stage.submit(1, `${name}-before`));
        await limit(limits);
        const runIds = await stage.submit(2, `${name}-kept`);
        for (const runId of runIds) {
          const keptLine = new RegExp(`run ${runId} attempt 1: the result was not delivered yet`);
          await proctor.output.line('worker', keptLine);
        }
        expect((await client.run(runIds[0]!)).status).toBeNull();
        await limit({});
        const accounts = await expectEachPassedOnce(stage, runIds);
        expect(accounts.map(({ attempt }) => attempt)).toEqual([1, 1]);
      },
    );

    it('a stream at its limit that forgets its oldest logs and events holds nothing up', async () => {
      await limit({ logsBytesMax: 1_000, eventsBytesMax: 1_000 });
      const runIds = await stage.submit(5, 'loud', 'lines:2000');
      await expectEachPassedOnce(stage, runIds);
      expect((await stage.client.run(runIds[0]!)).log_url).toContain(`/${STUB_SUITE}/`);
      await limit({});
    });
  });

  it('nats-server is killed and comes back: tests go on, requests are accepted, nothing is executed twice', async () => {
    const { proctor } = stage;
    const runIds = [await stage.waitingRun(), ...(await stage.submit(15, 'rest', 'sleep:0.3'))];
    for (const executions of [3, 8]) {
      await stage.underWay(executions, 'rest');
      await proctor.kill('nats', 'SIGKILL');
      runIds.push(...(await stage.submit(1, `accepted${executions}-`)));
      await proctor.restart('nats');
    }
    await stage.go();
    const accounts = await expectEachPassedOnce(stage, runIds);
    expect(accounts.map(({ attempt }) => attempt)).toEqual(accounts.map(() => 1));
  });

  it('a request is accepted while nats-server and the scheduler are away, and executed when they are back', async () => {
    const { proctor, client } = stage;
    await proctor.kill('scheduler', 'SIGKILL');
    await proctor.kill('nats', 'SIGKILL');
    const [runId = 0] = await stage.submit(1, 'early');
    expect(await client.run(runId)).toMatchObject({
      status: null,
      reasons: [`no scheduler answers for ${arch}`],
    });
    await proctor.restart('nats');
    await proctor.restart('scheduler');
    await expectEachPassedOnce(stage, [runId]);
  });
});

describe('a deployment that sweeps its staging areas often', () => {
  afterEach(() => stage?.close());

  it('an upload that stops for too long is swept by the scheduler', async () => {
    stage = await Stage.open({
      apps: ['scheduler'],
      scheduler: { stagingSweepMs: 200, stagingIdleMaxMs: 1_000 },
    });
    const bus = await connectBus(await stage.proctor.users.operator());
    const content = new Readable({ read: () => undefined });
    await bus.prepareWorkers(['uploader']);
    const staged = bus.stage(
      'uploader',
      stagingName({ runId: 1, attempt: 1, grantEpoch: 1 }, 'log.gz'),
      content,
    );
    content.push(Buffer.alloc(200_000));
    await stage.proctor.output.line('scheduler', /uploads that broke off, removed from the staging areas: 1/);
    expect((await bus.listStaging()[Symbol.asyncIterator]().next()).done).toBe(true);
    content.destroy(new Error('the disk is gone'));
    await expect(staged).rejects.toThrow('the disk is gone');
    await bus.close();
  });
});
