import { textParameters } from '../../http/parameters';
import { batchOf, queryOf, RequestFieldsPipe } from './request-fields';

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
