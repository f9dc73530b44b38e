import type { RetentionRules } from '@proctor/retention';
import { A_DAY, type OldRuns, setUpOldRuns } from './old-runs';

let fixture: OldRuns;

beforeEach(async () => {
  const days = { artifactsDays: 30, failedArtifactsDays: 90, logsDays: 180, storyDays: 60 };
  fixture = await setUpOldRuns({ runs: 400, suites: ['sid', 'trixie'], packages: 12 }, days);
});
afterEach(() => fixture.close());

const allRows = async (): Promise<unknown[]> =>
  (await fixture.client.query('select * from runs order by run_id')).rows;

it('a rehearsal changes nothing, and counts what the pass after it removes, whatever earlier passes have left', async () => {
  const { storyDays: _, ...files } = A_DAY;
  const passes: Partial<RetentionRules>[] = [
    // Runs of 60 to 180 days keep logs, so their facts stay, and the cursor leaves them behind.
    {},
    {},
    { packageBytesMax: 100_000 },
    files,
    A_DAY,
  ];
  const stories: number[] = [];
  for (const rules of passes) {
    const before = await allRows();
    const rehearsed = await fixture.expire(rules, { isRehearsal: true });
    expect(await allRows()).toEqual(before);
    const counts = await fixture.expire(rules);
    expect(rehearsed).toEqual(counts);
    stories.push(counts.stories);
  }
  expect(stories.map((count) => count > 0)).toEqual([true, false, true, true, true]);
});
