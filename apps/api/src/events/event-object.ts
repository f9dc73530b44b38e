import { timestamp } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { RunEvent } from '@proctor/events';
import type { Event } from '@proctor/resources';
import { statusOf } from '../runs/result-object';
import { shortRunPath } from '../runs/page-paths';

/** Changes when a field goes or means something else; new fields do not change it. */
const SCHEMA = 1;

/**
 * An event as other programs get it. Its id is the run and the place in the run's story: gaps between the ids
 * of the rows would show how much happened to private runs meanwhile.
 */
export function eventObject(event: RunEvent, neutral: NeutralStatus): Event {
  return {
    schema: SCHEMA,
    id: `${event.runId}.${event.place}`,
    kind: event.kind,
    at: timestamp(event.at),
    run_id: event.runId,
    package: event.package,
    suite: event.suite,
    arch: event.arch,
    trigger: event.trigger,
    state: event.state,
    status: statusOf(event.verdict, neutral),
    verdict: event.verdict,
    attempt: event.attempt,
    created_at: timestamp(event.createdAt),
    is_private: event.isPrivate,
    url: `/api/v1/test/${event.runId}`,
    page_url: shortRunPath(event.runId),
  };
}
