import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExpiryPass, type RetentionRules } from '@proctor/retention';
import { FolderStore } from '@proctor/store';
import { generateFinishedRuns } from '../../generator/finished-runs';
import { type Fixture, setUp } from './fixture';

const RULES: RetentionRules = {
  artifactsDays: 30,
  failedArtifactsDays: 90,
  logsDays: 180,
  packageBytesMax: 10 ** 12,
  packages: {},
  storyDays: 60,
};
const UNTIL = new Date('2026-11-20T12:00:00Z');

let fixture: Fixture;
let folder: string;

beforeEach(async () => {
  fixture = await setUp();
  folder = await mkdtemp(join(tmpdir(), 'proctor-expiry-'));
  await generateFinishedRuns(fixture.client, {
    runs: 400,
    seed: 7,
    suites: ['sid', 'trixie'],
    architectures: ['amd64'],
    packages: 12,
    until: UNTIL,
    days: 500,
    privateShare: 0.2,
  });
});
afterEach(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a pass by these rules has counted at its end. */
async function countsOf(rules: RetentionRules, isRehearsal: boolean) {
  const pass = new ExpiryPass(fixture.database.expiry, new FolderStore(folder), rules, {
    isRehearsal,
    pause: () => Promise.resolve(),
    isEnded: () => false,
    now: () => UNTIL,
  });
  await pass.run();
  return { removed: pass.counts.removed, stories: pass.counts.stories };
}

const allRows = async (): Promise<unknown[]> =>
  (await fixture.client.query('select * from runs order by run_id')).rows;

it('a rehearsal changes nothing, and counts what the pass after it removes, whatever earlier passes have left', async () => {
  const everything = { artifactsDays: 1, failedArtifactsDays: 1, logsDays: 1 };
  const passes: Partial<RetentionRules>[] = [
    // Runs of 60 to 180 days keep logs, so their facts stay, and the cursor leaves them behind.
    {},
    {},
    { packageBytesMax: 100_000 },
    everything,
    { ...everything, storyDays: 1 },
  ];
  const stories: number[] = [];
  for (const changes of passes) {
    const rules = { ...RULES, ...changes };
    const before = await allRows();
    const rehearsed = await countsOf(rules, true);
    expect(await allRows()).toEqual(before);
    const done = await countsOf(rules, false);
    expect(rehearsed).toEqual(done);
    stories.push(done.stories);
  }
  expect(stories.map((count) => count > 0)).toEqual([true, false, true, true, true]);
});
