import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { accountsOf, expectEachPassedOnce } from '@test/support/accounts';
import { connectTo } from '@test/support/database';
import { silenceLog } from '@test/support/silent-log';
import { until } from '@test/support/until';
import { arch, Stage } from './stage';

silenceLog();

const GONE = 'sparc';
const SLOTS = 2;

let stage: Stage;
afterEach(() => stage?.close());

async function serve(architectures: string[]): Promise<void> {
  const { proctor } = stage;
  const yaml = await readFile(join(proctor.home.path, 'config', 'proctor.yaml'), 'utf8');
  await proctor.configure('proctor.yaml', { ...(parse(yaml) as object), architectures });
}

/** The log does not show it: an ownership that ran out on a busy machine is given up too, and claimed again. */
async function waitUntilUnowned(architecture: string): Promise<void> {
  const database = await connectTo(stage.proctor.databaseUrl);
  try {
    const isSo = async (): Promise<boolean> => {
      const { rowCount } = await database.query(
        'select from dispatchers where arch = $1 and owner is not null and expires_at > clock_timestamp()',
        [architecture],
      );
      return rowCount === 0;
    };
    if (!(await until(isSo))) throw new Error(`${architecture} is still owned`);
  } finally {
    await database.end();
  }
}

it('an architecture that is taken away with results in all slots holds up no other, and gets them when it is back', async () => {
  stage = await Stage.open({ slots: SLOTS, architectures: [arch, GONE], worker: { answerWaitMs: 1_000 } });
  const { proctor, client } = stage;
  const waitingRuns = [await stage.waitingRun('one', GONE), await stage.waitingRun('two', GONE)];
  await serve([arch]);
  await proctor.output.line('scheduler', /is in use, with these changes/);
  await waitUntilUnowned(GONE);
  await stage.go();
  for (const runId of waitingRuns)
    await proctor.output.line('worker', new RegExp(`run ${runId} attempt 1: pass`));

  const others = await stage.submit(2 * SLOTS, 'other');
  await expectEachPassedOnce(stage, others);
  for (const runId of waitingRuns) expect((await client.run(runId)).status).toBeNull();

  await serve([arch, GONE]);
  const accounts = await expectEachPassedOnce(stage, waitingRuns);
  expect(accounts.map(({ attempt }) => attempt)).toEqual([1, 1]);
  const late = await stage.submit(SLOTS, 'late', '', GONE);
  await expectEachPassedOnce(stage, late);
  expect((await accountsOf(proctor, others)).map(({ attempt }) => attempt)).toEqual(others.map(() => 1));
});
