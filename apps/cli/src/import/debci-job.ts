import {
  isPackageName,
  isStorable,
  isWord,
  RUN_ID_MAX,
  type PackageVerdict,
  PACKAGE_VERDICTS,
} from '@proctor/contracts';
import type { Pin } from '@proctor/request-fields';
import { parse } from 'yaml';
import { FieldFault, type TableRow } from './csv-table';

/** A row of debci's table of jobs. */
export interface DebciJob {
  runId: number;
  /** Null in debci's first years, when the row had the name of the package here. */
  packageId: string | null;
  packageName: string | null;
  suite: string;
  arch: string;
  requestorId: string | null;
  requestorName: string | null;
  /** Null while the job waits. */
  verdict: PackageVerdict | null;
  version: string | null;
  trigger: string | null;
  pinPackages: Pin[];
  extraAptSources: string[];
  message: string | null;
  isPrivate: boolean;
  workerId: string | null;
  backend: string | null;
  variant: string | null;
  priority: number | null;
  durationSeconds: number | null;
  createdAt: Date;
  finishedAt: Date | null;
  /** The time at which the result was available. */
  updatedAt: Date;
}

const DURATION_MAX = 2 ** 31 - 1;
const PRIORITY_MAX = 10;
const TEXT_LENGTH_MAX = 1_000_000;

/** debci does not save exit codes, but each of its messages stands for one. */
const EXIT_CODES = new Map([
  ['All tests passed', 0],
  ['Tests passed, but at least one test skipped', 2],
  ['Tests failed', 4],
  ['Tests failed, and at least one test skipped', 6],
  ['No tests in this package or all skipped', 8],
  ['Erroneous package', 12],
  ['Could not run tests due to a temporary testbed failure', 16],
]);
const OTHER_EXIT_CODE = /^Unexpected autopkgtest exit code (\d{1,4})$/;

export function exitCodeOf(message: string | null): number | null {
  if (message === null) return null;
  const code = OTHER_EXIT_CODE.exec(message)?.[1];
  return code === undefined ? (EXIT_CODES.get(message) ?? null) : Number(code);
}

/** @throws FieldFault if a field of the row is not valid */
export function debciJob(row: TableRow): DebciJob {
  const runId = row.integer('run_id', RUN_ID_MAX);
  if (runId === null || runId === 0) throw new FieldFault('run_id', row.text('run_id'), 'be the id of a run');
  const createdAt = row.time('created_at');
  if (!createdAt) throw new FieldFault('created_at', undefined, 'be given');
  const verdict = verdictOf(row);
  const updatedAt = row.time('updated_at') ?? createdAt;
  const finishedAt = verdict === null ? null : (row.time('date') ?? updatedAt);
  const receivedAt = row.time('received_at') ?? latest(updatedAt, finishedAt);
  return {
    runId,
    packageId: row.text('package_id'),
    packageName: nameOf(row, 'package', isPackageName),
    suite: nameOf(row, 'suite', isWord) ?? missing('suite'),
    arch: nameOf(row, 'arch', isWord) ?? missing('arch'),
    requestorId: row.text('requestor_id'),
    requestorName: row.text('requestor'),
    verdict,
    version: textOf(row, 'version'),
    trigger: textOf(row, 'trigger'),
    pinPackages: pinsOf(row),
    extraAptSources: sourcesOf(row),
    message: textOf(row, 'message'),
    isPrivate: row.boolean('is_private'),
    workerId: row.text('worker_id'),
    backend: nameOf(row, 'selected_backend', isWord) ?? nameOf(row, 'requested_backend', isWord),
    variant: nameOf(row, 'autopkgtest', isWord),
    priority: row.integer('priority', PRIORITY_MAX),
    durationSeconds: row.integer('duration_seconds', DURATION_MAX),
    createdAt,
    finishedAt,
    updatedAt: verdict === null ? createdAt : receivedAt,
  };
}

function missing(column: string): never {
  throw new FieldFault(column, undefined, 'be given');
}

function latest(one: Date, other: Date | null): Date {
  return other && other > one ? other : one;
}

function verdictOf(row: TableRow): PackageVerdict | null {
  const status = row.text('status');
  if (status === null || status === '') return null;
  const match = PACKAGE_VERDICTS.find((verdict) => verdict === status);
  if (match) return match;
  throw new FieldFault('status', status, `be one of ${PACKAGE_VERDICTS.join(', ')}, or empty`);
}

function nameOf(row: TableRow, column: string, isName: (text: string) => boolean): string | null {
  const value = row.text(column);
  if (value === null || value === '') return null;
  if (isName(value)) return value;
  throw new FieldFault(column, value, 'be a name');
}

function textOf(row: TableRow, column: string): string | null {
  const value = row.text(column);
  if (value === null || (isStorable(value) && value.length <= TEXT_LENGTH_MAX)) return value;
  throw new FieldFault(column, value, `be a text without NUL, of at most ${TEXT_LENGTH_MAX} characters`);
}

/** Reads a YAML list that Ruby wrote. Most lists are empty and need no parser. @throws FieldFault if it is no list */
function parseYamlList(row: TableRow, column: string, rule: string): unknown[] {
  const value = row.text(column);
  if (value === null || value === '' || /^---( \[\]| null)?\s*(\.\.\.\s*)?$/.test(value)) return [];
  try {
    const list: unknown = parse(value, { schema: 'failsafe' });
    if (Array.isArray(list)) return list;
  } catch {
    throw new FieldFault(column, value, rule);
  }
  throw new FieldFault(column, value, rule);
}

/** Reads pins: in each list the last entry is the suite, all others are packages. */
function pinsOf(row: TableRow): Pin[] {
  const rule = 'be a YAML list of lists, packages and their suite';
  return parseYamlList(row, 'pin_packages', rule).map((pin) => {
    const isPin = Array.isArray(pin) && pin.length >= 2 && pin.every((part) => typeof part === 'string');
    if (!isPin) throw new FieldFault('pin_packages', row.text('pin_packages'), rule);
    const parts = pin;
    return [parts.slice(0, -1).join(','), parts.at(-1)!];
  });
}

function sourcesOf(row: TableRow): string[] {
  const rule = 'be a YAML list of names';
  return parseYamlList(row, 'extra_apt_sources', rule).map((name) => {
    if (typeof name === 'string') return name;
    throw new FieldFault('extra_apt_sources', row.text('extra_apt_sources'), rule);
  });
}
