import { otherVersions } from './other-packages';

const installed = {
  testbed: new Map(
    Object.entries({ perl: '5.38', zlib: '1.3', 'libgcc-s1': '14-2+b1', gcc: '13', hello: '1' }),
  ),
  added: new Map([['perl', '5.39']]),
};

it.each([
  ['perl/5.40', [{ package: 'perl', wanted: '5.40', installed: '5.39' }]],
  ['zlib/1.3 perl/5.39', []],
  ['zlib/1.4 perl/5.40', ['zlib', 'perl']],
  ['gcc/14-2', []],
  ['absent/1', []],
  ['hello/2', []],
  ['perl perl/0', []],
  [null, []],
])(
  'of a run of hello that was triggered by %s these were installed in another version: %j',
  (trigger, expected) => {
    const versions = otherVersions({ package: 'hello', trigger }, installed);
    expect(versions).toMatchObject(
      expected.map((each) => (typeof each === 'string' ? { package: each } : each)),
    );
    expect(versions).toHaveLength(expected.length);
  },
);
