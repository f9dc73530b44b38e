import {
  type AttemptOutcome,
  PACKAGE_VERDICTS,
  type Status,
  TESTBED_STATES,
  type TestbedState,
  type Verdict,
  WORKER_STANDINGS,
  type WorkerStanding,
} from '@proctor/contracts';
import { DecisionResource } from './decisions';
import { Description, Field, OptionalField } from './field';
import { ResultResource } from './runs';
import { decimal, listOf, orNull, text, whole, words } from './schema';
import { RUN_ID, TIME, VERDICT, NAME_OF_WORKER } from './values';

export class TestbedResource {
  @Field(text())
  suite: string;

  @Field(text())
  backend: string;

  @Field(words(TESTBED_STATES))
  state: TestbedState;

  @OptionalField(text())
  detail?: string;
}

export class MachineResource {
  @Field(whole({ minimum: 0 }), 'Mean load of the last minute by processor: at 100 each processor is busy.')
  load_percent: number;

  @Field(whole({ minimum: 0 }), 'MiB that are free in the file system of its work folder.')
  free_disk_mib: number;

  @Field(whole({ minimum: 0 }), 'With less free MiB it accepts no work.')
  free_disk_mib_min: number;
}

@Description('A worker as the dispatcher of an architecture sees it.')
export class WorkerResource {
  @Field(NAME_OF_WORKER)
  name: string;

  @Field(text())
  arch: string;

  @Field(whole({ minimum: 0 }), 'Tests that it can execute at a time.')
  slots: number;

  @Field(
    whole({ minimum: 0 }),
    'Slots that hold a lease; those of private runs count for administrators alone.',
  )
  busy: number;

  @Field(
    words(WORKER_STANDINGS),
    '`quarantined`: its attempts kept failing, and it gets no runs until a canary test passes there; `slowed`: it gets one now and then, since no other could do its work, until one has a result.',
  )
  standing: WorkerStanding;

  @Field(orNull(text()), 'Why it is not sound.')
  reason: string | null;

  @Field(
    orNull(TIME),
    'When it may get its next run (`slowed`), or is asked for its canary test (`quarantined`).',
  )
  until: string | null;

  @Field(orNull(DecisionResource), 'The decision to drain it: it finishes its runs and gets no new ones.')
  drained: DecisionResource | null;

  @Field(orNull(text()), 'Why it accepts no work: its own message, or that it is too old.')
  problem: string | null;

  @Field(orNull(text()), 'The version of its program; null if it does not send one.')
  version: string | null;

  @Field(
    whole({ minimum: 1 }),
    'The protocol that it speaks with dispatchers; one below `scheduler.workerProtocolMin` gets no runs.',
  )
  protocol: number;

  @OptionalField(
    MachineResource,
    'Absent for a worker that does not report it; for workers that may run private tests, administrators alone see it.',
  )
  machine?: MachineResource;

  @Field(listOf(TestbedResource))
  testbeds: TestbedResource[];

  @OptionalField(whole({ minimum: 1 }), 'How many more testbeds it has; absent when all are listed.')
  testbeds_left_out?: number;

  @Field(listOf(text()))
  variants: string[];

  @Field(listOf(text()), 'Classes of big packages that it takes.')
  size_classes: string[];
}

export class WorkerList {
  @Field(
    listOf(WorkerResource),
    'Sorted by architecture and name; a worker with several architectures appears once for each.',
  )
  workers: WorkerResource[];

  @Field(
    listOf(text()),
    'Architectures whose dispatcher does not answer now, or has not named all its workers in time.',
  )
  silent_architectures: string[];
}

export class Registration {
  @Field(listOf(text()))
  architectures: string[];

  @Field(TIME)
  since: string;

  @Field(orNull(TIME), 'Up to a minute late.')
  last_seen_at: string | null;

  @Field(orNull(TIME))
  revoked_at: string | null;

  @Field(orNull(text()), 'Why a scheduler did not take a message of it; for administrators alone.')
  last_refusal: string | null;
}

/** How attempts ended that count for their worker. */
const SHOWN_OUTCOMES = ['finished', 'failed', 'expired', 'lost'] as const;

export class WorkerAttempt {
  @Field(RUN_ID)
  run_id: number;

  @Field(whole({ minimum: 1 }))
  attempt: number;

  @Field(text())
  package: string;

  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(
    words<AttemptOutcome>(SHOWN_OUTCOMES),
    '`failed`: it could not be executed, and was tried again; `expired`, `lost`: no report came.',
  )
  outcome: AttemptOutcome;

  @Field(orNull(words(PACKAGE_VERDICTS)))
  status: Status;

  @Field(VERDICT)
  verdict: Verdict | null;

  @Field(orNull(text()), 'Why it has no result.')
  reason: string | null;

  @Field(orNull(TIME))
  started_at: string | null;

  @Field(TIME)
  ended_at: string;

  @Field(text())
  page_url: string;
}

export class WorkerComparisonResource {
  @Field(whole({ minimum: 1 }))
  attempts: number;

  @Field(whole({ minimum: 0 }))
  failed: number;

  @Field(decimal({ minimum: 0 }))
  expected_failed: number;

  @Field(whole({ minimum: 0 }))
  without_result: number;

  @Field(decimal({ minimum: 0 }))
  expected_without_result: number;
}

@Description('A worker, what it executes, and what it has ended within 30 days.')
export class WorkerDetails {
  @Field(NAME_OF_WORKER)
  name: string;

  @Field(orNull(Registration), 'Null for a worker that is not registered.')
  registered: Registration | null;

  @Field(
    listOf(WorkerResource),
    'As the dispatcher of each architecture sees it; empty while it is not connected.',
  )
  offers: WorkerResource[];

  @Field(listOf(text()), 'Architectures whose dispatcher does not answer now.')
  silent_architectures: string[];

  @Field(
    listOf(text()),
    'Why it gets no work, or not more, the weightiest first; empty when it gets what there is.',
  )
  idle_reasons: string[];

  @Field(listOf(ResultResource))
  running: ResultResource[];

  @Field(
    listOf(WorkerAttempt),
    'The newest 30, the newest first; those that were handed back or cancelled are left out.',
  )
  attempts: WorkerAttempt[];

  @Field(
    orNull(WorkerComparisonResource),
    'Its newest attempts, at most 100, whose package other workers had on the same suite and architecture too, beside what these made of them. Null when there is none.',
  )
  comparison: WorkerComparisonResource | null;
}
