import { DecisionResource } from './decisions';
import { Field, OptionalField } from './field';
import { component, exactly, flag, listOf, orNull, text, whole, words } from './schema';
import { PACKAGE_NAME, RUN_ID } from './values';

export const RUN_IDS = component(
  'RunIds',
  text({ description: 'Ids of runs, separated by commas; empty for none.' }),
);

export class IgnoredItemResource {
  @OptionalField(whole({ minimum: 0 }), 'Only for a batch: the index of the part, from 0.')
  request?: number;

  @Field(whole({ minimum: 0 }), 'The index of the item, from 0.')
  index: number;

  @Field(text())
  package: string;

  @OptionalField(text(), 'Only for a batch: the architecture on which the item is ignored.')
  arch?: string;

  @Field(words(['reject-list', 'invalid-name']))
  reason: 'reject-list' | 'invalid-name';
}

export class SubmittedRun {
  @Field(RUN_ID)
  run_id: number;

  @Field(PACKAGE_NAME)
  package: string;

  @Field(text())
  suite: string;

  @Field(text())
  arch: string;
}

export class SubmissionAnswerResource {
  @Field(listOf(SubmittedRun))
  runs: SubmittedRun[];

  @Field(listOf(IgnoredItemResource))
  ignored: IgnoredItemResource[];

  @Field(
    listOf(text()),
    'Sentences for people; programs may pass them over. One says what key was ignored, or that a suite has no source package of a name, as far as that is known, with names that are near. The runs are there all the same.',
  )
  warnings: string[];
}

export class PlannedRun {
  @Field(PACKAGE_NAME)
  package: string;

  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(
    orNull(RUN_ID),
    'The run of the same test that waits or is executed already, as far as the key may see it.',
  )
  doubles: number | null;
}

export class PlannedWait {
  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(whole({ minimum: 1 }), 'Runs that the request would add.')
  runs: number;

  @Field(whole({ minimum: 0 }))
  waiting: number;

  @Field(whole({ minimum: 0 }))
  running: number;

  @Field(
    orNull(whole({ minimum: 0 })),
    'The time until the last run that waits now is done, as in `GET /api/v1/queues`: about how long a run of the lowest priority would wait. Null if it is unknown.',
  )
  estimate_seconds: number | null;

  @Field(orNull(DecisionResource))
  paused: DecisionResource | null;

  @Field(listOf(text()))
  reasons: string[];
}

export class DryRunAnswerResource {
  @Field(exactly(true))
  dry_run: true;

  @Field(listOf(PlannedRun), 'What would be queued, in the order of the request.')
  runs: PlannedRun[];

  @Field(listOf(IgnoredItemResource))
  ignored: IgnoredItemResource[];

  @Field(listOf(PlannedWait), 'The queues that the runs would join, as they are now.')
  waits: PlannedWait[];

  @Field(
    listOf(text()),
    'Sentences for people; programs may pass them over. One says what key was ignored, or that a suite has no source package of a name, as far as that is known, with names that are near. The runs are there all the same.',
  )
  warnings: string[];
}

export class SelectedQueue {
  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(whole())
  waiting: number;

  @Field(whole(), 'Leased or running.')
  executed: number;
}

export class SelectionPreview {
  @Field(whole(), 'How many would be changed.')
  runs: number;

  @Field(listOf(SelectedQueue))
  queues: SelectedQueue[];
}

export class PublicationResource {
  @OptionalField(RUN_IDS)
  run_ids?: string;
}

export class ChangedRun {
  @Field(RUN_ID)
  run_id: number;

  @Field(PACKAGE_NAME)
  package: string;

  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(orNull(RUN_ID))
  new_run_id: number | null;
}

export class RefusedRunResource {
  @Field(RUN_ID)
  run_id: number;

  @Field(PACKAGE_NAME)
  package: string;

  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(text())
  reason: string;
}

export class ChangeEstimate {
  @Field(whole({ minimum: 0 }))
  seconds: number;

  @Field(whole({ minimum: 0 }), 'Runs whose length is not known.')
  without: number;
}

export const TRIGGER_ACTIONS = ['retry', 'refresh', 'cancel'] as const;
/** Repeat runs, ask for new references of them, or end them. */
export type TriggerAction = (typeof TRIGGER_ACTIONS)[number];

export class ManyRunsAnswerResource {
  @Field(text())
  trigger: string;

  @Field(words(TRIGGER_ACTIONS))
  action: TriggerAction;

  @Field(flag())
  is_dry_run: boolean;

  @Field(listOf(ChangedRun), 'What was done, or would be.')
  runs: ChangedRun[];

  @Field(listOf(RefusedRunResource))
  refused: RefusedRunResource[];

  @Field(
    whole({ minimum: 0 }),
    'Tests that match, too, beyond what one request may name (`api.bulkRunsMax`).',
  )
  left: number;

  @Field(orNull(ChangeEstimate), 'Only for a dry run: how long the tests usually take; else null.')
  estimate: ChangeEstimate | null;
}

/** The answer when a run is asked for again. */
export class RetriedRun {
  @Field(RUN_ID)
  run_id: number;
}

export class PublishedRunList {
  @Field(listOf(RUN_ID))
  published: number[];

  @Field(listOf(whole()))
  ignored: number[];
}

export class CancelledRunList {
  @Field(listOf(RUN_ID))
  cancelled: number[];
}

export class ReprioritisedRunList {
  @Field(listOf(RUN_ID))
  changed: number[];
}
