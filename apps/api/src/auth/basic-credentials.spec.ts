import fc from 'fast-check';
import { codePoint } from '@test/support/code-point';
import { basicCredentials } from './basic-credentials';

const header = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  [header('alice:secret'), 'alice', 'secret'],
  [header('alice:'), 'alice', ''],
  [header('alice:a:b'), 'alice', 'a:b'],
  [header('al ice:pässword €'), 'al ice', 'pässword €'],
  [header('alice:secret').replace('Basic', 'bASIC  '), 'alice', 'secret'],
])('basic credentials are read from %j', (text, name, password) => {
  expect(basicCredentials(text)).toEqual({ name, password });
});

it.each([
  undefined,
  '',
  'Basic',
  'Basic ',
  'Bearer YTpi',
  'Basic !!!!',
  'Basic YTpi, Basic YTpi',
  header('alice'),
  header(':secret'),
  header('ali\0ce:secret'),
  header('alice:sec\nret'),
  `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`,
  header(`alice:${'x'.repeat(1_000)}`),
])('no credentials are found in %j', (text) => {
  expect(basicCredentials(text)).toBeNull();
});

it('no text makes the reading of credentials fail', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.base64String()), (text) => {
      basicCredentials(text);
      basicCredentials(`Basic ${text}`);
    }),
  );
});
