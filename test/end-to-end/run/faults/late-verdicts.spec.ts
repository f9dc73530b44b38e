import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostWorkerName } from '@proctor/config';
import { accountsOf } from '@test/support/accounts';
import { until } from '@test/support/until';
import { Link } from '@test/soak/link';
import { SHORT_LEASES, Stage } from './stage';

/** How long ago a test ended when its worker is back: within some of these its worker still waits for the end of the live log. */
const AGES_SECONDS = [0, 2, 4, 6, 8];
const OLDEST_SECONDS = Math.max(...AGES_SECONDS);

let stage: Stage;
let link: Link;
/** Age of the verdict → its run. */
const runs = new Map<number, number>();
let cancelled: number;

/** Results as the worker has them on its disk. */
function resultsOnDisk(): Promise<string[]> {
  return readdir(join(stage.proctor.home.path, 'worker/results'));
}

/** A run whose test ends so many seconds after all were allowed to go on. */
async function runThatEndsAfter(seconds: number, name: string): Promise<number> {
  const [runId = 0] = await stage.submit(1, name, `${stage.patience} sleep:${seconds}`);
  await stage.client.runThat(runId, ({ state }) => state === 'running');
  return runId;
}

/**
 * A worker from which nothing arrives, nor at it, until each run was given up, since this attempt was the last allowed. Then its tests
 * end, one after the other, and the worker is back as soon as it has the verdict of the last.
 */
beforeAll(async () => {
  stage = await Stage.open({
    apps: ['api', 'scheduler'],
    slots: AGES_SECONDS.length + 1,
    scheduler: { ...SHORT_LEASES, retry: { attemptsMax: 1 } },
  });
  const { proctor, client } = stage;
  const credentials = await proctor.users.read(hostWorkerName());
  const linked = await Link.to(credentials.url);
  link = linked.link;
  const text = JSON.stringify({ ...credentials, url: linked.url.replace(/\/$/, '') });
  await writeFile(proctor.users.path(hostWorkerName()), text);
  await proctor.restart('worker');

  for (const age of AGES_SECONDS)
    runs.set(age, await runThatEndsAfter(OLDEST_SECONDS - age, `ended-${age}s-ago`));
  cancelled = await runThatEndsAfter(0, 'cancelled');
  await stage.underWay(1, 'cancelled0');
  link.hold();
  const answer = await client.fetch(`/api/v1/test/${cancelled}`, { method: 'DELETE' });
  expect(answer.status).toBe(200);
  for (const runId of runs.values()) await client.runThat(runId, ({ status }) => status === 'tmpfail');
  await stage.go();
  const last = `${runs.get(0)}-1-`;
  const hasEnded = async () => (await resultsOnDisk()).some((name) => name.startsWith(last));
  expect(await until(hasEnded)).toBe(true);
  link.release();
});

afterAll(async () => {
  link?.release();
  await stage?.close();
  await link?.close();
});

it.each(AGES_SECONDS)(
  'a verdict that is %i s old when its worker is back counts, though its run was given up',
  async (age) => {
    const { proctor, client } = stage;
    const runId = runs.get(age)!;
    const { log_url } = await client.runThat(runId, ({ status }) => status === 'pass');
    const [account] = await accountsOf(proctor, [runId]);
    expect(account).toMatchObject({ verdict: 'pass', attempt: 1 });
    expect(account?.facts).toEqual(['requested', 'granted', 'started', 'finished', 'corrected']);
    expect(await (await client.fetch(log_url!)).text()).toContain(`ended-${age}s-ago0 ends with 0`);
  },
);

it('the verdict of a run that was cancelled meanwhile is dropped, and the worker says so', async () => {
  await stage.proctor.output.line(
    'worker',
    new RegExp(`run ${cancelled} attempt 1: the result came too late: .`),
  );
  expect(await accountsOf(stage.proctor, [cancelled])).toMatchObject([{ verdict: 'tmpfail', attempt: 1 }]);
});

it('nothing of these results stays on the disk of the worker', async () => {
  expect(await until(async () => (await resultsOnDisk()).length === 0)).toBe(true);
});
