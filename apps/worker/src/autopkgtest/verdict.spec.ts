import { judge } from './verdict';

it.each([
  [0, 'pass'],
  [2, 'pass'],
  [4, 'fail'],
  [6, 'fail'],
  [8, 'neutral'],
  [12, 'fail'],
  [14, 'fail'],
  [16, 'tmpfail'],
  [20, 'tmpfail'],
  [1, 'tmpfail'],
  [99, 'tmpfail'],
  [127, 'tmpfail'],
])('exit code %i is %s', (exitCode, verdict) => {
  const judgement = judge({ exitCode });
  expect(judgement).toMatchObject({ verdict, exitCode });
  expect(judgement.message).not.toBe('');
});

it('a signal is no exit code', () => {
  expect(judge({ exitCode: 137 })).toEqual({
    verdict: 'tmpfail',
    message: 'the test runner was ended by signal 9',
    exitCode: null,
    trouble: 'machine',
  });
  expect(judge({ exitCode: null })).toMatchObject({ verdict: 'tmpfail', exitCode: null });
});

it.each([
  [90_000, '90 s'],
  [1_800_000, '30 min'],
  [28_800_000, '8.0 h'],
])('a limit of %i ms is named as %s', (limitMs, text) => {
  expect(judge({ exitCode: null, limitMs })).toEqual({
    verdict: 'tmpfail',
    message: `ended after ${text} by the worker's limit`,
    exitCode: null,
    trouble: 'limit',
  });
});

it('an attempt that wrote too much was ended at a limit, whatever its log says', () => {
  const end = { exitCode: null, outputBytesMax: 1000, logEnd: 'no space left on device' };
  expect(judge(end)).toEqual({
    verdict: 'tmpfail',
    message: "ended after 1000 bytes of output by the worker's limit",
    exitCode: null,
    trouble: 'limit',
  });
});

it('a tmpfail names its probable cause, and no other verdict has one', () => {
  const detail = 'apt repeatedly failed to download packages';
  expect(judge({ exitCode: 16, detail })).toMatchObject({ verdict: 'tmpfail', trouble: 'archive' });
  expect(judge({ exitCode: 20, detail: 'whatever' })).not.toHaveProperty('trouble');
  expect(judge({ exitCode: 4, detail })).not.toHaveProperty('trouble');
  expect(judge({ exitCode: null, limitMs: 1000, detail })).toMatchObject({ verdict: 'tmpfail' });
});

it('a package is not blamed for an upgrade of the testbed that could not fetch a file', () => {
  const detail = 'badpkg: testbed setup commands failed with status 100';
  expect(judge({ exitCode: 12, detail, logEnd: 'E: Failed to fetch http://mirror.example/x' })).toEqual({
    verdict: 'tmpfail',
    message: 'bringing the testbed up to date failed: E: Failed to fetch http://mirror.example/x',
    exitCode: 12,
    trouble: 'archive',
  });
  expect(judge({ exitCode: 12, detail }).verdict).toBe('fail');
});

it('the message adds the reason that the runner gives, on one line and not without end', () => {
  const { message } = judge({ exitCode: 16, detail: `no space\nleft\0${'x'.repeat(5000)}` });
  expect(message).toMatch(/^the testbed failed: no space left x+…$/);
  expect(message).toHaveLength(2000);
  expect(judge({ exitCode: 4, detail: 'whatever' }).message).toBe('at least one test failed');
});
