import { finishedRunRecord } from '../../../../../test/support/run-record';
import { packageView } from './package-view';
import type { PackageKnown } from './package-view';

const targets = {
  suites: ['bookworm', 'trixie'],
  architectures: ['amd64', 'arm64'],
  neutral: 'pass' as const,
};

const nothing: PackageKnown = { name: 'hello', latest: [], kept: [], unfinished: [] };

it('the page of a package has a cell for each suite and architecture, tested or not', () => {
  const latest = finishedRunRecord({ package: 'libfoo', suite: 'trixie' });
  const { rows, ...view } = packageView({ ...nothing, name: 'libfoo', latest: [latest] }, targets);
  expect(view).toMatchObject({ prefix: 'libf', feedUrl: '/data/feeds/libf/libfoo.xml' });
  expect(rows).toMatchObject([
    { suite: 'bookworm', cells: [{ run: null }, { run: null }] },
    { suite: 'trixie', cells: [{ run: { status: 'pass', version: '2.10-3' } }, { run: null }] },
  ]);
  expect(rows[1]?.cells[0]?.url).toBe('/packages/libf/libfoo/trixie/amd64/');
});

it('the page of a package keeps what is not tested any more', () => {
  const latest = finishedRunRecord({ suite: 'sid', arch: 'riscv64' });
  const { rows, architectures } = packageView({ ...nothing, latest: [latest] }, targets);
  expect(architectures).toEqual(['amd64', 'arm64', 'riscv64']);
  expect(rows.map((row) => row.suite)).toEqual(['bookworm', 'trixie', 'sid']);
});

it('where a package fails, a card leads to its first failure, its last pass and what changed between them', () => {
  const latest = finishedRunRecord({ runId: 12, verdict: 'fail', message: 'unit failed' });
  const at = (runId: number, version: string, day: string) => ({
    runId,
    version,
    date: new Date(`${day}T10:00:00Z`),
  });
  const kept = {
    suite: latest.suite,
    arch: latest.arch,
    lastPass: at(8, '2.10-2', '2026-11-18'),
    failingSince: { ...at(9, '2.10-3', '2026-11-19'), trigger: 'glibc/2.40-4' },
    recovered: null,
    package: 'hello',
    latest: { ...at(12, '2.10-3', '2026-11-20'), verdict: 'fail' as const },
    previousVerdict: null,
    strip: [],
    flakiness: 0,
    isFlaky: false,
    durations: null,
    isLonger: false,
  };
  const { failures, sentence } = packageView({ ...nothing, latest: [latest], kept: [kept] }, targets);
  const place = `${latest.suite}/${latest.arch}`;
  expect(sentence).toBe(`Fails since 2.10-3 (2026-11-19): ${place}.`);
  expect(failures).toEqual([
    {
      place,
      historyUrl: `/packages/h/hello/${place}/`,
      message: 'unit failed',
      latestUrl: `/packages/h/hello/${place}/12/`,
      latestId: '12',
      first: {
        words: '2.10-3 (2026-11-19)',
        url: `/packages/h/hello/${place}/9/`,
        runId: '9',
        trigger: 'glibc/2.40-4',
      },
      lastPass: { words: '2.10-2 (2026-11-18)', url: `/packages/h/hello/${place}/8/`, runId: '8' },
    },
  ]);
});

it('a failure of which nothing else is known yet has a card too', () => {
  const latest = finishedRunRecord({ verdict: 'fail' });
  const { failures } = packageView({ ...nothing, latest: [latest] }, targets);
  expect(failures).toMatchObject([{ first: null, lastPass: null }]);
});
