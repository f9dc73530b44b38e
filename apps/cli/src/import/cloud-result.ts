import { isPackageName, isStorable, isWord, type PackageVerdict } from '@proctor/contracts';

interface CloudTest {
  suite: string;
  arch: string;
  package: string;
}

/** A result of autopkgtest-cloud. */
export interface CloudResult {
  /** The id of its test and its run id, which is a text, in one text. */
  foreignId: string;
  test: CloudTest;
  version: string | null;
  trigger: string | null;
  durationSeconds: number;
  exitCode: number;
  verdict: PackageVerdict;
  requester: string | null;
  environment: string | null;
  startedAt: Date;
}

const DURATION_MAX = 2 ** 31 - 1;
const EXIT_CODE_MAX = 2 ** 15 - 1;

/** The verdict that autopkgtest(1) gives for an exit code; all other codes say nothing about the package. */
export function verdictOfExit(code: number): PackageVerdict {
  if (code === 0 || code === 2) return 'pass';
  if (code === 8) return 'neutral';
  return [4, 6, 12, 14].includes(code) ? 'fail' : 'tmpfail';
}

/** The form of a run id: `20260102_030405_ab12c@`. */
const RUN_ID = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_/;

function timeOf(runId: string): Date | null {
  const match = RUN_ID.exec(runId);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match.slice(1);
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

type Fields = Record<string, unknown>;

/** @throws Error that names the field and the value, if `read` rejects the value */
function check<T>(fields: Fields, name: string, read: (value: unknown) => T | undefined, rule: string): T {
  const result = read(fields[name]);
  if (result !== undefined) return result;
  throw new Error(`${name} must ${rule}, not ${JSON.stringify(fields[name] ?? null).slice(0, 80)}`);
}

const textThat =
  (passes: (text: string) => boolean) =>
  (value: unknown): string | undefined =>
    typeof value === 'string' && passes(value) ? value : undefined;

const wholeUpTo =
  (most: number) =>
  (value: unknown): number | undefined =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most ? Number(value) : undefined;

const orNull =
  <T>(read: (value: unknown) => T | undefined) =>
  (value: unknown): T | null | undefined =>
    value === null || value === undefined || value === '' ? null : read(value);

/** @throws Error if a field of the row is not valid */
export function cloudTest(fields: Fields): [id: number, test: CloudTest] {
  const id = check(fields, 'id', wholeUpTo(Number.MAX_SAFE_INTEGER), 'be a whole number');
  const suite = check(fields, 'release', textThat(isWord), 'be the name of a release');
  const arch = check(fields, 'arch', textThat(isWord), 'be the name of an architecture');
  const name = check(fields, 'package', textThat(isPackageName), 'be the name of a source package');
  return [id, { suite, arch, package: name }];
}

/** @throws Error if a field of the row is not valid, or its test is not in `tests` */
export function cloudResult(fields: Fields, tests: ReadonlyMap<number, CloudTest>): CloudResult {
  const testId = check(fields, 'test_id', wholeUpTo(Number.MAX_SAFE_INTEGER), 'be a whole number');
  const test = tests.get(testId);
  if (!test) throw new Error(`test_id ${testId} is not in test.ndjson`);
  const runId = check(
    fields,
    'run_id',
    textThat((text) => timeOf(text) !== null),
    'begin with a time',
  );
  const storable = orNull(textThat(isStorable));
  const exitCode = check(fields, 'exitcode', wholeUpTo(EXIT_CODE_MAX), 'be an exit code');
  return {
    foreignId: `${testId}/${runId}`,
    test,
    version: check(fields, 'version', storable, 'be a text'),
    trigger: check(fields, 'triggers', storable, 'be a text'),
    durationSeconds: check(fields, 'duration', orNull(wholeUpTo(DURATION_MAX)), 'be seconds') ?? 0,
    exitCode,
    verdict: verdictOfExit(exitCode),
    requester: check(fields, 'requester', orNull(textThat(isWord)), 'be a name'),
    environment: check(fields, 'env', storable, 'be a text'),
    startedAt: timeOf(runId)!,
  };
}
