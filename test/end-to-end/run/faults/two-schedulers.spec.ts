import { expectEachPassedOnce } from '@test/support/accounts';
import type { ResultObject } from '@test/support/client';
import { connectTo } from '@test/support/database';
import { peerMsUntil } from '@test/support/peer-clock';
import type { AppName } from '@test/support/proctor';
import { silenceLog } from '@test/support/silent-log';
import { until } from '@test/support/until';
import { Stage } from './stage';

silenceLog();

const ARCHITECTURES = ['amd64', 'arm64', 'i386', 'riscv64'];
const SCHEDULERS: AppName[] = ['scheduler', 'scheduler2'];
/** Documents promise ten seconds, which is twice `ownershipTtlMs`. */
const SERVED_AGAIN_MS = 10_000;

let stage: Stage;

beforeAll(async () => {
  // The times that a deployment has unless it says otherwise.
  const scheduler = { leaseTtlMs: 60_000, leaseRenewMs: 15_000, ownershipTtlMs: 5_000, arrivalPollMs: 5_000 };
  const apps: AppName[] = ['api', 'worker', ...SCHEDULERS];
  stage = await Stage.open({ slots: 8, architectures: ARCHITECTURES, scheduler, apps });
});
afterAll(() => stage?.close());
beforeEach(() => stage.withdrawGo());

/** Architectures by the scheduler that owns them in the books. */
async function owned(): Promise<Record<string, string[]>> {
  const database = await connectTo(stage.proctor.databaseUrl);
  try {
    const { rows } = await database.query<{ arch: string; owner: string | null }>(
      'select arch, owner from dispatchers where expires_at > clock_timestamp() order by arch',
    );
    return Object.fromEntries(
      SCHEDULERS.map((name) => {
        const id = `-${stage.proctor.processes[name].pid}-`;
        return [name, rows.filter(({ owner }) => owner?.includes(id)).map(({ arch }) => arch)];
      }),
    );
  } finally {
    await database.end();
  }
}

async function ownedAre(isSo: (counts: number[]) => boolean): Promise<Record<string, string[]>> {
  let last: Record<string, string[]> = {};
  const isReached = async (): Promise<boolean> => {
    last = await owned();
    return isSo(SCHEDULERS.map((name) => last[name]?.length ?? 0));
  };
  if (!(await until(isReached))) throw new Error(`owned: ${JSON.stringify(last)}`);
  return last;
}

const spread = () => ownedAre((counts) => counts.every((count) => count === 2));

/** A run on each architecture that is under way. */
function waitingOnEach(name: string): Promise<number[]> {
  return Promise.all(ARCHITECTURES.map((arch) => stage.waitingRun(`${name}-${arch}-`, arch)));
}

/** A new run on each of these architectures; each begins in time. @returns their ids */
async function servedAgain(architectures: string[], name: string): Promise<number[]> {
  const submitted = architectures.map((arch) => stage.submit(1, `${name}-${arch}-`, '', arch));
  const hasStarted = ({ state }: ResultObject) => state !== 'queued';
  const starts = Promise.all(submitted).then(async (ids) => {
    await Promise.all(ids.flat().map((runId) => stage.client.runThat(runId, hasStarted)));
    return ids.flat();
  });
  expect(await peerMsUntil(starts, () => stage.client.fetch('/health'))).toBeLessThan(SERVED_AGAIN_MS);
  return starts;
}

it('architectures are spread evenly; those of a killed scheduler are served again in time, with their leases', async () => {
  const { scheduler: orphaned = [] } = await spread();
  const early = await waitingOnEach('before-death');
  await stage.proctor.kill('scheduler', 'SIGKILL');
  const late = await servedAgain(orphaned, 'after-death');
  await stage.go();
  const accounts = await expectEachPassedOnce(stage, [...early, ...late]);
  expect(accounts.map(({ attempt }) => attempt)).toEqual(accounts.map(() => 1));
  await stage.proctor.restart('scheduler');
  await spread();
});

it('a scheduler that is frozen past its ownership and wakes up changes nothing and steps down', async () => {
  const { scheduler: orphaned = [] } = await spread();
  const early = await waitingOnEach('before-frost');
  await stage.proctor.kill('scheduler', 'SIGSTOP');
  const late = await servedAgain(orphaned, 'after-frost');
  await ownedAre(([frozen]) => frozen === 0);
  await stage.go();
  await stage.proctor.kill('scheduler', 'SIGCONT');
  for (const arch of orphaned)
    await stage.proctor.output.line('scheduler', new RegExp(`no longer owns ${arch}`));
  const accounts = await expectEachPassedOnce(stage, [...early, ...late]);
  expect(accounts.map(({ attempt }) => attempt)).toEqual(accounts.map(() => 1));
  await spread();
});
