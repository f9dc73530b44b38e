import { finishedRunRecord } from '@test/support/run-record';
import type { FailingPlace } from './failure-view';
import { packageView } from './package-view';
import type { PackageDetails, PackageData } from './package-view';

const targets = {
  suites: ['bookworm', 'trixie'],
  architectures: ['amd64', 'arm64'],
  neutral: 'pass' as const,
  packageLinks: [],
};

const nothing: PackageData = { name: 'hello', latest: [], statuses: [], unfinished: [], absent: [] };
const nothingMore: PackageDetails = { failures: [], doneInMs: null, missing: [] };

const failure = (change: Partial<FailingPlace>): FailingPlace => ({
  run: finishedRunRecord({ verdict: 'fail' }),
  status: undefined,
  changedPackages: null,
  error: null,
  notes: [],
  mayBeRetried: true,
  ...change,
});

it('the page of a package has a cell for each suite and architecture, tested or not', () => {
  const latest = finishedRunRecord({ package: 'libfoo', suite: 'trixie' });
  const { rows, ...view } = packageView(
    { ...nothing, name: 'libfoo', latest: [latest] },
    nothingMore,
    targets,
  );
  expect(view).toMatchObject({ prefix: 'libf', feedUrl: '/data/feeds/libf/libfoo.xml' });
  expect(rows).toMatchObject([
    { name: 'bookworm', cells: [{ run: null }, { run: null }] },
    { name: 'trixie', cells: [{ run: { status: 'pass', version: '2.10-3' } }, { run: null }] },
  ]);
  expect(rows[1]?.cells[0]?.url).toBe('/packages/libf/libfoo/trixie/amd64/');
});

it('the page of a package keeps what is no longer tested', () => {
  const latest = finishedRunRecord({ suite: 'sid', arch: 'riscv64' });
  const { rows, columns } = packageView({ ...nothing, latest: [latest] }, nothingMore, targets);
  expect(columns.map(({ arch }) => arch)).toEqual(['amd64', 'arm64', 'riscv64']);
  expect(rows.map((row) => row.name)).toEqual(['bookworm', 'trixie', 'sid']);
});

it('the page of a package names the places where it fails that have no card', () => {
  const latest = ['amd64', 'arm64'].map((arch) =>
    finishedRunRecord({ suite: 'trixie', arch, verdict: 'fail' }),
  );
  const { moreFailing, sentence } = packageView(
    { ...nothing, latest },
    { ...nothingMore, failures: [failure({ run: latest[0]! })] },
    targets,
  );
  expect(sentence).toBe('Fails on 2 of 2: trixie/amd64, trixie/arm64.');
  expect(moreFailing).toEqual([{ place: 'trixie/arm64', url: '/packages/h/hello/trixie/arm64/' }]);
});

it('the page of a package that no suite has says what its runs have found, and nothing of runs that said something else', () => {
  const message = 'trixie has no source package helo';
  const absent = ['amd64', 'arm64'].map((arch) => finishedRunRecord({ arch, verdict: 'absent', message }));
  const { sentence } = packageView({ ...nothing, name: 'helo', absent }, nothingMore, targets);
  expect(sentence).toBe('Nothing was tested here: trixie has no source package helo.');
  const cancelled = finishedRunRecord({ verdict: 'tmpfail', message: 'cancelled by ada' });
  expect(packageView({ ...nothing, absent: [cancelled] }, nothingMore, targets).sentence).toBe(
    'No public run of this package has finished here yet.',
  );
});
