import { refusalOf } from '../../../../test/support/refusal';
import { jsonParameters, textParameters } from '../transport/parameters';
import { keyNameOf } from './key-name';

it.each(['laptop', 'mein Schlüssel', 'x'.repeat(100)])('takes %j', (name) => {
  expect(keyNameOf(jsonParameters({ name }))).toBe(name);
  expect(keyNameOf(textParameters([['name', name]], () => null))).toBe(name);
});

it.each([undefined, null, 5, '', 'x'.repeat(101), 'a\0', '\ud800', ['a'], {}])('refuses %j', (name) => {
  const problem = refusalOf(() => keyNameOf(jsonParameters(name === undefined ? {} : { name })));
  expect(problem).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/^name must be a string of 1 to 100/),
  });
});
