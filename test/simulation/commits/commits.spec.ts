import { endOf, type End } from '@libs/database/src/kit/commit-search';
import { silenceLog } from '@test/support/silent-log';
import { Random } from '../world/random';
import { type IdentityOf, type ServerParts, SimulatedServers } from './simulated-servers';

const SEEDS = Array.from({ length: 400 }, (_, place) => place + 1);
const LIMITS = { commitSearchTimeoutMs: 60_000 };

/** As libs/database recognises a server. */
const RIGHT: IdentityOf = ({ cluster, timeline, startedAtMs, statisticsSinceMs }) =>
  [cluster, timeline, startedAtMs, statisticsSinceMs].join('/');

const without =
  (part: keyof ServerParts): IdentityOf =>
  (parts) =>
    RIGHT({ ...parts, [part]: 0 });

silenceLog();
// The search waits between two looks at an open transaction.
beforeAll(() => jest.useFakeTimers({ advanceTimers: 1_000 }));
afterAll(() => jest.useRealTimers());

interface Story {
  violations: string[];
  ends: End[];
}

/** A transaction whose commit is not answered, and what happens to the server before the client asks for its outcome, and meanwhile. */
async function play(seed: number, identityOf: IdentityOf): Promise<Story> {
  const random = new Random(seed);
  const servers = new SimulatedServers(random, identityOf);
  const story: Story = { violations: [], ends: [] };
  for (let round = 0; round < 10; round += 1) {
    servers.goOn();
    const transaction = servers.begin();
    if (random.chance(0.5)) servers.commit(transaction.id);
    while (random.chance(0.5)) servers.goOn();
    const end = await endOf(transaction, () => Promise.resolve(servers.witness()), LIMITS);
    story.ends.push(end);
    const hasCommitted = servers.hasCommitted(transaction.number);
    const isWrong = end === 'committed' ? !hasCommitted : end === 'aborted' && hasCommitted;
    if (isWrong) story.violations.push(`seed ${seed}: ${end}, which is what became of another one`);
    if (end === 'aborted' && servers.isOpen(transaction.number))
      story.violations.push(`seed ${seed}: aborted, but it is open`);
  }
  return story;
}

it('the answer about a commit without an answer is never about another transaction, whatever becomes of the server', async () => {
  const stories = await Promise.all(SEEDS.map((seed) => play(seed, RIGHT)));
  expect(stories.flatMap(({ violations }) => violations)).toEqual([]);
  // It knows the end where the server is the same.
  const endings = new Set(stories.flatMap(({ ends }) => ends));
  expect([...endings].sort()).toEqual(['aborted', 'committed', 'unknown']);
});

it.each<[string, IdentityOf]>([
  ['by nothing but the ids', () => ''],
  ['without its cluster', without('cluster')],
  ['without its timeline', without('timeline')],
  ['without the time of its start', without('startedAtMs')],
  ['without the time of its latest crash', without('statisticsSinceMs')],
  [
    'by the later one of its two times',
    ({ startedAtMs, statisticsSinceMs, ...parts }) =>
      RIGHT({ ...parts, startedAtMs: Math.max(startedAtMs, statisticsSinceMs), statisticsSinceMs: 0 }),
  ],
])('the simulation finds the planted bug that a server is recognised %s', async (_, identityOf) => {
  const stories = await Promise.all(SEEDS.map((seed) => play(seed, identityOf)));
  expect(stories.flatMap(({ violations }) => violations)).not.toEqual([]);
});
