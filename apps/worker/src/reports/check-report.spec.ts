import { FinishedReport, parseMessage, TESTS_MAX } from '@proctor/contracts';
import { finishedReport } from '@test/support/runs';
import { checkReport } from './check-report';

const FILE = { name: 'log.gz' as const, size: 1, sha256: 'a'.repeat(64) };
const report = (changes: object) => finishedReport(7, 2, { files: [FILE], ...changes });
const test = (name: string) => ({ name, status: 'PASS' as const, detail: null });

it('a report that its receiver accepts stays as it is', () => {
  const sound = report({ tests: [test('unit')] });
  expect(checkReport(sound)).toEqual({ report: sound, dropped: null });
});

it.each([
  ['a name with a blank', [test('a b')]],
  ['a name with half a character', [test('a\ud83d')]],
  ['too many of them', Array.from({ length: TESTS_MAX + 1 }, (_, index) => test(`t${index}`))],
])('a report drops invalid results of single tests, as %s, and keeps the verdict', (_what, tests) => {
  const { report: mended, dropped } = checkReport(report({ tests }));
  expect(mended).toMatchObject({ verdict: 'pass', files: [FILE] });
  expect(mended).not.toHaveProperty('tests');
  expect(mended.message).toBe('all tests passed (the results of its single tests are invalid)');
  expect(dropped).toContain('tests');
  parseMessage(FinishedReport, mended);
});

it.each([
  ['message', { message: 'half \ud83d' }, 'message'],
  ['version', { version: 'v'.repeat(300) }, 'version'],
  ['exit code', { exitCode: 256 }, 'exitCode'],
  ['time', { durationSeconds: 0.5 }, 'durationSeconds'],
  ['file', { files: [{ ...FILE, size: -1 }] }, 'files'],
])('a report with a wrong %s becomes a tmpfail that names the field', (_what, changes, field) => {
  const { report: mended, dropped } = checkReport(report(changes));
  expect(mended).toMatchObject({ runId: 7, attempt: 2, verdict: 'tmpfail' });
  expect(mended.message).toContain(field);
  expect(dropped).toContain(field);
  parseMessage(FinishedReport, mended);
});
