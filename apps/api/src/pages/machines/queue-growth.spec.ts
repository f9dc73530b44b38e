import type { ArchitectureHour } from '@proctor/database';
import { growthOf } from './queue-growth';

const NOW = new Date('2026-11-20T15:30:00Z');
const hourAgo = (hours: number): Date => new Date(Date.UTC(2026, 10, 20, 15 - hours));

const figure = (hours: number, change: Partial<ArchitectureHour> = {}): ArchitectureHour => ({
  hour: hourAgo(hours),
  arch: 'amd64',
  arrived: 10,
  pass: 8,
  neutral: 0,
  fail: 2,
  tmpfail: 0,
  busySeconds: 4 * 3_600,
  waiting: 20,
  oldestSeconds: 60,
  slots: 4,
  ...change,
});

/** 24 usual hours, and then these figures of the present hour and the five before. */
function day(recent: Partial<ArchitectureHour>, before: Partial<ArchitectureHour> = {}): ArchitectureHour[] {
  return Array.from({ length: 30 }, (_, index) => figure(29 - index, index < 24 ? before : recent));
}

/** @param waiting runs of many users that wait now */
const why = (
  waiting: number,
  hours: ArchitectureHour[],
  change: { share?: object; isWhole?: boolean } = {},
): string => {
  const share = waiting === 0 ? null : { user: 'ada', count: 1, of: waiting };
  const growth = growthOf({ hours, share, isWhole: true, now: NOW, ...change } as never);
  return growth === null ? '' : [growth.change, ...growth.reasons].join(' ').trim();
};

it('nothing is said of a queue without waiting runs, nor of one without figures', () => {
  expect(why(0, day({}))).toBe('');
  expect(why(5, [])).toBe('');
});

it('a queue that is as long as before says what arrived and ended, without reasons', () => {
  expect(why(22, day({ slots: 2 }))).toBe(
    'About as many runs are waiting as at 10:00 UTC. Since then 60 arrived, 60 ended.',
  );
});

it('a queue that shrinks is said to', () => {
  expect(why(5, day({ pass: 10 }))).toBe(
    '15 fewer runs are waiting than at 10:00 UTC. Since then 60 arrived, 72 ended.',
  );
});

it.each<[string, Partial<ArchitectureHour>, string]>([
  [
    'more runs arrive',
    { arrived: 40, waiting: 185 },
    '165 more runs are waiting than at 10:00 UTC. Since then more runs arrived than ended: 240 arrived, 60 ended. More runs arrive than usual: 44 an hour instead of 10.',
  ],
  [
    'fewer runs end',
    { pass: 2, waiting: 80 },
    '60 more runs are waiting than at 10:00 UTC. Since then more runs arrived than ended: 60 arrived, 24 ended. Fewer runs end than usual: 4.4 an hour instead of 10.',
  ],
  [
    'slots are lost',
    { slots: 1, waiting: 80 },
    '60 more runs are waiting than at 10:00 UTC. Since then 60 arrived, 60 ended. amd64 has 1 slot instead of 4.',
  ],
  [
    'slots are idle',
    { busySeconds: 3_000, waiting: 80 },
    '60 more runs are waiting than at 10:00 UTC. Since then 60 arrived, 60 ended. Busy slots on average: 0.9 of 4 on amd64.',
  ],
  [
    'tests cannot be executed',
    { tmpfail: 6, fail: 0, pass: 4, waiting: 80 },
    '60 more runs are waiting than at 10:00 UTC. Since then 60 arrived, 60 ended. 36 of the 60 runs that ended could not be tested.',
  ],
])('a queue that grows says why: %s', (_reason, recent, sentences) => {
  expect(why(recent.waiting!, day(recent))).toBe(sentences);
});

it('an architecture without slots is named with what waits for it', () => {
  const riscv64 = day({ slots: 0, waiting: 310 }, { slots: 0 }).map((hour) => ({ ...hour, arch: 'riscv64' }));
  expect(why(330, [...day({}), ...riscv64])).toContain('riscv64 has no slots: 310 runs wait for it.');
  const without = day({ slots: 0, waiting: 1 }).map((hour) => ({ ...hour, arch: 'riscv64' }));
  expect(why(330, [...day({}), ...without])).toMatch(/ended\. riscv64 has no slots: 1 run waits for it\.$/);
  const empty = day({ slots: 0, waiting: 0 }).map((hour) => ({ ...hour, arch: 'riscv64' }));
  expect(why(330, [...day({}), ...empty])).not.toContain('riscv64');
});

it('architectures that have lost as many slots share a sentence, and those with idle slots do', () => {
  const recent = { slots: 2, busySeconds: 1_200 };
  const ofThree = ['amd64', 'arm64', 'armhf'].flatMap((arch) =>
    day(recent).map((hour) => ({ ...hour, arch, slots: arch === 'armhf' ? hour.slots! - 1 : hour.slots })),
  );
  const sentences = why(330, ofThree);
  expect(sentences).toContain('amd64 and arm64 have 2 slots instead of 4. armhf has 1 slot instead of 3.');
  expect(sentences).toContain(
    'Busy slots on average: 0.4 of 2 on amd64, 0.4 of 2 on arm64, 0.4 of 1 on armhf.',
  );
});

it('idle slots are not seen in a part of the suites', () => {
  expect(why(80, day({ busySeconds: 0 }), { isWhole: false })).not.toMatch(/busy/i);
});

it('the figures of the architectures are added up, but not their slots', () => {
  const arm64 = day({ slots: 2 }).map((hour) => ({ ...hour, arch: 'arm64' }));
  const both = [...day({}), ...arm64];
  expect(why(60, both)).toContain(
    '20 more runs are waiting than at 10:00 UTC. Since then 120 arrived, 120 ended.',
  );
  expect(why(60, both)).toContain('arm64 has 2 slots instead of 4.');
});

it('nothing is called usual after a few hours, and nothing compared without the hour before', () => {
  const recent = day({ arrived: 40, waiting: 185, busySeconds: 20_000 }).slice(24);
  expect(why(185, [figure(6), ...recent])).not.toContain('usual');
  expect(why(185, recent)).toBe('Since 10:00 UTC more runs arrived than ended: 240 arrived, 60 ended.');
});

it('a user with most of the waiting runs is named', () => {
  const share = (count: number, of: number) => why(of, day({}), { share: { user: 'mara', count, of } });
  expect(share(140, 160)).toContain('mara requested 140 of the 160 waiting runs.');
  expect(share(1_200, 1_200)).toContain('mara requested all 1,200 waiting runs.');
  expect(share(70, 160)).not.toContain('mara');
  expect(share(9, 9)).not.toContain('mara');
});
