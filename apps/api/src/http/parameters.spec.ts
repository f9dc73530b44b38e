import { refusalOf } from '@test/support/refusal';
import { jsonParameters, merge, pointerTo, textParameters } from './parameters';
import type { TextField } from './parameters';

it('a parameter that is given twice is refused', () => {
  const fields: TextField[] = [
    ['a', '1'],
    ['a', '1'],
  ];
  const problem = refusalOf(() => textParameters(fields, () => '#/a'));
  expect(problem.status).toBe(400);
  expect(problem.errors).toEqual([{ pointer: '#/a', detail: '"a" is given more than once.' }]);
});

it('a parameter of the body wins over the same one of the query', () => {
  const merged = merge(
    textParameters(
      [
        ['a', 'query'],
        ['b', 'query'],
      ],
      () => null,
    ),
    jsonParameters({ a: 'body' }),
  );
  expect([...merged].map(([name, { value }]) => [name, value])).toEqual([
    ['a', 'body'],
    ['b', 'query'],
  ]);
});

it('parameters with names that objects have by themselves are kept apart', () => {
  const parameters = jsonParameters(JSON.parse('{"__proto__": 1, "constructor": 2}'));
  expect([...parameters.keys()]).toEqual(['__proto__', 'constructor']);
  expect(parameters.get('toString')).toBeUndefined();
});

it.each([null, 5, 'x', true])('the JSON body %j is refused', (body) => {
  expect(() => jsonParameters(body)).toThrow(/must be an object or an array/);
});

it.each([
  ['#', 0, '#/0'],
  ['#/tests/3', 'pin-packages', '#/tests/3/pin-packages'],
  ['#', 'a/b~c d', '#/a~1b~0c%20d'],
  ['#', '\ud800', '#/%EF%BF%BD'],
])('a pointer leads from %s to %j', (pointer, key, result) => {
  expect(pointerTo(pointer, key)).toBe(result);
});
