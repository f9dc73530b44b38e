import { DecisionResource } from './decisions';
import { Field } from './field';
import { flag, listOf, orNull, text, whole } from './schema';
import { PACKAGE_NAME, TIME } from './values';

export class QueueResource {
  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(whole({ minimum: 0 }))
  waiting: number;

  @Field(whole({ minimum: 0 }))
  running: number;

  @Field(orNull(TIME), 'When the run was requested that has waited longest.')
  oldest_at: string | null;

  @Field(whole({ minimum: 0 }), 'Runs that finished within the last hour.')
  rate_per_hour: number;

  @Field(
    orNull(whole({ minimum: 0 })),
    'The median wait of these runs, from the request to the start; null if no run has finished in that time.',
  )
  wait_seconds: number | null;

  @Field(
    orNull(whole({ minimum: 0 })),
    'The time until the last run that waits now is done: the estimate of the scheduler, or, if it does not answer, at the rate of the last hour. Null if it is unknown.',
  )
  estimate_seconds: number | null;

  @Field(
    orNull(DecisionResource),
    'The decision that paused the queue; running tests go on. Null if it is not paused.',
  )
  paused: DecisionResource | null;

  @Field(
    listOf(text()),
    'Why no runs of it, or not more, are executed now; for people, the most important reason first.',
  )
  reasons: string[];
}

export class PackageResource {
  @Field(whole(), 'Negative while only private runs have this package; it changes with the first public run.')
  id: number;

  @Field(PACKAGE_NAME)
  name: string;

  @Field(orNull(text()))
  backend: string | null;

  @Field(flag())
  removed: boolean;
}
