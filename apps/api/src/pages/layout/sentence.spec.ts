import { badgeWords, packageSentence, underWaySentence } from './sentence';
import type { PlaceState } from './sentence';

const place = (change: Partial<PlaceState> = {}): PlaceState => ({
  suite: 'unstable',
  arch: 'arm64',
  status: 'pass',
  failingSince: null,
  isFlaky: false,
  ...change,
});
const since = (version: string, day: string) => ({ version, date: new Date(`${day}T10:00:00Z`) });
const none = { waiting: 0, running: 0, doneInMs: 0 };

it.each<[PlaceState[], string, string]>([
  [[], 'No public run of this package has finished here yet.', 'not tested'],
  [[place()], 'Passes on unstable/arm64.', 'pass'],
  [[place(), place({ suite: 'testing' })], 'Passes on all 2.', 'pass'],
  [
    [place({ status: 'fail', failingSince: since('2.10-3', '2026-11-19') }), place({ arch: 'amd64' })],
    'Fails on 1 of 2 since 2.10-3 (2026-11-19): unstable/arm64.',
    'fail on 1 of 2',
  ],
  [
    [
      place({ status: 'fail', failingSince: since('3-1', '2026-11-20') }),
      place({ suite: 'testing', status: 'fail', failingSince: since('2-1', '2026-11-01') }),
    ],
    'Fails on 2 of 2: since 3-1 (2026-11-20) on unstable/arm64; since 2-1 (2026-11-01) on testing/arm64.',
    'fail on 2 of 2',
  ],
  [
    [
      place({ status: 'fail', failingSince: since('3-1', '2026-11-20') }),
      place({ arch: 'amd64', status: 'fail', failingSince: since('3-1', '2026-11-19') }),
    ],
    'Fails on 2 of 2 since 3-1 (2026-11-19): unstable/arm64, unstable/amd64.',
    'fail on 2 of 2',
  ],
  [
    [
      place({ status: 'fail' }),
      ...['1', '2', '3'].map((version) =>
        place({ suite: version, status: 'fail', failingSince: since(version, `2026-11-0${version}`) }),
      ),
    ],
    'Fails on 4 of 4: since 3 (2026-11-03) on 3/arm64; since 2 (2026-11-02) on 2/arm64; since 1 (2026-11-01) on 1/arm64; and on 1 more.',
    'fail on 4 of 4',
  ],
  [[place({ status: 'fail' })], 'Fails: unstable/arm64.', 'fail'],
  [[place({ status: 'tmpfail' })], 'Could not be tested on unstable/arm64.', 'tmpfail'],
  [
    [place({ status: 'tmpfail' }), place({ arch: 'amd64', isFlaky: true })],
    'Passes on 1 of 2. Could not be tested on unstable/arm64. Flaky on unstable/amd64.',
    'tmpfail on 1 of 2',
  ],
])(
  'the state of a package is said in a sentence and in the words of a badge (%#)',
  (places, sentence, words) => {
    expect(packageSentence(places, none)).toBe(sentence);
    expect(badgeWords(places).words).toBe(words);
  },
);

it('a sentence names four places and counts the others', () => {
  const places = ['a', 'b', 'c', 'd', 'e', 'f'].map((arch) => place({ arch, status: 'fail' }));
  expect(packageSentence(places, none)).toBe(
    'Fails on 6 of 6: unstable/a, unstable/b, unstable/c, unstable/d and 2 more.',
  );
});

it.each([
  [0, 0, ''],
  [1, 0, '1 run is waiting.'],
  [3, 0, '3 runs are waiting.'],
  [0, 1, '1 run is running.'],
  [3, 2, '3 runs are waiting, 2 are running.'],
])('of %d waiting and %d running runs is said “%s”', (waiting, running, words) => {
  expect(underWaySentence({ waiting, running })).toBe(words);
});

it.each([
  [{ waiting: 3, running: 0, doneInMs: 1_200_000 }, '3 runs are waiting, done in about\u00a020\u00a0min.'],
  [
    { waiting: 3, running: 2, doneInMs: 10_000 },
    '3 runs are waiting, 2 are running, done in about\u00a01\u00a0min.',
  ],
  [{ waiting: 3, running: 0, doneInMs: null }, '3 runs are waiting.'],
  [{ waiting: 0, running: 1, doneInMs: 0 }, '1 run is running.'],
])('with %j under way, a package says when that is done, as far as it is known', (underWay, words) => {
  expect(packageSentence([place()], underWay)).toBe(`Passes on unstable/arm64. ${words}`);
});
