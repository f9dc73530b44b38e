import { REQUEST_FIELDS, type RequestField, type ValueOf } from '@proctor/request-fields';
import type { PackageVerdict, RunState, Trouble, Verdict } from './words';

/** The type that a field of each kind has in the API's answers. */
export interface ResultValues {
  text: string;
  packageName: string;
  runId: number;
  whole: number;
  /** A whole number from 0 on. */
  count: number;
  /** A `Date` in a run. */
  time: string;
  status: PackageVerdict;
  state: RunState;
  verdict: Verdict | null;
  trouble: Trouble;
}

interface ResultField {
  /** Its name in answers. */
  result: string;
  kind: keyof ResultValues;
  orNull?: true;
  /** It is no column of a run: `resultObject` of the api computes it, and `result-texts.ts` of libs/database does in SQL. */
  isComputed?: true;
  /** Its description in the API's document. */
  prose?: string;
  /** Title of its row on the page of a run; without one, the page shows it in another way, or not at all. */
  title?: string;
  /** Title of its row in `proctor run show`, by the same rule. */
  row?: string;
}

/**
 * What each answer of the API about a run has: the one description of each field, by its name in a run. The document, the values, the
 * SQL that writes results, and rows of page and command follow from it, in this order.
 */
const RESULT_FIELDS = {
  package: { result: 'package', kind: 'packageName' },
  arch: { result: 'arch', kind: 'text' },
  suite: { result: 'suite', kind: 'text' },
  version: {
    result: 'version',
    kind: 'text',
    orNull: true,
    isComputed: true,
    prose: 'Null until the run has finished; `n/a` if the version is unknown.',
  },
  status: {
    result: 'status',
    kind: 'status',
    orNull: true,
    isComputed: true,
    prose:
      'Null until finished. A package without tests is `pass`, or `neutral` where the deployment says so.',
  },
  runId: { result: 'run_id', kind: 'runId' },
  ...REQUEST_FIELDS,
  updatedAt: { result: 'updated_at', kind: 'time' },
  finishedAt: { result: 'date', kind: 'time', orNull: true, prose: 'When the run finished.' },
  durationSeconds: { result: 'duration_seconds', kind: 'count', orNull: true },
  createdAt: { result: 'created_at', kind: 'time' },
  message: {
    result: 'message',
    kind: 'text',
    orNull: true,
    prose: 'How it ended, for people.',
    row: 'message',
  },
  exitCode: {
    result: 'exit_code',
    kind: 'whole',
    orNull: true,
    prose: "The test runner's.",
    title: 'Exit code',
    row: 'exit code',
  },
  worker: { result: 'worker', kind: 'text', orNull: true },
  attempt: { result: 'attempt', kind: 'count', prose: 'The number of attempts so far.' },
  state: { result: 'state', kind: 'state' },
  verdict: { result: 'verdict', kind: 'verdict' },
  trouble: {
    result: 'trouble',
    kind: 'trouble',
    orNull: true,
    prose:
      'Of a `tmpfail`, what kept the test from being carried out, where the worker could find out: a file of an archive could not be had, the testbed broke, the machine lacked something, a limit of the worker was reached, or the request cannot be carried out as it is.',
  },
  supersededBy: {
    result: 'superseded_by',
    kind: 'runId',
    orNull: true,
    prose: 'The run with a newer version in its trigger that ended this one, see `api.supersede`.',
    row: 'superseded by',
  },
  logUrl: { result: 'log_url', kind: 'text', orNull: true, isComputed: true, prose: 'Path of the log.' },
  artifactsUrl: {
    result: 'artifacts_url',
    kind: 'text',
    orNull: true,
    isComputed: true,
    prose: 'Path of the artifacts.',
  },
  pageUrl: { result: 'page_url', kind: 'text', isComputed: true, prose: 'Path of the page of the run.' },
} as const satisfies Record<string, RequestField | ResultField>;

type Fields = typeof RESULT_FIELDS;
type Name = keyof Fields;
type ComputedName = { [N in Name]: Fields[N] extends { isComputed: true } ? N : never }[Name];
type ColumnName = Exclude<Name, ComputedName>;

type ResultValue<Field> = Field extends RequestField
  ? ValueOf<Field>
  : Field extends ResultField
    ? ResultValues[Field['kind']] | (Field extends { orNull: true } ? null : never)
    : never;

/** A run as the API answers it. */
export type AnsweredRun = { [N in Name as Fields[N]['result']]: ResultValue<Fields[N]> };

/** What is no column of a run. */
export type ComputedFields = { [N in ComputedName]: ResultValue<Fields[N]> };

/** The columns of a run that answers have. */
export type ResultColumns = {
  [N in ColumnName]: Fields[N]['kind'] extends 'time'
    ? Date | Extract<ResultValue<Fields[N]>, null>
    : ResultValue<Fields[N]>;
};

type AnswerField =
  | { name: ComputedName; result: keyof AnsweredRun; isComputed: true }
  | {
      name: ColumnName;
      result: keyof AnsweredRun;
      kind: Fields[ColumnName]['kind'];
      isComputed?: undefined;
    };

const NAMED = Object.entries(RESULT_FIELDS).map(([name, field]) => ({ name, ...field }));

export const ANSWER_FIELDS = NAMED as readonly AnswerField[];

type OwnName = Exclude<Name, keyof typeof REQUEST_FIELDS>;
type OwnField = ResultField & { name: OwnName; result: Fields[OwnName]['result'] };

/** The fields that a request does not have. */
export const OWN_FIELDS = NAMED.filter((field) => !('sent' in field)) as readonly OwnField[];
