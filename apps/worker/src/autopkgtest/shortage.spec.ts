import { spared } from './shortage';
import { judge } from './verdict';

it('makes a fail a tmpfail of the machine, with both reasons', () => {
  expect(spared(judge({ exitCode: 4 }), 'the file space of the run was full')).toEqual({
    verdict: 'tmpfail',
    message:
      'the machine was short while it was tested: the file space of the run was full (at least one test failed)',
    trouble: 'machine',
    exitCode: 4,
  });
});

it.each([0, 2, 8, 16, 20, null])('changes nothing about exit code %s', (exitCode) => {
  expect(spared(judge({ exitCode }), 'memory ran out')).toEqual(judge({ exitCode }));
});

it('changes nothing where nothing was short', () => {
  expect(spared(judge({ exitCode: 4 }), null)).toEqual(judge({ exitCode: 4 }));
});
