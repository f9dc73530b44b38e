import { PACKAGE_VERDICTS, type PackageVerdict, UNTESTED_VERDICTS } from '@proctor/contracts';
import { Field } from './field';
import { ResultResource } from './runs';
import { component, flag, listOf, mapOf, orNull, text, whole, words } from './schema';
import { RUN_ID, TIME } from './values';

/** The groups of a trigger's tests, in the order in which people look at them. Runs that tested nothing have a group for each verdict. */
export const TRIGGER_GROUPS = [
  'regression',
  'unknown',
  'as-before',
  'infrastructure',
  ...UNTESTED_VERDICTS,
  'waiting',
  'passed',
  'superseded',
] as const;
export type TriggerGroup = (typeof TRIGGER_GROUPS)[number];

export const TEST_GROUP = component('TestGroup', words(TRIGGER_GROUPS));

export class TriggerSummary {
  @Field(text())
  trigger: string;

  @Field(whole({ minimum: 1 }))
  runs: number;

  @Field(whole({ minimum: 0 }))
  unfinished: number;

  @Field(whole({ minimum: 0 }))
  failed: number;

  @Field(TIME)
  first_at: string;

  @Field(TIME)
  last_at: string;

  @Field(text())
  page_url: string;
}

export class TriggerArchitecture {
  @Field(text())
  arch: string;

  @Field(whole({ minimum: 0 }))
  total: number;

  @Field(whole({ minimum: 0 }))
  waiting: number;

  @Field(
    orNull(whole({ minimum: 0 })),
    'The time until the queues in which its tests wait are done; null if it is unknown.',
  )
  estimate_seconds: number | null;
}

export class ReferenceResult {
  @Field(RUN_ID)
  run_id: number;

  @Field(words(PACKAGE_VERDICTS))
  status: PackageVerdict;

  @Field(text())
  version: string;

  @Field(TIME)
  date: string;
}

export class TriggerTestResource {
  @Field(TEST_GROUP)
  group: TriggerGroup;

  @Field(orNull(text()), 'The signature of the first error in its log.')
  signature: string | null;

  @Field(ResultResource)
  result: ResultResource;

  @Field(orNull(ReferenceResult))
  reference: ReferenceResult | null;
}

export class TriggerProgressResource {
  @Field(text())
  trigger: string;

  @Field(whole({ minimum: 0 }), 'Tests, without superseded runs.')
  total: number;

  @Field(whole({ minimum: 0 }))
  done: number;

  @Field(mapOf(whole({ minimum: 0 })), 'How many tests are in each group.')
  counts: Record<string, number>;

  @Field(listOf(TriggerArchitecture))
  architectures: TriggerArchitecture[];

  @Field(flag(), 'Whether there are older runs that are not listed.')
  is_cut: boolean;

  @Field(orNull(RUN_ID), 'The `before` of the next part of the tests; null at the end.')
  before: number | null;

  @Field(listOf(TriggerTestResource))
  tests: TriggerTestResource[];
}

export class TriggerList {
  @Field(listOf(TriggerSummary))
  triggers: TriggerSummary[];

  @Field(orNull(RUN_ID))
  before: number | null;
}
