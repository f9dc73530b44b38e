import type { Pin, RunRequest, RunState, TestbedImage, Trouble, Verdict } from '@proctor/contracts';
import {
  bigint,
  boolean,
  type ColumnsOf,
  integer,
  jsonb,
  selected,
  smallint,
  type Statement,
  statement,
  text,
  time,
} from '../kit/statement';

/** What is tested and how: two runs that agree in these columns of `runs` are of the same test. */
export const TEST_COLUMNS = {
  package: text,
  suite: text,
  arch: text,
  backend: text,
  variant: text,
  pinPackages: jsonb.as<Pin[]>(),
  extraAptSources: jsonb.as<string[]>(),
};

/**
 * What a request says of a run. Whatever inserts, copies, selects or loads runs takes the columns from here: a field that
 * is added to RunRequest does not compile until it has one.
 */
export const REQUEST_COLUMNS = {
  ...TEST_COLUMNS,
  priority: smallint,
  trigger: text.orNull,
  isPrivate: boolean,
} satisfies ColumnsOf<RunRequest>;

/** A run as the API and the pages show it. */
export interface RunRecord extends RunRequest {
  runId: number;
  state: RunState;
  /** Null until finished. */
  verdict: Verdict | null;
  /** Null until finished, `n/a` where it is not known. */
  version: string | null;
  /** A user ended it; its verdict is tmpfail then. */
  cancelled: boolean;
  message: string | null;
  /** Of a tmpfail, as far as it is known. */
  trouble: Trouble | null;
  exitCode: number | null;
  /** The latest attempt granted; 0 when none was. */
  attempt: number;
  /** Who holds the lease, or who finished the run; null while it waits. */
  worker: string | null;
  /** That the testbed of its result was made of; null where none is known. */
  image: TestbedImage | null;
  createdAt: Date;
  /** Of the last creation, finish or publication. */
  updatedAt: Date;
  /** Of the latest attempt. */
  startedAt: Date | null;
  finishedAt: Date | null;
  durationSeconds: number | null;
  /** Bytes in the store; null when there is no such file. */
  logSize: number | null;
  artifactsSize: number | null;
  /** By which rule its logs, its artifacts and its story were removed, see `removedBy`; null when they were not. */
  logRemovedBy: string | null;
  artifactsRemovedBy: string | null;
  storyRemovedBy: string | null;
  /** The run that this one repeats. */
  retryOf: number | null;
  /** The API key that may read it. */
  keyId: number;
  /** User name. */
  requestor: string;
}

/** Of a row `r` of `runs`, and the requestor's row `u` of `users`. */
export const RECORD_COLUMNS = {
  runId: bigint,
  ...REQUEST_COLUMNS,
  state: text.as<RunState>(),
  verdict: text.as<Verdict>().orNull,
  version: text.orNull,
  cancelled: boolean,
  message: text.orNull,
  trouble: text.as<Trouble>().orNull,
  exitCode: smallint.orNull,
  attempt: integer,
  worker: text.orNull,
  image: jsonb.as<TestbedImage>().orNull,
  createdAt: time,
  updatedAt: time,
  startedAt: time.orNull,
  finishedAt: time.orNull,
  durationSeconds: integer.orNull,
  logSize: bigint.orNull,
  artifactsSize: bigint.orNull,
  logRemovedBy: text.orNull,
  artifactsRemovedBy: text.orNull,
  storyRemovedBy: text.orNull,
  retryOf: bigint.orNull,
  keyId: integer.from('r.api_key_id'),
  requestor: text.from('u.name'),
} satisfies ColumnsOf<RunRecord>;

/** A statement for RunRecords; conditions on `r` and the order follow. */
export function selectRecords(rest: string): Statement<RunRecord> {
  return statement(
    RECORD_COLUMNS,
    `select ${selected(RECORD_COLUMNS, 'r')} from runs r join users u on u.user_id = r.requestor_id ${rest}`,
  );
}
