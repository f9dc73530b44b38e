import { describe, isPackageName, packagePrefix } from '@proctor/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { PackagePages, PrefixPages, PublicRuns } from '@proctor/database';
import type { PackageOfPrefix, PackageState, PackageStatus, PrefixPlace, RunRecord } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { ExplanationService } from '../../dispatchers/explanation.service';
import { notFound, type Problem } from '../../http/problem';
import { PACKAGES_SHOWN_MAX } from '../layout/package-list';
import { staleBefore } from '../layout/stale';
import type { PackageKnown } from './package-view';
import type { PrefixAsked } from './prefix-asked';
import { fittingPage } from './prefix-view';

const UNFINISHED_SHOWN_MAX = 200;
const PREFIX = /^(lib[a-z0-9+.-]|[a-z0-9])$/;

/** A part of the packages of a prefix, the worst first. */
interface PackagesOfPrefix {
  packages: string[];
  /** Of these, on the places that are asked for. */
  statuses: PackageStatus[];
  /** Of all that are asked for. */
  counts: Record<PackageState, number>;
  places: PrefixPlace[];
  /** After which the next part begins; null at the end. */
  last: PackageOfPrefix | null;
}

/** Gathers what pages show of one package. */
@Injectable()
export class PackagePageService {
  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly pages: PackagePages,
    private readonly prefixes: PrefixPages,
    private readonly explanation: ExplanationService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The first letters of all packages. */
  prefixList(): Promise<string[]> {
    return this.publicRuns.prefixes();
  }

  /** Whether the name of a package stands where a prefix belongs: autopkgtest-cloud's addresses have none. */
  async isPackage(prefix: string): Promise<boolean> {
    return !PREFIX.test(prefix) && isPackageName(prefix) && (await this.pages.isKnown(prefix));
  }

  /** @throws Problem 404 for a package without a public run, and for what is no package's name */
  async loadPackage(prefix: string, name: string): Promise<PackageKnown> {
    checkName(prefix, name);
    const [suites, kept, unfinished] = await Promise.all([
      this.publicRuns.suitesOf(name),
      this.publicRuns.packageStatuses([name]),
      this.pages.listUnfinished(name, UNFINISHED_SHOWN_MAX),
    ]);
    if (suites.length === 0 && unfinished.length === 0) await this.checkKnown(name);
    const absent = suites.length === 0 ? await this.publicRuns.absentFrom(name) : [];
    return { name, latest: suites.map(({ latest }) => latest), kept, unfinished, absent };
  }

  /**
   * Until all runs that wait are done: when the last that waits now in their suite queues is, as the dispatchers expect. Null where
   * one of them does not know.
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

  /** @throws Problem 404 for a prefix that no package has, or none after that one */
  async ofPrefix(prefix: string, { status, suite, arch, after }: PrefixAsked): Promise<PackagesOfPrefix> {
    if (!PREFIX.test(prefix)) throw noPrefix(prefix, after);
    const filter = {
      state: status,
      suite,
      arch,
      staleBefore: staleBefore(this.configuration.server.staleDays),
    };
    const [{ packages: found, counts }, places] = await Promise.all([
      this.prefixes.part(prefix, filter, PACKAGES_SHOWN_MAX + 1, after),
      this.prefixes.places(prefix, filter),
    ]);
    const isFiltered = status !== null || suite !== null || arch !== null;
    if (found.length === 0 && (after !== null || !isFiltered)) throw noPrefix(prefix, after);
    const shown = fittingPage(found, places.length);
    const packages = shown.map(({ name }) => name);
    const statuses = await this.publicRuns.packageStatuses(packages);
    return {
      packages,
      statuses: statuses.filter(
        (each) => (suite === null || each.suite === suite) && (arch === null || each.arch === arch),
      ),
      counts,
      places,
      last: found.length > shown.length ? shown.at(-1)! : null,
    };
  }

  /**
   * The suite of an address without an architecture.
   * @throws Problem 404 for an unknown package, and for a suite on which it has no results and nothing is tested
   */
  async checkSuite(prefix: string, name: string, suite: string): Promise<void> {
    const { latest } = await this.loadPackage(prefix, name);
    const isThere =
      this.configuration.server.suites.includes(suite) || latest.some((run) => run.suite === suite);
    if (!isThere) throw notFound(`There is no suite ${describe(suite)}.`);
  }

  /** @throws Problem 404 for a package without a public run */
  async checkKnown(name: string): Promise<void> {
    if (await this.pages.isKnown(name)) return;
    throw notFound(`No run of the package ${describe(name)} was asked for here yet.`);
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
