import {
  FACT_KINDS,
  type FactKind,
  OWN_FIELDS,
  PACKAGE_VERDICTS,
  type ResultValues,
  RUN_STATES,
  type AnsweredRun,
  type RunState,
  TEST_DETAIL_LENGTH_MAX,
  TEST_NAME_LENGTH_MAX,
  TEST_STATUSES,
  type TestStatus,
  TESTS_MAX,
  TROUBLES,
} from '@proctor/contracts';
import { Description, Field, OptionalField } from './field';
import { listOf, orNull, type Schema, text, whole, words } from './schema';
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
  @Field(whole({ minimum: 1 }), 'The number of the event in the history of the run, from 1.')
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

const SCHEMAS: { [Kind in keyof ResultValues]: Schema<ResultValues[Kind]> } = {
  text: text(),
  packageName: PACKAGE_NAME,
  runId: RUN_ID,
  whole: whole(),
  count: whole({ minimum: 0 }),
  time: TIME,
  status: words(PACKAGE_VERDICTS),
  state: words(RUN_STATES),
  verdict: VERDICT,
  trouble: words(TROUBLES),
};

/** What each answer about a run has. */
const RunFields = class extends RequestedOptions {} as new () => AnsweredRun;

for (const { kind, orNull: isNullable, result, prose } of OWN_FIELDS) {
  const schema: Schema<unknown> = SCHEMAS[kind];
  Field(isNullable ? orNull(schema) : schema, prose)(RunFields.prototype as object, result as never);
}

export class ResultResource extends RunFields {
  @OptionalField(
    orNull(whole({ minimum: 1 })),
    'Only for a single waiting run: its place among the runs that wait for the same slots; 1 starts next. Other private runs count only for their own user and for administrators. Null if the scheduler does not answer.',
  )
  position?: number | null;

  @OptionalField(
    orNull(whole({ minimum: 0 })),
    'Only for a single waiting run: how many runs are expected to start before it.',
  )
  ahead?: number | null;

  @OptionalField(
    orNull(TIME),
    'Only for a single waiting run: when it is expected to start; null if it is unknown.',
  )
  estimated_start?: string | null;

  @OptionalField(
    listOf(text()),
    'Only for a single waiting run: why it waits, for people, the most important reason first.',
  )
  reasons?: string[];

  @OptionalField(
    orNull(RunImage),
    'Only for a single run: the image of its testbed, as its worker reported it; null if none is known, as with a backend that has no images of its own.',
  )
  image?: RunImage | null;

  @OptionalField(
    listOf(Test, { maxItems: TESTS_MAX }),
    'Only for a single run: the results of its single tests in the order in which they ran; the first 500. Empty until it has finished, and if they are unknown.',
  )
  tests?: Test[];

  @OptionalField(listOf(FactResource), 'Only for a single run: everything that happened to it, in order.')
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

  @Field(orNull(RUN_ID), 'The position to send for the next part; null at the end.')
  before: number | null;
}
