import {
  FACT_KINDS,
  type FactKind,
  PACKAGE_VERDICTS,
  RUN_STATES,
  type RunState,
  type Status,
  TEST_DETAIL_LENGTH_MAX,
  TEST_NAME_LENGTH_MAX,
  TEST_STATUSES,
  type TestStatus,
  TESTS_MAX,
  TROUBLES,
  type Trouble,
  type Verdict,
} from '@proctor/contracts';
import { Description, Field, OptionalField } from './field';
import { listOf, orNull, text, whole, words } from './schema';
import { RequestedOptions } from './request-options';
import { PACKAGE_NAME, RUN_ID, TIME, VERDICT } from './values';

@Description('How one test of a package ended.')
export class Test {
  @Field(text({ minLength: 1, maxLength: TEST_NAME_LENGTH_MAX }), '`*` stands for the whole package.')
  name: string;

  @Field(words(TEST_STATUSES), 'A `FLAKY` test has failed, and that counts for nothing.')
  status: TestStatus;

  @Field(
    orNull(text({ maxLength: TEST_DETAIL_LENGTH_MAX })),
    'What the test runner says in addition, as why the test was skipped.',
  )
  detail: string | null;
}

@Description('One thing that happened to a run; it never changes.')
export class FactResource {
  @Field(whole({ minimum: 1 }), 'Place in the story of the run, from 1.')
  id: number;

  @Field(words(FACT_KINDS))
  kind: FactKind;

  @Field(words(RUN_STATES), "The run's state after it.")
  state: RunState;

  @Field(whole({ minimum: 0 }), 'The latest granted; 0 when none was.')
  attempt: number;

  @Field(text(), '`user` and a name, `worker` and a name, or `scheduler`.')
  actor: string;

  @Field(orNull(text()), 'For people.')
  reason: string | null;

  @Field(TIME)
  at: string;
}

export class RunImage {
  @Field(text({ maxLength: 200 }), 'The backend, the suite and the architecture, as `unshare/sid/amd64`.')
  name: string;

  @Field(TIME)
  built_at: string;
}

export class ResultResource extends RequestedOptions {
  @Field(PACKAGE_NAME)
  package: string;

  @Field(text())
  arch: string;

  @Field(text())
  suite: string;

  @Field(orNull(text()), 'Null until finished; `n/a` where it is not known.')
  version: string | null;

  @Field(
    orNull(words(PACKAGE_VERDICTS)),
    'Null until finished. A package without tests is `pass`, or `neutral` where the deployment says so.',
  )
  status: Status;

  @Field(RUN_ID)
  run_id: number;

  @Field(TIME)
  updated_at: string;

  @Field(orNull(TIME), 'When the run finished.')
  date: string | null;

  @Field(orNull(whole({ minimum: 0 })))
  duration_seconds: number | null;

  @Field(TIME)
  created_at: string;

  @Field(orNull(text()), 'How it ended, for people.')
  message: string | null;

  @Field(orNull(whole()), "The test runner's.")
  exit_code: number | null;

  @Field(orNull(text()))
  worker: string | null;

  @Field(whole({ minimum: 0 }), 'How often the run was begun.')
  attempt: number;

  @Field(words(RUN_STATES))
  state: RunState;

  @Field(VERDICT)
  verdict: Verdict | null;

  @Field(
    orNull(words(TROUBLES)),
    'Of a `tmpfail`, what kept the test from being carried out, where the worker could find out: a file of an archive could not be had, the testbed broke, the machine lacked something, a limit of the worker was reached, or the request cannot be carried out as it is.',
  )
  trouble: Trouble | null;

  @Field(orNull(text()), 'Path of the log.')
  log_url: string | null;

  @Field(orNull(text()), 'Path of the artifacts.')
  artifacts_url: string | null;

  @Field(text(), 'Path of the page of the run.')
  page_url: string;

  @OptionalField(
    orNull(whole({ minimum: 1 })),
    'Of one run that waits: its place among the runs that wait for the same slots; 1 goes next. Private runs count for their own user and for administrators alone. Null when the scheduler does not answer.',
  )
  position?: number | null;

  @OptionalField(
    orNull(whole({ minimum: 0 })),
    'Of one run that waits, how many runs are expected to go before it.',
  )
  ahead?: number | null;

  @OptionalField(
    orNull(TIME),
    'Of one run that waits, when it is expected to start; null when it is unknown.',
  )
  estimated_start?: string | null;

  @OptionalField(listOf(text()), 'Of one run that waits, why it does; for people, the weightiest first.')
  reasons?: string[];

  @OptionalField(
    orNull(RunImage),
    'Of one run, the image that its testbed was made of, as its worker reported it; null where none is known, as with a backend that has no images of its own.',
  )
  image?: RunImage | null;

  @OptionalField(
    listOf(Test, { maxItems: TESTS_MAX }),
    'Of one run, how its single tests ended, in the order in which they ran; the first 500. Empty until it has finished, and when nothing is known of them.',
  )
  tests?: Test[];

  @OptionalField(listOf(FactResource), 'Of one run, everything that happened to it, in order.')
  facts?: FactResource[];
}

export class ResultList {
  @Field(whole(), 'The next `since`.')
  until: number;

  @Field(listOf(ResultResource))
  results: ResultResource[];
}

/** A part of the list of runs. */
export class RunList {
  @Field(listOf(ResultResource))
  results: ResultResource[];

  @Field(orNull(RUN_ID), 'What the next part is asked for with; null at the end.')
  before: number | null;
}
