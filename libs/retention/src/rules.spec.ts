import * as fc from 'fast-check';
import { VERDICTS } from '@proctor/contracts';
import {
  type AgedRun,
  bytesMaxOf,
  daysBefore,
  dueBefore,
  lossByAge,
  lossBySize,
  restMs,
  type RetentionRules,
} from './rules';

const MIB = 1024 ** 2;
const NOW = new Date('2026-11-20T12:00:00Z');
const RULES: RetentionRules = {
  artifactsDays: 30,
  failedArtifactsDays: 90,
  logsDays: 180,
  packageBytesMax: 200 * MIB,
  packages: { linux: 5, 'gcc-*': 7 },
  storyDays: 400,
};

function run(verdict: AgedRun['verdict'], days: number, changes: Partial<AgedRun> = {}): AgedRun {
  return {
    verdict,
    finishedAt: daysBefore(NOW, days),
    logSize: 1_000,
    artifactsSize: 2_000,
    isKept: false,
    ...changes,
  };
}

it.each([
  ['a run that has just passed', run('pass', 0), null, null],
  ['one that passed 30 days ago to the moment', run('pass', 30), null, null],
  ['one that passed 31 days ago', run('pass', 31), null, 'artifacts of passed runs: 30'],
  ['one without tests, 31 days ago', run('neutral', 31), null, 'artifacts of passed runs: 30'],
  ['one that failed 31 days ago', run('fail', 31), null, null],
  ['one that failed 91 days ago', run('fail', 91), null, 'artifacts of failed runs: 90'],
  ['a tmpfail of 91 days ago', run('tmpfail', 91), null, 'artifacts of failed runs: 90'],
  ['one that passed 181 days ago', run('pass', 181), 'logs: 180', 'artifacts of passed runs: 30'],
  ['one that left no artifacts', run('pass', 181, { artifactsSize: null }), 'logs: 180', null],
  ['one that left no log', run('pass', 181, { logSize: null }), null, 'artifacts of passed runs: 30'],
  ['an old one that is kept', run('pass', 9_999, { isKept: true }), null, null],
])('for its age %s loses what the rules say', (_, aged, logRule, artifactsRule) => {
  expect(lossByAge(aged, RULES, NOW)).toEqual({ logRule, artifactsRule });
});

const runs = fc.array(
  fc.record({
    verdict: fc.constantFrom(...VERDICTS),
    finishedAt: fc.integer({ min: 0, max: 500 }).map((days) => daysBefore(NOW, days)),
    logSize: fc.option(fc.integer({ min: 0, max: 100 })),
    artifactsSize: fc.option(fc.integer({ min: 0, max: 100 })),
    isKept: fc.boolean(),
  }),
  { maxLength: 40 },
);

it('nothing that is kept is ever lost, whatever its age and however much its package has', () => {
  const content = fc.constantFrom('artifacts' as const, 'logs' as const);
  fc.assert(
    fc.property(runs, content, fc.integer({ min: -10, max: 5_000 }), (aged, kind, excess) => {
      for (const each of aged.filter(({ isKept }) => isKept))
        expect(lossByAge(each, RULES, NOW)).toEqual({ logRule: null, artifactsRule: null });
      expect(lossBySize(aged, kind, excess).runs.filter(({ isKept }) => isKept)).toEqual([]);
    }),
    { examples: [[[run('fail', 400, { isKept: true })], 'logs', 5_000]] },
  );
});

it('what a run has lost at some time it has lost later too, and nothing before the first time that is asked for', () => {
  fc.assert(
    fc.property(runs, fc.integer({ min: 0, max: 400 }), (aged, days) => {
      for (const each of aged) {
        const [now, later] = [lossByAge(each, RULES, NOW), lossByAge(each, RULES, daysBefore(NOW, -days))];
        if (now.logRule !== null) expect(later.logRule).toBe(now.logRule);
        if (now.artifactsRule !== null) expect(later.artifactsRule).toBe(now.artifactsRule);
        if (now.logRule !== null) expect(each.finishedAt < dueBefore('logs', RULES, NOW)).toBe(true);
        if (now.artifactsRule !== null)
          expect(each.finishedAt < dueBefore('artifacts', RULES, NOW)).toBe(true);
      }
    }),
    { examples: [[[run('pass', 181)], 1]] },
  );
});

it('a package that has too much loses its oldest files, and no more than it must', () => {
  fc.assert(
    fc.property(runs, fc.integer({ min: -10, max: 3_000 }), (aged, excess) => {
      const loss = lossBySize(aged, 'logs', excess);
      const possible = aged.filter(({ isKept, logSize }) => !isKept && logSize !== null);
      expect(loss.runs).toEqual(possible.slice(0, loss.runs.length));
      expect(loss.bytes).toBe(loss.runs.reduce((sum, { logSize }) => sum + logSize!, 0));
      const last = loss.runs.at(-1);
      if (last) expect(loss.bytes - last.logSize!).toBeLessThan(excess);
      if (loss.bytes < excess) expect(loss.runs).toHaveLength(possible.length);
    }),
    { examples: [[[run('pass', 3), run('fail', 2), run('pass', 1)], 1_500]] },
  );
});

it.each([
  ['hello', 200 * MIB],
  ['linux', 5],
  ['linux-base', 200 * MIB],
  ['gcc-14', 7],
])('the files of %s may have %d bytes', (name, bytes) => {
  expect(bytesMaxOf(name, RULES)).toBe(bytes);
});

it.each([
  [50, 5, 950],
  [50, 100, 0],
  [200, 50, 200],
])(
  'after %d ms of work that may have %d percent of the time follow %d ms of rest',
  (worked, percent, rest) => {
    expect(restMs(worked, percent)).toBe(rest);
  },
);
