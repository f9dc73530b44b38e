import { fillTemplate } from './command-backend';

it('placeholders are filled in wherever they stand, each argument by itself', () => {
  const template = [
    'incus',
    'autopkgtest/debian/{suite}/{arch}',
    '--name={suite}',
    '{unknown}',
    '{toString}',
    '{}',
  ];
  const values = { suite: 'trixie; id', arch: 'amd64' };
  expect(fillTemplate(template, values)).toEqual([
    'incus',
    'autopkgtest/debian/trixie; id/amd64',
    '--name=trixie; id',
    '{unknown}',
    '{toString}',
    '{}',
  ]);
});
