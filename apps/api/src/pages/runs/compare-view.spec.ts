import type { Comparison } from '../../runs/comparison';
import { runRecord } from '@test/support/run-record';
import { compareView } from './compare-view';

it('packages that changed together are shown with each suite that they came from, as far as it is known', () => {
  const comparison: Comparison = {
    a: runRecord({ runId: 1 }),
    b: runRecord({ runId: 2 }),
    settings: [],
    packages: {
      changed: [
        { names: ['libc-bin', 'libc6', 'locales'], source: 'glibc', a: '1', b: '2', nearness: 'named' },
        { names: ['perl'], source: null, a: null, b: '5', nearness: 'tests' },
      ],
      same: [],
      suites: {
        a: new Map(),
        b: new Map([
          ['libc6', 'sid'],
          ['libc-bin', 'sid'],
          ['locales', 'experimental'],
        ]),
      },
    },
    withoutList: [],
  };
  const groups = compareView(comparison, 'neutral').packages!.parts.flatMap((part) => part.groups);
  expect(groups.map(({ suites }) => suites)).toEqual([
    { a: '', b: 'sid, experimental' },
    { a: '', b: '' },
  ]);
});

it('a comparison names what the runs have tested, and leads back as far as that is the same', () => {
  const [a, b] = [runRecord({ runId: 1 }), runRecord({ runId: 2 })];
  const viewOf = (changes: Partial<Comparison>) => {
    const comparison = { a, b, settings: [], packages: null, withoutList: [], ...changes };
    const { heading, trail } = compareView(comparison, 'neutral');
    return { heading, trail: trail.map(([url]) => url) };
  };
  const place = `${a.package} on ${a.suite}/${a.arch}`;
  const packageUrl = `/packages/${a.package[0]}/${a.package}/`;
  expect(viewOf({})).toEqual({
    heading: place,
    trail: ['/packages/', packageUrl, `${packageUrl}${a.suite}/${a.arch}/`],
  });
  expect(viewOf({ b: runRecord({ runId: 2, arch: 'riscv64' }) })).toEqual({
    heading: `${place}, and ${a.package} on ${a.suite}/riscv64`,
    trail: ['/packages/', packageUrl],
  });
  expect(viewOf({ b: runRecord({ runId: 2, package: 'other' }) }).trail).toEqual(['/packages/']);
});
