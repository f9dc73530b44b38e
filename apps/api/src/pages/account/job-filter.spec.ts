import type { ApiConfiguration } from '../../configuration.token';
import { apiConfiguration } from '@test/support/api-configuration';
import { refusalOf } from '@test/support/refusal';
import { isFiltered, JobFilterPipe, jobQuery, ownRunFilter } from './job-filter';

const configuration: ApiConfiguration = apiConfiguration();
const pipe = new JobFilterPipe(configuration);

it('a filter of one’s own runs keeps its fields in an address, and leaves out what is empty', () => {
  const filter = pipe.transform({
    package: 'hello',
    suite: '',
    readers: 'private',
    before: '12',
    tick: 'all',
  });
  expect(filter).toEqual({
    package: 'hello',
    suites: null,
    architectures: null,
    readers: 'private',
    before: 12,
    areAllTicked: true,
  });
  expect(jobQuery(filter)).toBe('package=hello&readers=private&before=12');
  expect([isFiltered(filter), isFiltered(pipe.transform({ before: '12' }))]).toEqual([true, false]);
});

it.each([
  ['private', true],
  ['public', false],
  [undefined, undefined],
])(
  'one’s own runs that are filtered by the readers %p are those whose mark of privacy is %p',
  (readers, isPrivate) => {
    expect(ownRunFilter(pipe.transform({ readers }), 'neutral').isPrivate).toBe(isPrivate);
  },
);

it.each([
  [{ readers: 'all' }, 400, 'readers must be one of public, private, not "all".'],
  [{ status: 'well' }, 400, /^status must be one of waiting, .*, not "well"\.$/],
  [{ trigger: ['a', 'b'] }, 400, 'trigger must be one text, not an array.'],
  [{ before: ['1', '2'] }, 400, 'before must be one run id, not an array.'],
  [{ before: 'x' }, 404, /./],
])('a filter of one’s own runs refuses %j', (query, status, detail) => {
  const error = refusalOf(() => pipe.transform(query));
  expect(error).toMatchObject({
    status,
    detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
  });
});
