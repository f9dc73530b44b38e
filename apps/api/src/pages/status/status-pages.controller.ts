import { Controller, Get, Inject, Param, Query, UseInterceptors } from '@nestjs/common';
import { DayStatistics, type PackagesOfPlace, type StatusRecord } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION, type ApiConfiguration } from '../../configuration.token';
import {
  StatusService,
  type SuiteArch,
  type StatusWord,
  type WordCounts,
} from '../../public-data/status.service';
import { fromQuery, oneOf } from '../../http/parameter-values';
import { loadPart, type ListedPart } from '../../http/parts';
import { AFTER_PACKAGE, PACKAGES_SHOWN_MAX, listPages } from '../layout/package-list';
import { PageInterceptor, type Page } from '../layout/page';
import { ListDirectory } from './lists.controller';
import type { NeutralStatus } from '@proctor/contracts';
import { statusOf } from '../../runs/result-object';
import { utc } from '../layout/times';
import { runView } from '../runs/run-view';

interface StatusListState extends SuiteArch {
  words: StatusWord[];
  /** Only packages with this status; null for all. */
  word: StatusWord | null;
  /** The last package of the previous page; empty on the first page. */
  after: string;
  counts: WordCounts;
}

/** One page of the packages of a suite and architecture, with their latest status. */
export function statusListView(
  { suite, arch, words, word, after, counts }: StatusListState,
  { rows, last }: ListedPart<StatusRecord, string>,
  neutral: NeutralStatus,
) {
  const url = `/status/${suite}/${arch}/`;
  return {
    suite,
    arch,
    url,
    jsonUrl: `/data/status/${suite}/${arch}/packages.json`,
    words,
    word,
    counts,
    packages: rows.map((record) => ({
      run: runView(record, neutral),
      previous: statusOf(record.previousStatus, neutral),
      lastPass: record.lastPass ? `${record.lastPass.version} (${utc(record.lastPass.date)})` : '',
    })),
    pages: listPages(url, after, last, word),
  };
}

interface Targets {
  suites: string[];
  architectures: string[];
  neutral: NeutralStatus;
}

interface OverviewRow {
  suite: string;
  arch: string;
  counts: WordCounts;
  url: string;
}

const NONE = { pass: 0, neutral: 0, fail: 0, tmpfail: 0 };

/** The number of packages by status for each place: configured places first, then those that have only old results. */
function overviewRows(places: PackagesOfPlace[], { suites, architectures, neutral }: Targets): OverviewRow[] {
  const byPlace = new Map(places.map((place) => [`${place.suite}/${place.arch}`, place]));
  const tested = suites.flatMap((suite) => architectures.map((arch) => ({ suite, arch, ...NONE })));
  const isTested = ({ suite, arch }: PackagesOfPlace): boolean =>
    suites.includes(suite) && architectures.includes(arch);
  return [...tested, ...places.filter((place) => !isTested(place))].map(({ suite, arch }) => {
    const { pass, neutral: empty, fail, tmpfail } = byPlace.get(`${suite}/${arch}`) ?? NONE;
    const total = pass + empty + fail + tmpfail;
    const counts =
      neutral === 'pass'
        ? { pass: pass + empty, neutral: 0, fail, tmpfail, total }
        : { pass, neutral: empty, fail, tmpfail, total };
    return { suite, arch, counts, url: `/status/${suite}/${arch}/` };
  });
}

/** `Of 120 packages on 14 suites and architectures, 3 fail and 1 could not be tested.` A package counts once for each place. */
function overviewSentence(rows: OverviewRow[]): string {
  const sum = (count: (counts: WordCounts) => number): number =>
    rows.reduce((total, { counts }) => total + count(counts), 0);
  const [total, fail, tmpfail] = [sum((all) => all.total), sum((all) => all.fail), sum((all) => all.tmpfail)];
  if (total === 0) return 'No package has a result yet.';
  const places = rows.filter(({ counts }) => counts.total > 0).length;
  const on = places === 1 ? 'one suite and architecture' : `${places} suites and architectures`;
  const numberText = (value: number): string => value.toLocaleString('en');
  return `Of ${numberText(total)} packages on ${on}, ${numberText(fail)} fail and ${numberText(tmpfail)} could not be tested.`;
}

/** The status pages: an overview of all places, and the packages of each place. */
@Controller('status')
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class StatusPagesController {
  constructor(
    private readonly status: StatusService,
    private readonly lists: ListDirectory,
    private readonly statistics: DayStatistics,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async overview(): Promise<Page> {
    const { server } = this.configuration;
    const rows = overviewRows(await this.statistics.places(), server);
    const lists = this.lists.all.map(({ name, title }) => ({ title, url: `/status/${name}/` }));
    const sentence = overviewSentence(rows);
    return { template: 'status-overview', data: { rows, words: this.status.words, lists, sentence } };
  }

  @Get(':suite/:arch')
  async list(
    @Param() place: SuiteArch,
    @Query('status') value: unknown,
    @Query('after', AFTER_PACKAGE) after: string,
  ): Promise<Page> {
    const { words } = this.status;
    const word = fromQuery('status', value, oneOf(words));
    const { version, answer: counts } = await this.status.counts(place);
    const part = await loadPart(
      PACKAGES_SHOWN_MAX,
      (limit) => this.status.some(place, after, limit, word),
      (record) => record.package,
    );
    const { neutral } = this.configuration.server;
    const data = statusListView({ ...place, words, word, after, counts }, part, neutral);
    return { template: 'status-list', data, updates: version.newestUpdate ? [version.newestUpdate] : [] };
  }
}
