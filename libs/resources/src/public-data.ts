import { PACKAGE_VERDICTS, type Status } from '@proctor/contracts';
import { Description, Field, OptionalField } from './field';
import { ResultResource } from './runs';
import { anyObject, decimal, flag, listOf, orNull, text, whole, words } from './schema';
import { RUN_ID, TIME } from './values';

/** The latest status of a package. */
export class PackageStatusResource extends ResultResource {
  @Field(text({ minLength: 1 }), 'How it ended, for people.')
  declare message: string;

  @Field(text(), 'How long the run took, for people.')
  duration_human: string;

  @Field(orNull(words(PACKAGE_VERDICTS)), 'The status of the run before; null for the first run.')
  previous_status: Status;

  @Field(orNull(text()), 'The version in the newest run that passed; null if none did.')
  last_pass_version: string | null;

  @Field(orNull(TIME), 'When that run finished.')
  last_pass_date: string | null;
}

/** Numbers of runs or packages by verdict. */
export class VerdictCounts {
  @Field(whole())
  pass: number;

  @Field(whole())
  neutral: number;

  @Field(whole())
  fail: number;

  @Field(whole())
  tmpfail: number;
}

class PackageCounts extends VerdictCounts {
  @Field(whole())
  total: number;
}

@Description('How many packages of a suite and architecture have which status.')
export class StatusCountsResource extends PackageCounts {
  @Field(orNull(TIME), 'The newest end of a run that counts; null when there is none.')
  date: string | null;
}

@Description('How many packages had which status at the end of a day, or have today.')
export class DayCountsResource extends PackageCounts {
  @Field(TIME, 'The first moment of the day.')
  date: string;
}

/** How the runs of a package ended in one month. */
export class MonthResource extends VerdictCounts {
  @Field(text({ pattern: '^\\d{4}-\\d{2}$' }), 'UTC.')
  month: string;

  @Field(whole())
  total: number;

  @Field(whole(), 'The sum over the runs whose duration is known.')
  total_duration_seconds: number;

  @Field(orNull(whole()), 'Null when no duration is known.')
  average_duration_seconds: number | null;
}

/** A run that a status names. */
export class StatusRun {
  @Field(RUN_ID)
  run_id: number;

  @Field(text())
  version: string;

  @Field(TIME)
  date: string;

  @OptionalField(orNull(text()))
  trigger?: string | null;
}

/** The status of a package on a suite and architecture. */
export class ListedStatusResource {
  @Field(text())
  package: string;

  @Field(text())
  suite: string;

  @Field(text())
  arch: string;

  @Field(orNull(words(PACKAGE_VERDICTS)))
  status: Status;

  @Field(text())
  version: string;

  @Field(TIME)
  date: string;

  @Field(RUN_ID)
  run_id: number;

  @Field(orNull(text()), 'How the run ended, for people, of lists that show it.')
  message: string | null;

  @Field(orNull(words(PACKAGE_VERDICTS)), 'The status of the run before; null for the first run.')
  previous_status: Status;

  @Field(
    orNull(StatusRun),
    'While it fails, the first run that failed since it last passed; a `tmpfail` is none.',
  )
  failing_since: StatusRun | null;

  @Field(
    orNull(StatusRun),
    'While it does not fail, the first run that passed after the newest failure; null also when none ever failed.',
  )
  recovered: StatusRun | null;

  @Field(orNull(StatusRun), 'The newest run that passed or had nothing to test; null when there is none.')
  last_pass: StatusRun | null;

  @Field(flag(), 'From a flakiness of 0.2 on, until it is below 0.1.')
  is_flaky: boolean;

  @Field(
    decimal({ minimum: 0, maximum: 1 }),
    'Changes between pass and fail among the last 30 runs, within a version, as a share of 30.',
  )
  flakiness: number;

  @Field(orNull(whole()), 'The median of these runs; null if no duration is known.')
  median_seconds: number | null;

  @Field(orNull(whole()), '19 of 20 runs took no longer.')
  p95_seconds: number | null;

  @Field(text(), 'Path of its history.')
  page_url: string;
}

export class StatusFilter {
  @Field(orNull(listOf(text())))
  suites: string[] | null;

  @Field(orNull(listOf(text())))
  architectures: string[] | null;

  @Field(orNull(text()))
  package: string | null;

  @OptionalField(TIME, 'Only for `changes`.')
  since?: string;

  @OptionalField(whole(), 'Only for `slow`.')
  minutes?: number;
}

/** A part of a list of statuses. Its items have the columns of the list. */
export class StatusPartResource {
  @Field(text())
  list: string;

  @Field(StatusFilter, 'What was asked for.')
  filter: StatusFilter;

  @Field(listOf(anyObject()))
  items: object[];

  @Field(orNull(text()), 'Path of the next part; null at the end.')
  next: string | null;
}

export class StatisticsFilter {
  @Field(orNull(text()))
  suite: string | null;

  @Field(orNull(text()))
  arch: string | null;
}

export class StartsWithin {
  @Field(whole())
  quarter_hour: number;

  @Field(whole())
  hour: number;

  @Field(whole())
  six_hours: number;

  @Field(whole())
  day: number;
}

export class StatisticsDay {
  @Field(text({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), 'UTC.')
  day: string;

  @Field(
    orNull(VerdictCounts),
    'Packages by their latest status at the end of the day; null if they were not counted.',
  )
  packages: VerdictCounts | null;

  @Field(VerdictCounts, 'Runs that ended on this day.')
  runs: VerdictCounts;

  @Field(whole())
  test_seconds: number;

  @Field(orNull(whole()), 'From the request to the start; null when none was started.')
  mean_wait_seconds: number | null;

  @Field(whole())
  started_runs: number;

  @Field(StartsWithin, 'How many of these were started within that time of their request.')
  began_within: StartsWithin;
}

export class StatisticsResource {
  @Field(StatisticsFilter, 'What was asked for.')
  filter: StatisticsFilter;

  @Field(listOf(StatisticsDay))
  days: StatisticsDay[];
}

/** What public runs did in an hour on an architecture. */
export class HourResource {
  @Field(TIME, 'The beginning of the hour.')
  hour: string;

  @Field(text())
  arch: string;

  @Field(
    orNull(whole()),
    'Runs that waited at the end of the hour, or wait now; null if no scheduler saw it.',
  )
  waiting: number | null;

  @Field(orNull(whole()), 'How long the oldest of them had waited; 0 if none waited.')
  oldest_seconds: number | null;

  @Field(
    orNull(whole()),
    'The most slots that could get runs of the architecture at one time, whatever the suite. Workers share their slots between their architectures.',
  )
  slots: number | null;

  @Field(whole(), 'The time that slots spent on the latest attempts of these runs.')
  busy_seconds: number;

  @Field(whole(), 'Runs that were requested.')
  arrived: number;

  @Field(VerdictCounts, 'Runs that ended, without cancelled ones.')
  runs: VerdictCounts;
}

export class HoursResource {
  @Field(StatisticsFilter, 'What was asked for.')
  filter: StatisticsFilter;

  @Field(listOf(HourResource))
  hours: HourResource[];
}
