import type { RunRequest, RunState, Verdict } from '@proctor/contracts';

/** A run as the API and the pages show it. */
export interface RunRecord extends RunRequest {
  runId: number;
  state: RunState;
  /** Null until finished. */
  verdict: Verdict | null;
  /** Null until finished, `n/a` where it is not known. */
  version: string | null;
  /** Somebody ended it; its verdict is tmpfail then. */
  cancelled: boolean;
  message: string | null;
  exitCode: number | null;
  /** The latest attempt granted; 0 when none was. */
  attempt: number;
  /** Who holds the lease, or who finished the run; null while it waits. */
  worker: string | null;
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
  /** The run that this one repeats. */
  retryOf: number | null;
  /** The API key that may read it. */
  keyId: number;
  /** User name. */
  requestor: string;
}

/** The columns of a RunRecord; `r` is a row of `runs`, `u` the requestor's of `users`. */
export const RECORD_COLUMNS = `
  r.run_id as "runId", r.package, r.suite, r.arch, r.backend, r.variant, r.priority, r.trigger,
  r.pin_packages as "pinPackages", r.extra_apt_sources as "extraAptSources", r.is_private as "isPrivate",
  r.state, r.verdict, r.cancelled, r.version, r.message, r.exit_code as "exitCode", r.attempt, r.worker,
  r.created_at as "createdAt", r.updated_at as "updatedAt", r.started_at as "startedAt",
  r.finished_at as "finishedAt", r.duration_seconds as "durationSeconds",
  r.log_size as "logSize", r.artifacts_size as "artifactsSize",
  r.retry_of as "retryOf", r.api_key_id as "keyId", u.name as requestor`;

/** Selects rows that have a RunRecord's shape; conditions on `r` follow. */
export const SELECT_RECORD = `
  select ${RECORD_COLUMNS}
  from runs r join users u on u.user_id = r.requestor_id`;
