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
import { AFTER_PACKAGE, listPages } from '../layout/package-list';
import { shapeOf } from '../layout/mark';
import { PageInterceptor, type Page } from '../layout/page';
import { ListDirectory } from './lists.controller';
import type { NeutralStatus } from '@proctor/contracts';
import { statusOf } from '../../runs/result-object';
import { runView, type RunView } from '../runs/run-view';

interface StatusListState extends SuiteArch {
  words: StatusWord[];
  /** Only packages with this status; null for all. */
  word: StatusWord | null;
  /** The last package of the previous page; empty on the first page. */
  after: string;
  counts: WordCounts;
}

/** Rows on a page of the packages with one status. */
const ROWS_SHOWN_MAX = 50;
/** Names on a page of all packages. */
const NAMES_SHOWN_MAX = 400;
/** What needs attention. The page of all packages begins with some packages of each. */
const ATTENTION = ['fail', 'tmpfail'] as const;
const ATTENTION_SHOWN_MAX = 25;

/**
 * One page of the packages of a suite and architecture: those with one status in rows, or all as names, below what needs attention.
 * @param attention the first packages that need it; empty on pages with one status, and after the first page
 */
export function statusListView(
  { suite, arch, words, word, after, counts }: StatusListState,
  { rows, last }: ListedPart<StatusRecord, string>,
  neutral: NeutralStatus,
  attention: StatusRecord[] = [],
) {
  const url = `/status/${suite}/${arch}/`;
  const shownRows = word === null ? attention : rows;
  return {
    suite,
    arch,
    url,
    jsonUrl: `/data/status/${suite}/${arch}/packages.json`,
    words,
    word,
    counts,
    packages: shownRows.map((record) => ({
      run: runView(record, neutral),
      previous: statusOf(record.previousStatus, neutral),
      lastPass: record.lastPass,
    })),
    names: word === null ? rows.map((record) => nameView(runView(record, neutral))) : [],
    more: ATTENTION.filter((each) => attention.length > 0 && counts[each] > ATTENTION_SHOWN_MAX),
    pages: listPages(url, after, last, word),
  };
}

function nameView({ package: name, packageUrl, word }: RunView) {
  return { name, url: packageUrl, word, shape: shapeOf(word) };
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
    const isFirst = word === null && after === '';
    const [part, ...attention] = await Promise.all([
      loadPart(
        word === null ? NAMES_SHOWN_MAX : ROWS_SHOWN_MAX,
        (limit) => this.status.some(place, after, limit, word),
        (record) => record.package,
      ),
      ...(isFirst ? ATTENTION : []).map((each) => this.status.some(place, '', ATTENTION_SHOWN_MAX, each)),
    ]);
    const { neutral } = this.configuration.server;
    const state = { ...place, words, word, after, counts };
    const data = statusListView(state, part, neutral, attention.flat());
    return { template: 'status-list', data, updates: version.newestUpdate ? [version.newestUpdate] : [] };
  }
}
