import { timestamp } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { RunEvent } from '@proctor/events';
import type { Event } from '@proctor/resources';
import { statusOf } from '../runs/result-object';
import { shortRunPath } from '../runs/page-paths';

/** The number rises when a field is removed or changes its meaning, not for new fields. */
const SCHEMA = 1;

/**
 * Builds an event for other programs. Its id has the run and the place in the run's history: gaps between ids of rows
 * would reveal how much happened to private runs.
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
