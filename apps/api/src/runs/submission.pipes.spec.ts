import { apiConfiguration } from '@test/support/api-configuration';
import { refusalOf } from '@test/support/refusal';
import { Problem } from '../http/problem';
import { jsonParameters, merge, textParameters } from '../http/parameters';
import type { Parameters } from '../http/parameters';
import { placeOf } from './place';
import { TestListPipe, TestOptionsPipe } from './submission.pipes';
import { itemOf } from './submitted-items';
import type { SubmittedItems } from './submitted-items';
import { atOnce } from '../http/slices';

const form = (fields: Record<string, string>): Parameters =>
  textParameters(Object.entries(fields), (name) => `#/${name}`);
const query = (fields: Record<string, string>): Parameters =>
  textParameters(Object.entries(fields), () => null);

function list(parameters: Parameters, itemsPerRequestMax = 10): SubmittedItems {
  return atOnce(new TestListPipe(apiConfiguration({ itemsPerRequestMax })).steps(parameters));
}

function single(parameters: Parameters): SubmittedItems {
  return itemOf('hello', atOnce(new TestOptionsPipe(apiConfiguration()).steps(parameters)));
}

const itemsOf = ({ items }: SubmittedItems): unknown[] => items.map(({ item }) => item);

describe('lists', () => {
  it('a list of tests is read from text and from JSON', () => {
    const tests = [{ package: 'hello' }];
    for (const parameters of [
      form({ tests: JSON.stringify(tests), priority: '7' }),
      query({ tests: JSON.stringify(tests), priority: '7' }),
      jsonParameters({ tests, priority: 7 }),
    ]) {
      expect(list(parameters)).toMatchObject({ items: [{ item: tests[0] }], priority: 7, warnings: [] });
    }
    expect(itemsOf(list(jsonParameters(tests)))).toEqual(tests);
  });

  it('a list of tests knows where an item is', () => {
    expect(placeOf(list(form({ tests: '[]' })).origin, 3, 'pin-packages')).toEqual({
      label: 'tests[3].pin-packages',
      pointer: '#/tests/3/pin-packages',
    });
    expect(placeOf(list(jsonParameters([])).origin, 3)).toEqual({ label: 'tests[3]', pointer: '#/3' });
    expect(placeOf(list(query({ tests: '[]' })).origin, 3)).toEqual({ label: 'tests[3]', pointer: null });
  });

  it('the body of a list of tests wins over the query, priority by priority', () => {
    const submission = list(merge(query({ priority: 'abc' }), form({ tests: '[]', priority: '3' })));
    expect(submission.priority).toBe(3);
  });

  it('unknown parameters of a list of tests are warned of', () => {
    expect(list(form({ tests: '[]', prio: '3' })).warnings).toEqual([
      'The parameter "prio" is unknown and was ignored.',
    ]);
  });

  it.each<[string, Parameters, RegExp]>([
    ['no tests', form({}), /tests is missing/],
    ['text that is no JSON', form({ tests: '[{' }), /tests is not valid JSON/],
    ['an empty text', form({ tests: '' }), /tests is not valid JSON/],
    ['an object', form({ tests: '{}' }), /tests must be an array, not an object/],
    ['a text in JSON', jsonParameters({ tests: '[]' }), /tests must be an array, not "\[\]"/],
    ['null', jsonParameters({ tests: null }), /not null/],
  ])('a list of tests is refused for %s', (_what, parameters, detail) => {
    expect(() => list(parameters)).toThrow(detail);
    expect(() => list(parameters)).toThrow(Problem);
  });

  it.each(['0', '11', '5abc', '5.7', '', ' 5', '+5', '-1', '1e1', 'ten', '５'])(
    'the priority %j of a list of tests is refused',
    (priority) => {
      expect(() => list(form({ tests: '[]', priority }))).toThrow(
        /^priority must be a whole number from 1 to 10, not /,
      );
    },
  );

  it.each([0, 11, 5.5, '5', true, [5], {}])(
    'the priority %j of a list of tests in JSON is refused',
    (priority) => {
      expect(() => list(jsonParameters({ tests: [], priority }))).toThrow(/^priority must be/);
    },
  );

  it('a list of too many items is answered with 413', () => {
    expect(refusalOf(() => list(jsonParameters([1, 2, 3]), 2)).status).toBe(413);
    expect(itemsOf(list(jsonParameters([1, 2]), 2))).toHaveLength(2);
  });
});

describe('single packages', () => {
  it('a request for a single package needs nothing but the name', () => {
    expect(itemsOf(single(new Map()))).toEqual([{ package: 'hello' }]);
  });

  it('a request for a single package is read from the words and JSON of a form', () => {
    const submission = single(
      form({
        is_private: 'true',
        extra_apt_sources: '["backports"]',
        'pin-packages': '[["a1","trixie"]]',
        priority: '10',
        trigger: '42',
        backend: 'qemu',
        autopkgtest: 'newest',
      }),
    );
    expect(itemsOf(submission)).toEqual([
      {
        package: 'hello',
        is_private: true,
        'extra-apt-sources': ['backports'],
        'pin-packages': [['a1', 'trixie']],
        priority: 10,
        trigger: '42',
        backend: 'qemu',
        autopkgtest: 'newest',
      },
    ]);
    expect(submission.warnings).toEqual([]);
  });

  it('a request for a single package has JSON values taken as they are', () => {
    const submission = single(jsonParameters({ is_private: false, extra_apt_sources: ['x'], priority: 3 }));
    expect(itemsOf(submission)).toEqual([
      { package: 'hello', is_private: false, 'extra-apt-sources': ['x'], priority: 3 },
    ]);
  });

  it('a parameter is named as the client spelled it', () => {
    const submission = single(form({ extra_apt_sources: '["x"]' }));
    expect(placeOf(submission.origin, 0, 'extra-apt-sources')).toEqual({
      label: 'extra_apt_sources',
      pointer: '#/extra_apt_sources',
    });
    expect(placeOf(single(query({ trigger: 'x' })).origin, 0, 'trigger')).toEqual({
      label: 'trigger',
      pointer: null,
    });
  });

  it.each(['True', '1', 'yes', '', 'TRUE'])(
    'the word %j for is_private is left to the rules of the item',
    (word) => {
      expect(itemsOf(single(form({ is_private: word })))).toEqual([{ package: 'hello', is_private: word }]);
    },
  );

  it.each<[string, Parameters, RegExp]>([
    [
      'sources that are no JSON',
      form({ extra_apt_sources: 'backports' }),
      /extra_apt_sources is not valid JSON/,
    ],
    ['empty sources', form({ extra_apt_sources: '' }), /extra_apt_sources is not valid JSON/],
    ['two spellings', form({ extra_apt_sources: '[]', 'extra-apt-sources': '[]' }), /given more than once/],
    ['a list of tests', form({ tests: '[]' }), /tests does not belong/],
    ['a JSON array', jsonParameters([]), /tests does not belong/],
    ['a bad priority', query({ priority: '5abc' }), /priority must be/],
  ])('a request for a single package is refused for %s', (_what, parameters, detail) => {
    expect(() => single(parameters)).toThrow(detail);
    expect(() => single(parameters)).toThrow(Problem);
  });

  it('the name of a member of a prototype is an ordinary parameter', () => {
    const submission = single(
      jsonParameters(JSON.parse('{"__proto__": {"priority": 1}, "package": "other"}')),
    );
    expect(itemsOf(submission)).toEqual([{ package: 'hello' }]);
    expect(submission.warnings).toHaveLength(2);
  });
});
