import { NewKey } from '@proctor/resources';
import { apiConfiguration } from '@test/support/api-configuration';
import { refusalOf } from '@test/support/refusal';
import { jsonParameters, textParameters } from '../http/parameters';
import type { Parameters } from '../http/parameters';
import { shapeOf } from '../http/parameters.pipe';
import { KEY_IN_PATH } from '../http/path-ids';

const { server } = apiConfiguration();
const keyNameOf = (parameters: Parameters): string => shapeOf(NewKey, parameters, server).name;

it.each(['laptop', 'mein Schlüssel', 'x'.repeat(100)])('the name %j of a key is taken', (name) => {
  expect(keyNameOf(jsonParameters({ name }))).toBe(name);
  expect(keyNameOf(textParameters([['name', name]], () => null))).toBe(name);
});

it.each([undefined, null, 5, '', 'x'.repeat(101), 'a\0', '\ud800', ['a'], {}])(
  'the name %j of a key is refused',
  (name) => {
    const problem = refusalOf(() => keyNameOf(jsonParameters(name === undefined ? {} : { name })));
    expect(problem).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/^name must be a string of 1 to 100/),
    });
  },
);

it('there is no key of an id that is none', () => {
  expect(KEY_IN_PATH.transform('2147483647')).toBe(2_147_483_647);
  for (const id of ['0', '01', '2147483648', '99999999999', 'x', '1\n', '']) {
    expect(refusalOf(() => KEY_IN_PATH.transform(id)).status).toBe(404);
  }
});
