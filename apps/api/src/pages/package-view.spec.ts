import { finishedRunRecord } from '../../../../test/support/run-record';
import { packageView } from './package-view';

const targets = {
  suites: ['bookworm', 'trixie'],
  architectures: ['amd64', 'arm64'],
  neutral: 'pass' as const,
};

it('the page of a package has a cell for each suite and architecture, tested or not', () => {
  const latest = finishedRunRecord({ package: 'libfoo', suite: 'trixie' });
  const { rows, ...view } = packageView('libfoo', [{ suite: 'trixie', arch: 'amd64', latest }], targets);
  expect(view).toMatchObject({ prefix: 'libf', isTested: true, feedUrl: '/data/feeds/libf/libfoo.xml' });
  expect(rows).toMatchObject([
    { suite: 'bookworm', cells: [{ run: null }, { run: null }] },
    { suite: 'trixie', cells: [{ run: { status: 'pass', version: '2.10-3' } }, { run: null }] },
  ]);
  expect(rows[1]?.cells[0]?.url).toBe('/packages/libf/libfoo/trixie/amd64/');
});

it('the page of a package keeps what is not tested any more', () => {
  const latest = finishedRunRecord({ suite: 'sid', arch: 'riscv64' });
  const { rows, architectures } = packageView('hello', [{ suite: 'sid', arch: 'riscv64', latest }], targets);
  expect(architectures).toEqual(['amd64', 'arm64', 'riscv64']);
  expect(rows.map((row) => row.suite)).toEqual(['bookworm', 'trixie', 'sid']);
});
