import { apiConfiguration } from '@test/support/api-configuration';
import { refusalOf } from '@test/support/refusal';
import { jsonParameters, textParameters } from '../http/parameters';
import { accept } from './accept';
import type { Submission } from './accept';
import { placeOf } from './place';
import { BatchPipe } from './submission.pipes';
import { atOnce } from '../http/slices';

const configuration = apiConfiguration({ itemsPerRequestMax: 20 });
const pipe = new BatchPipe(configuration);

function submit(tests: unknown, more: object = {}): Submission {
  return atOnce(accept(atOnce(pipe.steps(jsonParameters({ tests, ...more }))), 'bob', configuration));
}

describe('batches', () => {
  it('a batch runs each item of a part on each of its architectures, in order', () => {
    const { runs, ignored, warnings } = submit(
      [
        {
          suite: 'bookworm',
          arch: ['amd64', 'arm64'],
          tests: [{ package: 'hello' }, { package: 'glibc', priority: 9 }],
        },
        { suite: 'trixie', arch: 'arm64', tests: [{ package: 'dash' }] },
        { suite: 'trixie', arch: 'arm64', tests: [] },
      ],
      { priority: 3 },
    );
    expect(runs.map((run) => [run.package, run.suite, run.arch, run.priority])).toEqual([
      ['hello', 'bookworm', 'amd64', 3],
      ['glibc', 'bookworm', 'amd64', 9],
      ['hello', 'bookworm', 'arm64', 3],
      ['glibc', 'bookworm', 'arm64', 9],
      ['dash', 'trixie', 'arm64', 3],
    ]);
    expect([ignored, warnings]).toEqual([[], []]);
  });

  it('a batch says of what is ignored where it was', () => {
    const { runs, ignored } = submit([
      { suite: 'trixie', arch: 'amd64', tests: [{ package: 'hello' }] },
      { suite: 'bookworm', arch: ['amd64', 'arm64'], tests: [{ package: 'Bad' }, { package: 'not-on-arm' }] },
    ]);
    expect(runs.map((run) => [run.package, run.arch])).toEqual([
      ['hello', 'amd64'],
      ['not-on-arm', 'amd64'],
    ]);
    expect(ignored).toEqual([
      { request: 1, index: 0, package: 'Bad', arch: 'amd64', reason: 'invalid-name' },
      { request: 1, index: 0, package: 'Bad', arch: 'arm64', reason: 'invalid-name' },
      { request: 1, index: 1, package: 'not-on-arm', arch: 'arm64', reason: 'reject-list' },
    ]);
  });

  it('a batch warns of unknown keys in parts and items', () => {
    const part = { suite: 'trixie', arch: 'amd64', prio: 1, tests: [{ package: 'hello', prio: 1 }] };
    expect(submit([part], { x: 1 }).warnings).toEqual([
      'The parameter "x" is unknown and was ignored.',
      'The key "prio" in tests[0] is unknown and was ignored.',
      'The key "prio" in tests[0].tests[0] is unknown and was ignored.',
    ]);
  });

  it('a batch may be empty', () => {
    expect(submit([])).toEqual({ runs: [], ignored: [], warnings: [] });
  });

  const good = { suite: 'trixie', arch: ['amd64'], tests: [{ package: 'hello' }] };

  it.each<[string, unknown, string, RegExp]>([
    ['no part', 5, '#/tests/1', /^tests\[1\] must be an object, not 5/],
    ['a list', [], '#/tests/1', /not an array/],
    [
      'no suite',
      { ...good, suite: undefined },
      '#/tests/1/suite',
      /tests\[1\]\.suite must be a string, and is missing/,
    ],
    ['a number as suite', { ...good, suite: 5 }, '#/tests/1/suite', /not 5/],
    ['an unknown suite', { ...good, suite: 'sid' }, '#/tests/1/suite', /tests\[1\]\.suite "sid" is unknown/],
    ['no arch', { suite: 'trixie', tests: [] }, '#/tests/1/arch', /is missing/],
    ['an empty arch', { ...good, arch: [] }, '#/tests/1/arch', /an architecture or an array/],
    ['an arch twice', { ...good, arch: ['amd64', 'amd64'] }, '#/tests/1/arch', /each architecture once/],
    ['a number as arch', { ...good, arch: [5] }, '#/tests/1/arch', /an architecture or an array/],
    ['an unknown arch', { ...good, arch: ['amd64', 'm68k'] }, '#/tests/1/arch', /"m68k" is unknown/],
    ['no tests', { suite: 'trixie', arch: 'amd64' }, '#/tests/1/tests', /is missing/],
    ['an object as tests', { ...good, tests: {} }, '#/tests/1/tests', /not an object/],
    [
      'a bad item',
      { ...good, tests: [{ package: 5 }] },
      '#/tests/1/tests/0/package',
      /tests\[1\]\.tests\[0\]\.package/,
    ],
    [
      'an item that is none',
      { ...good, tests: [null] },
      '#/tests/1/tests/0',
      /tests\[1\]\.tests\[0\] must be an object/,
    ],
  ])('a batch is refused whole for %s', (_what, part, pointer, detail) => {
    const problem = refusalOf(() => submit([good, part]));
    expect(problem.status).toBe(400);
    expect(problem.detail).toMatch(detail);
    expect(problem.errors[0]?.pointer).toBe(pointer);
  });

  it('a batch is read as text too, and as a list alone', () => {
    const text = textParameters([['tests', JSON.stringify([good])]], (name) => `#/${name}`);
    expect(atOnce(pipe.steps(text)).parts).toMatchObject([{ suite: 'trixie', archs: ['amd64'], request: 0 }]);
    const [part] = atOnce(pipe.steps(jsonParameters([good]))).parts;
    expect(placeOf(part!.origin, 2, 'trigger')).toEqual({
      label: 'tests[0].tests[2].trigger',
      pointer: '#/0/tests/2/trigger',
    });
  });

  it('a batch may ask for as many runs as one list', () => {
    const part = {
      ...good,
      arch: ['amd64', 'arm64'],
      tests: Array.from({ length: 10 }, () => ({ package: 'hello' })),
    };
    expect(submit([part]).runs).toHaveLength(20);
    expect(refusalOf(() => submit([part, good])).status).toBe(413);
    expect(refusalOf(() => submit(Array.from({ length: 21 }, () => ({ ...good, tests: [] })))).status).toBe(
      413,
    );
  });

  it('the refusal of a batch names the first faults', () => {
    expect(refusalOf(() => submit(Array.from({ length: 20 }, () => 5))).errors).toHaveLength(20);
  });
});

it('a package gets its own backend when the item names none', () => {
  const parts = atOnce(
    pipe.steps(
      jsonParameters([
        {
          suite: 'trixie',
          arch: 'amd64',
          tests: [{ package: 'linux' }, { package: 'linux', backend: 'unshare' }],
        },
      ]),
    ),
  );
  const { runs } = atOnce(accept(parts, 'bob', configuration, new Map([['linux', 'qemu']])));
  expect(runs.map((run) => run.backend)).toEqual(['qemu', 'unshare']);
});
