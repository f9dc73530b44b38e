import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { isWord, type NeutralStatus, PACKAGE_VERDICTS, describe } from '@proctor/contracts';
import type { PackageVerdict } from '@proctor/contracts';
import { DayStatistics, PublicRuns } from '@proctor/database';
import type { DayCounts, StatusCounts, StatusRecord, StatusVersion } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { notFound } from '../http/problem';
import { SharedAnswers } from '../http/shared-answers';
import { endWords, statusOf } from '../runs/result-object';
import { statusObject } from './status-object';

/** The parts of a public path that name a suite and an architecture. */
export interface SuiteArch {
  suite: string;
  arch: string;
}

/** A status in the words of the API. */
export type StatusWord = PackageVerdict;

/** Packages by the word of their latest status. */
export type WordCounts = Record<StatusWord, number> & { total: number };

/** An answer about a place, with the state of its packages from which it was made. */
interface DatedAnswer<T> {
  version: StatusVersion;
  answer: T;
}

/** How many records are in memory at a time. */
const PAGE_LENGTH = 1_000;

const PLACES_REMEMBERED_MAX = 1_000;
/** The maximum total size of all lists in memory. */
const LISTED_BYTES_MAX = 64 * 1024 * 1024;
const RECORDS_REMEMBERED_MAX = 20_000;

/** The maximum number of days of a history. */
const DAYS_MAX = 90;

/** The status of all packages of a suite and architecture. */
@Injectable()
export class StatusService {
  private readonly placeCounts: SharedAnswers<DatedAnswer<StatusCounts>>;
  private readonly days: SharedAnswers<DatedAnswer<DayCounts[]>>;
  private readonly parts: SharedAnswers<StatusRecord[]>;
  private readonly listed: SharedAnswers<DatedAnswer<Buffer>>;

  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly statistics: DayStatistics,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {
    const ageMaxMs = () => configuration.server.publicAgeMaxMs;
    this.placeCounts = new SharedAnswers(systemClock, { ageMaxMs, sizeMax: PLACES_REMEMBERED_MAX });
    this.days = new SharedAnswers(systemClock, { ageMaxMs, sizeMax: PLACES_REMEMBERED_MAX });
    this.parts = new SharedAnswers(systemClock, {
      ageMaxMs,
      sizeMax: RECORDS_REMEMBERED_MAX,
      sizeOf: (records) => records.length,
    });
    this.listed = new SharedAnswers(systemClock, {
      ageMaxMs,
      sizeMax: LISTED_BYTES_MAX,
      sizeOf: ({ answer }) => answer.length,
    });
  }

  /** All words of a status, in the order of the pages. */
  get words(): StatusWord[] {
    return PACKAGE_VERDICTS.filter(
      (verdict) => statusOf(verdict, this.configuration.server.neutral) === verdict,
    );
  }

  /** The words for the results of runs in a history. */
  get historyWords(): string[] {
    return endWords(this.configuration.server.neutral);
  }

  /** @throws Problem 404 if the suite or architecture is not tested here and has no run */
  async version({ suite, arch }: SuiteArch): Promise<StatusVersion> {
    const { suites, architectures } = this.configuration.server;
    if (!isWord(suite) || !isWord(arch)) throw notFound('There is no such suite and architecture.');
    const version = await this.publicRuns.statusVersion(suite, arch);
    if (version.newestUpdate) return version;
    if (!suites.includes(suite)) throw notFound(`There is no suite ${describe(suite)}.`);
    if (!architectures.includes(arch)) throw notFound(`There is no architecture ${describe(arch)}.`);
    return version;
  }

  /** The latest status of every package, one object in each line, sorted by name, as gzip-compressed JSON. */
  list(place: SuiteArch): Promise<DatedAnswer<Buffer>> {
    const { neutral } = this.configuration.server;
    return this.answer(this.listed, place, neutral, ({ suite, arch }) =>
      buffer(
        pipeline(Readable.from(jsonArray(this.all({ suite, arch }), neutral)), createGzip(), () => undefined),
      ),
    );
  }

  /** A part of the packages: those after a name, and only those with the given status. */
  some(place: SuiteArch, after: string, limit: number, word: StatusWord | null): Promise<StatusRecord[]> {
    const { neutral } = this.configuration.server;
    const { suite, arch } = place;
    const verdicts = word && PACKAGE_VERDICTS.filter((verdict) => statusOf(verdict, neutral) === word);
    return this.parts.find(`${suite}/${arch} ${after} ${limit} ${verdicts?.join() ?? ''}`, () =>
      this.publicRuns.statusOf(suite, arch, { after, limit, ...(verdicts && { verdicts }) }),
    );
  }

  async counts(place: SuiteArch): Promise<DatedAnswer<WordCounts & { date: Date | null }>> {
    const { version, answer } = await this.answer(this.placeCounts, place, '', ({ suite, arch }) =>
      this.publicRuns.statusCounts(suite, arch),
    );
    return { version, answer: { ...this.byWord(answer), date: answer.date } };
  }

  /** The counts at the end of each day, oldest first, from the first day with data. */
  async history(place: SuiteArch): Promise<DatedAnswer<(WordCounts & { date: Date })[]>> {
    const { version, answer } = await this.answer(this.days, place, '', ({ suite, arch }) =>
      this.publicRuns.statusHistory(suite, arch, DAYS_MAX),
    );
    const first = answer.findIndex((day) => day.total > 0);
    const days = first < 0 ? [] : answer.slice(first);
    return { version, answer: days.map((day) => ({ ...this.byWord(day), date: day.date })) };
  }

  /**
   * The counts at the end of a day, also of a day before the history.
   * @param day `YYYY-MM-DD`, UTC
   * @throws Problem 404 if it is no day, or has no data
   */
  async ofDay(
    place: SuiteArch,
    day: string,
  ): Promise<{ version: StatusVersion; counts: WordCounts & { date: Date } }> {
    const date = new Date(`${day}T00:00:00Z`);
    const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
    const { version, answer: days } = await this.history(place);
    const counts = isDay ? days.find((each) => each.date.getTime() === date.getTime()) : undefined;
    if (counts) return { version, counts };
    const [record] = isDay
      ? (await this.statistics.packages(day, place)).filter((each) => each.day === day)
      : [];
    if (!record) throw notFound(`Nothing is known of the day ${describe(day)}.`);
    const { pass, neutral, fail, tmpfail } = record;
    const total = pass + neutral + fail + tmpfail;
    return { version, counts: { ...this.byWord({ pass, neutral, fail, tmpfail, total }), date } };
  }

  /**
   * Made again only if the state of the packages has changed. The state is read first, so the answer is not older.
   */
  private answer<T>(
    answers: SharedAnswers<DatedAnswer<T>>,
    place: SuiteArch,
    form: string,
    make: (place: SuiteArch) => Promise<T>,
  ): Promise<DatedAnswer<T>> {
    return answers.find(`${place.suite}/${place.arch} ${form}`, async (previous) => {
      const version = await this.version(place);
      const isSame = previous !== undefined && stateOf(previous.version) === stateOf(version);
      return isSame ? previous : { version, answer: await make(place) };
    });
  }

  /** Reads all records of a suite and architecture, page by page. */
  private async *all({ suite, arch }: SuiteArch): AsyncGenerator<StatusRecord[]> {
    let after = '';
    for (;;) {
      const page = await this.publicRuns.statusOf(suite, arch, { after, limit: PAGE_LENGTH });
      yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_LENGTH) return;
      after = last.package;
    }
  }

  private byWord(verdicts: Record<PackageVerdict, number> & { total: number }): WordCounts {
    const counts: WordCounts = { pass: 0, neutral: 0, fail: 0, tmpfail: 0, total: verdicts.total };
    for (const verdict of PACKAGE_VERDICTS) {
      const word = statusOf(verdict, this.configuration.server.neutral);
      if (word) counts[word] += verdicts[verdict];
    }
    return counts;
  }
}

/** A text that changes with the state of the packages. */
export function stateOf({ newestUpdate, latelyUpdated, removed, today }: StatusVersion): string {
  return `${newestUpdate?.getTime() ?? 0}-${latelyUpdated}-${removed}-${today}`;
}

/** One object in each line. */
async function* jsonArray(
  pages: AsyncIterable<StatusRecord[]>,
  neutral: NeutralStatus,
): AsyncGenerator<string> {
  let before = '[\n';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map((record) => JSON.stringify(statusObject(record, neutral))).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
