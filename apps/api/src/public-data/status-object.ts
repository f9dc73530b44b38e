import type { PackageStatusResource } from '@proctor/resources';
import { duration, type NeutralStatus, timestamp } from '@proctor/contracts';
import type { StatusRecord } from '@proctor/database';
import { resultObject, statusOf } from '../runs/result-object';

/** A package's latest status in the form of packages.json. */
export function statusObject(record: StatusRecord, neutral: NeutralStatus): PackageStatusResource {
  const result = resultObject(record, neutral);
  return {
    ...result,
    message: result.message || `The run ended as ${result.status}.`,
    duration_human: duration(result.duration_seconds ?? 0),
    previous_status: statusOf(record.previousStatus, neutral),
    last_pass_version: record.lastPass?.version ?? null,
    last_pass_date: record.lastPass && timestamp(record.lastPass.date),
  };
}
