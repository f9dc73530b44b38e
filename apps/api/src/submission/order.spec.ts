import { refusalOf } from '../../../../test/support/refusal';
import { Problem } from '../http/problem';
import { jsonParameters, merge, textParameters } from '../transport/parameters';
import type { Parameters } from '../transport/parameters';
import { listOrder, singleOrder } from './order';

const form = (fields: Record<string, string>): Parameters =>
  textParameters(Object.entries(fields), (name) => `#/${name}`);
const query = (fields: Record<string, string>): Parameters =>
  textParameters(Object.entries(fields), () => null);

describe('listOrder', () => {
  it('reads tests as text and as JSON', () => {
    const tests = [{ package: 'hello' }];
    for (const parameters of [
      form({ tests: JSON.stringify(tests), priority: '7' }),
      query({ tests: JSON.stringify(tests), priority: '7' }),
      jsonParameters({ tests, priority: 7 }),
    ]) {
      expect(listOrder(parameters, 10)).toMatchObject({ items: tests, priority: 7, warnings: [] });
    }
    expect(listOrder(jsonParameters(tests), 10).items).toEqual(tests);
  });

  it('says where an item is', () => {
    expect(listOrder(form({ tests: '[]' }), 1).place(3, 'pin-packages')).toEqual({
      label: 'tests[3].pin-packages',
      pointer: '#/tests/3/pin-packages',
    });
    expect(listOrder(jsonParameters([]), 1).place(3)).toEqual({ label: 'tests[3]', pointer: '#/3' });
    expect(listOrder(query({ tests: '[]' }), 1).place(3)).toEqual({ label: 'tests[3]', pointer: null });
  });

  it('lets the body win over the query, priority by priority', () => {
    const order = listOrder(merge(query({ priority: 'abc' }), form({ tests: '[]', priority: '3' })), 1);
    expect(order.priority).toBe(3);
  });

  it('warns of unknown parameters', () => {
    expect(listOrder(form({ tests: '[]', prio: '3' }), 1).warnings).toEqual([
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
  ])('refuses %s', (_what, parameters, detail) => {
    expect(() => listOrder(parameters, 10)).toThrow(detail);
    expect(() => listOrder(parameters, 10)).toThrow(Problem);
  });

  it.each(['0', '11', '5abc', '5.7', '', ' 5', '+5', '-1', '1e1', 'ten', '５'])(
    'refuses the priority %j',
    (priority) => {
      expect(() => listOrder(form({ tests: '[]', priority }), 1)).toThrow(
        /^priority must be a whole number from 1 to 10, not /,
      );
    },
  );

  it.each([0, 11, 5.5, '5', true, [5], {}])('refuses the priority %j in JSON', (priority) => {
    expect(() => listOrder(jsonParameters({ tests: [], priority }), 1)).toThrow(/^priority must be/);
  });

  it('answers 413 for too many items', () => {
    expect(refusalOf(() => listOrder(jsonParameters([1, 2, 3]), 2)).status).toBe(413);
    expect(listOrder(jsonParameters([1, 2]), 2).items).toHaveLength(2);
  });
});

describe('singleOrder', () => {
  it('needs nothing but the name', () => {
    expect(singleOrder('hello', new Map()).items).toEqual([{ package: 'hello' }]);
  });

  it('reads the words and JSON of a form', () => {
    const order = singleOrder(
      'hello',
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
    expect(order.items).toEqual([
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
    expect(order.warnings).toEqual([]);
  });

  it('takes JSON values as they are', () => {
    const order = singleOrder(
      'hello',
      jsonParameters({ is_private: false, extra_apt_sources: ['x'], priority: 3 }),
    );
    expect(order.items).toEqual([
      { package: 'hello', is_private: false, 'extra-apt-sources': ['x'], priority: 3 },
    ]);
  });

  it('names a parameter as the client spelled it', () => {
    const order = singleOrder('hello', form({ extra_apt_sources: '["x"]' }));
    expect(order.place(0, 'extra-apt-sources')).toEqual({
      label: 'extra_apt_sources',
      pointer: '#/extra_apt_sources',
    });
    expect(singleOrder('hello', query({ trigger: 'x' })).place(0, 'trigger')).toEqual({
      label: 'trigger',
      pointer: null,
    });
  });

  it.each(['True', '1', 'yes', '', 'TRUE'])('leaves %j for is_private to the rules of the item', (word) => {
    expect(singleOrder('hello', form({ is_private: word })).items).toEqual([
      { package: 'hello', is_private: word },
    ]);
  });

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
  ])('refuses %s', (_what, parameters, detail) => {
    expect(() => singleOrder('hello', parameters)).toThrow(detail);
    expect(() => singleOrder('hello', parameters)).toThrow(Problem);
  });

  it('does not take a name for a prototype', () => {
    const order = singleOrder(
      'hello',
      jsonParameters(JSON.parse('{"__proto__": {"priority": 1}, "package": "other"}')),
    );
    expect(order.items).toEqual([{ package: 'hello' }]);
    expect(order.warnings).toHaveLength(2);
  });
});
