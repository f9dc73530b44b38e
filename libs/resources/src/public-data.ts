import { Field } from './field';
import { anyObject, listOf, orNull, text, whole } from './schema';

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
