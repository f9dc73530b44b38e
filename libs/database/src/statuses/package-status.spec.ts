import type { PackageVerdict } from '@proctor/contracts';
import { durationsOf, encodedStrip, flakinessOf, type SayingRun, stripEntries } from './package-status';

const run = (verdict: PackageVerdict, version = '1', durationSeconds: number | null = 10): SayingRun => {
  return { verdict, version, durationSeconds };
};
const runs = (letters: string, version = '1'): SayingRun[] =>
  [...letters].map((letter) => run(letter === 'f' ? 'fail' : letter === 'n' ? 'neutral' : 'pass', version));

describe('the strip of a package', () => {
  it('the strip has verdict, new version and pins of the last 30 runs', () => {
    const cells = stripEntries(
      encodedStrip([
        { verdict: 'pass', version: '1', isPinned: false },
        { verdict: 'tmpfail', version: 'n/a', isPinned: false },
        { verdict: 'fail', version: '1', isPinned: true },
        { verdict: 'neutral', version: '2', isPinned: true },
      ]),
    );
    expect(cells).toEqual([
      { verdict: 'pass', isNewVersion: false, isPinned: false },
      { verdict: 'tmpfail', isNewVersion: false, isPinned: false },
      { verdict: 'fail', isNewVersion: false, isPinned: true },
      { verdict: 'neutral', isNewVersion: true, isPinned: true },
    ]);
    const many = Array.from({ length: 31 }, (_, place) => {
      return { verdict: 'pass' as const, version: String(Math.min(place, 1)), isPinned: false };
    });
    expect(stripEntries(encodedStrip(many))).toHaveLength(30);
    expect(stripEntries(encodedStrip(many))[0]).toMatchObject({ isNewVersion: true });
  });
});

describe('flakiness', () => {
  it.each([
    ['a package that always passes', runs('p'.repeat(60)), 0, false],
    ['a package that began to fail', runs('p'.repeat(40) + 'f'.repeat(20)), 1 / 30, false],
    ['a package that changes all the time', runs('pf'.repeat(30)), 29 / 30, true],
    ['a package with too few changes', runs('pfpfpf'), 5 / 30, false],
    ['a package with just enough changes', runs('pfpfpfp'), 6 / 30, true],
    ['a package with nothing to test at times', runs('pn'.repeat(20)), 0, false],
  ])('%s is flaky only when it changes often enough', (_, runs, flakiness, isFlaky) => {
    expect(flakinessOf(runs)).toEqual({ flakiness, isFlaky });
  });

  it('changes with a new version do not count', () => {
    const runs = Array.from({ length: 30 }, (_, place) => run(place % 2 ? 'fail' : 'pass', String(place)));
    expect(flakinessOf(runs)).toEqual({ flakiness: 0, isFlaky: false });
  });

  it('a flaky package stays flaky until there are hardly any changes left', () => {
    const flaky = 'pf'.repeat(4);
    expect(flakinessOf(runs(flaky + 'p'.repeat(26)))).toEqual({ flakiness: 4 / 30, isFlaky: true });
    expect(flakinessOf(runs(flaky + 'p'.repeat(29)))).toEqual({ flakiness: 1 / 30, isFlaky: false });
  });
});

describe('durations', () => {
  const lasting = (...seconds: (number | null)[]) => seconds.map((each) => run('pass', '1', each));

  it('durations are given as median and 95th percentile of the runs that have one', () => {
    expect(durationsOf(lasting(null, 30, 10, 20))).toEqual({
      medianSeconds: 20,
      p95Seconds: 30,
      isLonger: false,
    });
    expect(durationsOf([])).toEqual({ medianSeconds: null, p95Seconds: null, isLonger: false });
  });

  it('a package takes longer when its last five runs did, and enough is known of before', () => {
    const before = Array<number>(20).fill(100);
    expect(durationsOf(lasting(...before, 160, 160, 160, 90, 90)).isLonger).toBe(true);
    expect(durationsOf(lasting(...before, 150, 150, 150, 150, 150)).isLonger).toBe(false);
    expect(durationsOf(lasting(10, 10, 10, 10, 99, 99, 99, 99, 99)).isLonger).toBe(false);
  });
});
