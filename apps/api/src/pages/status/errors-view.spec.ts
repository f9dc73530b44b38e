import type { SignatureDetailsResource } from '@proctor/resources';
import { errorView } from './errors-view';

const error = (change: Partial<SignatureDetailsResource> = {}): SignatureDetailsResource => ({
  signature: '0123456789abcdef',
  count: 41,
  is_more: false,
  packages: 7,
  places: 3,
  first_at: '2026-11-20T15:40:51.123Z',
  first_run_id: 7,
  first_trigger: 'glibc/2.40-4',
  last_at: '2026-11-21T15:40:51.123Z',
  last_run_id: 9,
  last_package: 'libfoo',
  excerpt: { first_line: 10, error_line: 11, lines: ['before', ' E: no space left', 'after'] },
  page_url: '/status/errors/0123456789abcdef',
  by_package: [{ package: 'libfoo', count: 30, last_at: '2026-11-21T15:40:51.123Z' }],
  by_place: [{ suite: 'sid', arch: 'amd64', count: 41, last_at: '2026-11-21T15:40:51.123Z' }],
  ...change,
});
const newest = { before: null, older: null };

it.each([
  [{}, 'Seen 41 times in 7 packages on 3 suites and architectures, first on 2026-11-20 with glibc/2.40-4.'],
  [
    { count: 1, packages: 1, places: 1, first_trigger: null },
    'Seen once in 1 package on 1 suite and architecture, first on 2026-11-20.',
  ],
  [
    { count: 1_000, is_more: true },
    'Seen more than 1000 times in 7 packages on 3 suites and architectures, first on 2026-11-20 with glibc/2.40-4.',
  ],
])('the sentence of an error with %j is: %s', (change, sentence) => {
  expect(errorView(error(change), [], newest).sentence).toBe(sentence);
});

it('an error is called by the line that has it, and by its signature when its lines are empty', () => {
  expect(errorView(error(), [], newest).title).toBe('E: no space left');
  const excerpt = { first_line: 1, error_line: 1, lines: [] };
  expect(errorView(error({ excerpt }), [], newest).title).toBe('Error 0123456789abcdef');
});

it('the page of an error leads to its packages and to older runs', () => {
  const view = errorView(error(), [], { before: 9, older: 5 });
  expect(view.packages[0]).toMatchObject({ url: '/packages/libf/libfoo/', count: 30 });
  expect([view.packagesLeft, view.isNewest, view.olderUrl]).toEqual([
    6,
    false,
    '/status/errors/0123456789abcdef?before=5',
  ]);
});
