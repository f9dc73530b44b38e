import { Inject, Injectable } from '@nestjs/common';
import { isWord, VERDICTS } from '@proctor/contracts';
import type { Verdict } from '@proctor/contracts';
import { PublicRuns } from '@proctor/database';
import type { DayCounts, StatusCounts, StatusRecord, StatusVersion } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { describe, notFound } from '../http/problem';
import { statusOf } from '../results/result-object';
import { Remembered } from './remembered';

/** The parts of a public path that name all packages of a suite and architecture. */
export interface StatusPlace {
  suite: string;
  arch: string;
}

/** A status as clients know it. */
export type StatusWord = Verdict;

/** Packages by the word of their latest status. */
export type WordCounts = Record<StatusWord, number> & { total: number };

/** Records that are in memory at a time. */
const PAGE_LENGTH = 1_000;

const PLACES_REMEMBERED_MAX = 1_000;

/** Of the history. */
const DAYS_MAX = 90;

/** What is known of all packages of a suite and architecture. */
@Injectable()
export class StatusService {
  private readonly counted = new Remembered<StatusCounts>(PLACES_REMEMBERED_MAX);
  private readonly days = new Remembered<DayCounts[]>(PLACES_REMEMBERED_MAX);

  constructor(
    private readonly publicRuns: PublicRuns,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The words that a status may be, in the order in which pages show them. */
  get words(): StatusWord[] {
    return VERDICTS.filter((verdict) => statusOf(verdict, this.configuration.server.neutral) === verdict);
  }

  /** @throws Problem 404 for a suite or architecture that has no run and is not tested here */
  async version({ suite, arch }: StatusPlace): Promise<StatusVersion> {
    const { suites, architectures } = this.configuration.server;
    if (!isWord(suite) || !isWord(arch)) throw notFound('There is no such suite and architecture.');
    const version = await this.publicRuns.statusVersion(suite, arch);
    if (version.newestUpdate) return version;
    if (!suites.includes(suite)) throw notFound(`There is no suite ${describe(suite)}.`);
    if (!architectures.includes(arch)) throw notFound(`There is no architecture ${describe(arch)}.`);
    return version;
  }

  /** The latest status of every package, by name, in pages that are read one after the other. */
  async *all({ suite, arch }: StatusPlace): AsyncGenerator<StatusRecord[]> {
    let after = '';
    for (;;) {
      const page = await this.publicRuns.statusOf(suite, arch, { after, limit: PAGE_LENGTH });
      yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_LENGTH) return;
      after = last.package;
    }
  }

  /** A part of them: the packages after a name, with one status only when a word is given. */
  some(place: StatusPlace, after: string, limit: number, word: StatusWord | null): Promise<StatusRecord[]> {
    const { neutral } = this.configuration.server;
    const verdicts = word && VERDICTS.filter((verdict) => statusOf(verdict, neutral) === word);
    return this.publicRuns.statusOf(place.suite, place.arch, {
      after,
      limit,
      ...(verdicts && { verdicts }),
    });
  }

  /** @param version as `version` told it just now; the counts are not older */
  async counts(place: StatusPlace, version: StatusVersion): Promise<WordCounts & { date: Date | null }> {
    const { suite, arch } = place;
    const counts = await this.counted.get(`${suite}/${arch}`, stateOf(version), () =>
      this.publicRuns.statusCounts(suite, arch),
    );
    return { ...this.byWord(counts), date: counts.date };
  }

  /**
   * At the end of each day, oldest first, from the first day on which there was something.
   * @param version as `version` told it just now
   */
  async history(place: StatusPlace, version: StatusVersion): Promise<(WordCounts & { date: Date })[]> {
    const { suite, arch } = place;
    const days = await this.days.get(`${suite}/${arch}`, `${stateOf(version)} ${version.today}`, () =>
      this.publicRuns.statusHistory(suite, arch, DAYS_MAX),
    );
    const first = days.findIndex((day) => day.total > 0);
    return first < 0 ? [] : days.slice(first).map((day) => ({ ...this.byWord(day), date: day.date }));
  }

  private byWord(verdicts: Record<Verdict, number> & { total: number }): WordCounts {
    const counts: WordCounts = { pass: 0, neutral: 0, fail: 0, tmpfail: 0, total: verdicts.total };
    for (const verdict of VERDICTS) {
      const word = statusOf(verdict, this.configuration.server.neutral);
      if (word) counts[word] += verdicts[verdict];
    }
    return counts;
  }
}

/** Another text for another state of the packages. */
export function stateOf({ newestUpdate, latelyUpdated }: StatusVersion): string {
  return `${newestUpdate?.getTime() ?? 0}-${latelyUpdated}`;
}
