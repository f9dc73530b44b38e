import { PACKAGE_VERDICTS, type Status } from '@proctor/contracts';
import { Field } from './field';
import { ResultResource } from './runs';
import { anyObject, listOf, orNull, text, whole, words } from './schema';
import { TIME } from './values';

/** The latest status of a package. */
export class PackageStatusResource extends ResultResource {
  @Field(text({ minLength: 1 }), 'How it ended, for people.')
  declare message: string;

  @Field(text(), 'How long the run took, for people.')
  duration_human: string;

  @Field(orNull(words(PACKAGE_VERDICTS)), 'Of the run before; null the first time.')
  previous_status: Status;

  @Field(orNull(text()), 'Of the newest run that passed; null when none did.')
  last_pass_version: string | null;

  @Field(orNull(TIME), 'When that run finished.')
  last_pass_date: string | null;
}

/** How the runs of a package ended in one month. */
export class MonthResource {
  @Field(text({ pattern: '^\\d{4}-\\d{2}$' }), 'UTC.')
  month: string;

  @Field(whole())
  pass: number;

  @Field(whole())
  neutral: number;

  @Field(whole())
  fail: number;

  @Field(whole())
  tmpfail: number;

  @Field(whole())
  total: number;

  @Field(whole(), 'Of those whose duration is known.')
  total_duration_seconds: number;

  @Field(orNull(whole()), 'Null when no duration is known.')
  average_duration_seconds: number | null;
}

/** A part of a list of statuses. Its items have the columns of the list. */
export class StatusPartResource {
  @Field(text())
  list: string;

  @Field(anyObject(), 'What was asked for.')
  filter: object;

  @Field(listOf(anyObject()))
  items: object[];

  @Field(orNull(text()), 'Path of the next part; null at the end.')
  next: string | null;
}

export class StatisticsResource {
  @Field(anyObject(), 'What was asked for.')
  filter: object;

  @Field(listOf(anyObject()))
  days: object[];
}
