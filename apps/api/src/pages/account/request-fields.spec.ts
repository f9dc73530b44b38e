import { textParameters } from '../../http/parameters';
import { batchOf as batchWithin, CHOSEN_LENGTH_MAX, queryOf, RequestFieldsPipe } from './request-fields';
import type { RequestFields } from './request-fields';

const LIMITS = { itemsPerRequestMax: 20_000, shortBodyBytesMax: 1024 ** 2 };
const batchOf = (fields: RequestFields) => batchWithin(fields, LIMITS);
const fieldsOf = (fields: Record<string, string>) =>
  new RequestFieldsPipe().transform(textParameters(Object.entries(fields), () => null));

it('a form says what it names, and leaves out what it leaves open', () => {
  const fields = fieldsOf({ packages: 'hello\r\ndash, sed', suite: 'trixie', 'arch-amd64': 'on' });
  expect(batchOf(fields)).toEqual([
    {
      suite: 'trixie',
      arch: ['amd64'],
      tests: [{ package: 'hello' }, { package: 'dash' }, { package: 'sed' }],
    },
  ]);
  expect(fields.step).toBe('preview');
});

it('a form says everything that an item of the API can', () => {
  const fields = fieldsOf({
    packages: 'hello',
    suite: 'trixie',
    'arch-amd64': 'on',
    'arch-arm64': 'on',
    trigger: 'glibc/2.40-4',
    pins: 'src:glibc, experimental\r\n a,b , sid\r\n',
    'source-backports': 'on',
    backend: 'qemu',
    autopkgtest: 'newest',
    priority: '7',
    is_private: 'on',
    step: 'submit',
  });
  expect(fields.step).toBe('submit');
  expect(batchOf(fields)).toEqual([
    {
      suite: 'trixie',
      arch: ['amd64', 'arm64'],
      tests: [
        {
          package: 'hello',
          trigger: 'glibc/2.40-4',
          backend: 'qemu',
          autopkgtest: 'newest',
          priority: 7,
          is_private: true,
          'pin-packages': [
            ['src:glibc', 'experimental'],
            ['a,b', 'sid'],
          ],
          'extra-apt-sources': ['backports'],
        },
      ],
    },
  ]);
});

it('a form may name several suites, ticked or in its query', () => {
  const fields = fieldsOf({ packages: 'hello', 'suite-sid': 'on', suite: 'trixie,sid', arch: 'amd64' });
  const part = { arch: ['amd64'], tests: [{ package: 'hello' }] };
  expect(batchOf(fields)).toEqual([
    { suite: 'sid', ...part },
    { suite: 'trixie', ...part },
  ]);
});

it('a form is filled again by the query that is made of it', () => {
  const fields = fieldsOf({
    packages: 'hello\ng++',
    'suite-sid': 'on',
    'suite-trixie': 'on',
    'arch-amd64': 'on',
    pins: 'src:glibc, sid',
    'source-a b&c': 'on',
    is_private: 'on',
    priority: '3',
  });
  const again = fieldsOf(Object.fromEntries(new URLSearchParams(queryOf(fields))));
  expect(again).toEqual(fields);
});

it('a form leaves mistakes for the rules of the API to name', () => {
  const [part] = batchOf(fieldsOf({ packages: 'hello', suite: 'sid', pins: 'glibc', priority: '7.5' }));
  expect(part).toEqual({
    suite: 'sid',
    arch: [],
    tests: [{ package: 'hello', priority: '7.5', 'pin-packages': [['glibc']] }],
  });
});

it.each([
  ['a long trigger for many packages', { packages: 'hello '.repeat(100), trigger: 'x'.repeat(60_000) }],
  ['pins for many packages', { packages: 'hello '.repeat(100), pins: 'src:hello, sid\n'.repeat(2_000) }],
  [
    'packages in many suites',
    { packages: 'hello '.repeat(2_000), suite: Array.from({ length: 100 }, (_, n) => `s${n}`).join() },
  ],
])('a form asks for no more than a body could: %s', (_, fields) => {
  expect(() => batchOf(fieldsOf({ suite: 'sid', 'arch-amd64': 'on', ...fields }))).toThrow(
    expect.objectContaining({ status: 413 }) as Error,
  );
});

it('a form asks for no more tests than a request may have', () => {
  for (const packages of ['a '.repeat(20_001), `\n${'a,'.repeat(400_000)}`])
    expect(() => batchOf(fieldsOf({ packages, suite: 'sid', 'arch-amd64': 'on' }))).toThrow(
      expect.objectContaining({ status: 413 }) as Error,
    );
});

it('a form of as many packages as a request may have is taken', () => {
  const fields = fieldsOf({ packages: 'hello '.repeat(20_000), suite: 'sid', 'arch-amd64': 'on' });
  expect(batchOf(fields)[0]!.tests).toHaveLength(20_000);
});

it('a field that names suites has at most CHOSEN_LENGTH_MAX characters', () => {
  expect(() => fieldsOf({ suite: ','.repeat(CHOSEN_LENGTH_MAX + 1) })).toThrow(
    expect.objectContaining({ status: 400 }) as Error,
  );
});
