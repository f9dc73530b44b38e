import type { Journal, LinePlace } from '@proctor/dispatch';
import { Blocks } from '@libs/dispatch/src/blocks';
import { keyOf, Lines } from '@libs/dispatch/src/lines';
import { silenceLog } from '../support/silent-log';
import { WaitingLines } from './waiting-lines';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
/** Seeds that are tried before a planted bug counts as not found. */
const SEEDS_MAX = 12;
/** What some seed must have done. */
const DEEDS = [
  ...['submitted', 'granted', 'cancelled', 'moved', 'published', 'checked'],
  ...['page', 'count', 'last', 'row', 'commit failed'],
];

silenceLog();
afterEach(() => jest.restoreAllMocks());

it('a dispatcher that holds few runs of each line grants, counts and places them as their rows say', async () => {
  const deeds = new Set<string>();
  for (const seed of SEEDS) {
    const world = new WaitingLines(seed);
    await world.run();
    expect([seed, world.violations]).toEqual([seed, []]);
    for (const deed of world.deeds.keys()) deeds.add(deed);
  }
  expect([...deeds]).toEqual(expect.arrayContaining(DEEDS));
});

interface PlantedBug {
  name: string;
  plant: () => void;
  change?: (right: Partial<Journal>) => Partial<Journal>;
  /** What must be said. */
  foundBy: RegExp;
}

const add = Object.getOwnPropertyDescriptor(Lines.prototype, 'add')!.value as Lines['add'];
const touch = Object.getOwnPropertyDescriptor(Blocks.prototype, 'touch')!.value as Blocks['touch'];
const learn = Object.getOwnPropertyDescriptor(Blocks.prototype, 'setCounts')!.value as Blocks['setCounts'];

/** Counts are not updated when runs come, go or move. */
function unnoticed(isUnnoticed: () => boolean): void {
  jest.spyOn(Blocks.prototype, 'touch').mockImplementation(function (this: Blocks, place) {
    if (!isUnnoticed()) touch.call(this, place);
  });
}

const BUGS: PlantedBug[] = [
  {
    name: 'a page skips a run',
    plant: () => undefined,
    change: (right) => ({
      nextOfLine: async (arch, after, limit) => (await right.nextOfLine!(arch, after, limit + 1)).slice(1),
    }),
    foundBy: /was granted, not run|are said to wait/,
  },
  {
    name: 'a count is not taken down on a cancellation',
    plant: () => void jest.spyOn(Lines.prototype, 'markChanged').mockReturnValue(),
    foundBy: /are said to wait|said to be at/,
  },
  {
    name: 'an arrival beyond the edge is not counted',
    plant: () => {
      let isArrival = false;
      unnoticed(() => isArrival);
      jest.spyOn(Lines.prototype, 'add').mockImplementation(function (this: Lines, run) {
        isArrival = true;
        const isHeld = add.call(this, run);
        isArrival = false;
        return isHeld;
      });
    },
    foundBy: /are said to wait|said to be at/,
  },
  {
    name: 'an arrival before the edge is lost',
    plant: () => {
      jest.spyOn(Lines.prototype, 'add').mockImplementation(function (this: Lines, run) {
        const isBeyond = [...this.beyond].some(({ key }) => key === keyOf(run));
        return add.call(this, isBeyond ? { ...run, arrivedAt: Infinity } : run);
      });
    },
    foundBy: /was granted, not run|are said to wait/,
  },
  {
    name: 'a run that was moved stays in the count of its old line',
    plant: () => {
      jest.spyOn(Lines.prototype, 'markChanged').mockImplementation(function (this: Lines, run: LinePlace) {
        for (const { key, blocks } of this.beyond) if (key === keyOf(run)) blocks?.touch(run);
      });
    },
    foundBy: /are said to wait|said to be at/,
  },
  {
    name: 'a count is believed that is older than the last change',
    plant: () => {
      jest.spyOn(Blocks.prototype, 'setCounts').mockImplementation(function (this: Blocks, block, ...what) {
        const same = [...this.stretches()].find((stretch) => stretch.block.end?.runId === block.end?.runId);
        learn.call(this, same?.block ?? block, ...what);
      });
    },
    foundBy: /are said to wait|said to be at/,
  },
];

it.each(BUGS)(
  'the simulation of lines finds the planted bug that $name',
  async ({ plant, change, foundBy }) => {
    plant();
    const violations: string[] = [];
    for (
      let seed = 1;
      seed <= SEEDS_MAX && !violations.some((violation) => foundBy.test(violation));
      seed += 1
    ) {
      const world = new WaitingLines(seed, change);
      await world.run();
      violations.push(...world.violations);
    }
    expect(violations).toEqual(expect.arrayContaining([expect.stringMatching(foundBy)]));
  },
);
