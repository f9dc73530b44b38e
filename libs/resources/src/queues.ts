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
    'Half of these waited no longer, from the request to the start; null when there is none.',
  )
  wait_seconds: number | null;

  @Field(
    orNull(whole({ minimum: 0 })),
    'Until the last that waits now is done: as the scheduler expects it, at that rate when it does not answer. Null when it is unknown.',
  )
  estimate_seconds: number | null;

  @Field(orNull(DecisionResource), 'Who has stopped it; what runs goes on.')
  paused: DecisionResource | null;

  @Field(listOf(text()), 'Why nothing, or not more, of it is executed now; for people, the weightiest first.')
  reasons: string[];
}

export class PackageResource {
  @Field(whole(), 'Negative while only private runs made the package known; another one from then on.')
  id: number;

  @Field(PACKAGE_NAME)
  name: string;

  @Field(orNull(text()))
  backend: string | null;

  @Field(flag())
  removed: boolean;
}
