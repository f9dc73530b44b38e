import { describe, isPackageName, packagePrefix } from '@proctor/contracts';
import { Injectable } from '@nestjs/common';
import { PackagePages, PrefixPages, PublicRuns } from '@proctor/database';
import type { PackageOfPrefix, PackageState, PackageStatus, PrefixPlace, RunRecord } from '@proctor/database';
import { ExplanationService } from '../../dispatchers/explanation.service';
import { notFound, type Problem } from '../../http/problem';
import { PACKAGES_SHOWN_MAX } from '../layout/package-list';
import { staleBefore } from '../layout/stale';
import { TestedPackages } from '../search/tested-packages';
import type { PackageData } from './package-view';
import type { PrefixQuery } from './prefix-query';
import { fittingPage } from './prefix-view';

const UNFINISHED_SHOWN_MAX = 200;
const PREFIX = /^(lib[a-z0-9+.-]|[a-z0-9])$/;

/** One page of the packages of a prefix, the worst first. */
interface PackagesOfPrefix {
  packages: string[];
  /** The statuses of these packages on the requested places. */
  statuses: PackageStatus[];
  /** Counted over all pages. */
  counts: Record<PackageState, number>;
  places: PrefixPlace[];
  /** The last package of this page; null when there is no next page. */
  last: PackageOfPrefix | null;
}

/** Loads the data of the pages of a package and of a prefix. */
@Injectable()
export class PackagePageService {
  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly pages: PackagePages,
    private readonly prefixes: PrefixPages,
    private readonly explanation: ExplanationService,
    private readonly tested: TestedPackages,
  ) {}

  /** The prefixes that packages have, such as `a` and `liba`. */
  prefixList(): Promise<string[]> {
    return this.publicRuns.prefixes();
  }

  /** Whether the first word of a path is the name of a package. Addresses of autopkgtest-cloud have no prefix. */
  async isPackage(prefix: string): Promise<boolean> {
    return !PREFIX.test(prefix) && isPackageName(prefix) && (await this.pages.isKnown(prefix));
  }

  /** @throws Problem 404 when the name is not valid, and when the package has no public run */
  async loadPackage(prefix: string, name: string): Promise<PackageData> {
    checkName(prefix, name);
    const [suites, statuses, unfinished] = await Promise.all([
      this.publicRuns.suitesOf(name),
      this.publicRuns.packageStatuses([name]),
      this.pages.listUnfinished(name, UNFINISHED_SHOWN_MAX),
    ]);
    if (suites.length === 0 && unfinished.length === 0) await this.checkKnown(name);
    const absent = suites.length === 0 ? await this.publicRuns.absentFrom(name) : [];
    return { name, latest: suites.map(({ latest }) => latest), statuses, unfinished, absent };
  }

  /**
   * Milliseconds until all waiting runs are done: the dispatchers' longest estimate for their suite queues. Null when a
   * dispatcher has no estimate.
   */
  async doneInMs(unfinished: RunRecord[]): Promise<number | null> {
    const waiting = unfinished.filter(({ state }) => state === 'queued');
    if (waiting.length === 0) return 0;
    const statuses = await this.explanation.statuses([...new Set(waiting.map(({ arch }) => arch))]);
    const times = waiting.map(({ suite, arch }) => {
      const queue = statuses.get(arch)?.queues.find((each) => each.suite === suite);
      return queue?.emptyInMs ?? null;
    });
    return times.every((ms) => ms !== null) ? Math.max(...times) : null;
  }

  /** @throws Problem 404 when no package has the prefix, and when no package follows `after` */
  async ofPrefix(
    prefix: string,
    { status, suite, arch, after }: PrefixQuery,
    { staleDays }: { staleDays: number },
  ): Promise<PackagesOfPrefix> {
    if (!PREFIX.test(prefix)) throw noPrefix(prefix, after);
    const filter = { state: status, suite, arch, staleBefore: staleBefore(staleDays) };
    const [{ packages: matches, counts }, places] = await Promise.all([
      this.prefixes.part(prefix, filter, PACKAGES_SHOWN_MAX + 1, after),
      this.prefixes.places(prefix, filter),
    ]);
    const isFiltered = status !== null || suite !== null || arch !== null;
    if (matches.length === 0 && (after !== null || !isFiltered)) throw noPrefix(prefix, after);
    const page = fittingPage(matches, places.length);
    const packages = page.map(({ name }) => name);
    const statuses = await this.publicRuns.packageStatuses(packages);
    return {
      packages,
      statuses: statuses.filter(
        (each) => (suite === null || each.suite === suite) && (arch === null || each.arch === arch),
      ),
      counts,
      places,
      last: matches.length > page.length ? page.at(-1)! : null,
    };
  }

  /**
   * Checks the suite of an address without an architecture.
   * @param suites the configured ones
   * @throws Problem 404 when the package is unknown, and when the suite is neither configured nor has results of it
   */
  async checkSuite(prefix: string, name: string, suite: string, suites: string[]): Promise<void> {
    const { latest } = await this.loadPackage(prefix, name);
    const isThere = suites.includes(suite) || latest.some((run) => run.suite === suite);
    if (!isThere) throw notFound(`There is no suite ${describe(suite)}.`);
  }

  /** @throws Problem 404 when the package has no public run, with packages that have similar names */
  async checkKnown(name: string): Promise<void> {
    if (await this.pages.isKnown(name)) return;
    const detail = `No run of the package ${describe(name)} was requested yet.`;
    throw notFound(detail, await this.tested.findNear(name));
  }
}

function noPrefix(prefix: string, after: PackageOfPrefix | null): Problem {
  return notFound(
    `There is no package at ${describe(prefix)}${after ? ` after ${describe(after.name)}` : ''}.`,
  );
}

function checkName(prefix: string, name: string): void {
  if (!isPackageName(name) || prefix !== packagePrefix(name)) throw notFound('There is no such package.');
}
