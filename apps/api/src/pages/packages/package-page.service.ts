import { describe, isPackageName, packagePrefix } from '@proctor/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { PackagePages, PublicRuns } from '@proctor/database';
import type { PackageStatus } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { notFound } from '../../http/problem';
import { PACKAGES_SHOWN_MAX } from '../frame/list';
import type { PackageKnown } from './package-view';

const UNFINISHED_SHOWN_MAX = 200;
const PREFIX = /^(lib[a-z0-9+.-]|[a-z0-9])$/;

/** A part of the packages of a prefix, by name. */
interface PackagesOfPrefix {
  packages: string[];
  statuses: PackageStatus[];
  /** After which the next part begins; null at the end. */
  lastName: string | null;
}

/** Gathers what pages tell of one package. */
@Injectable()
export class PackagePageService {
  constructor(
    private readonly publicRuns: PublicRuns,
    private readonly pages: PackagePages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @throws Problem 404 for a package of which no public run was asked for, and for what is no package's name */
  async known(prefix: string, name: string): Promise<PackageKnown> {
    checkName(prefix, name);
    const [suites, kept, unfinished] = await Promise.all([
      this.publicRuns.suitesOf(name),
      this.publicRuns.packageStatuses([name]),
      this.pages.unfinished(name, UNFINISHED_SHOWN_MAX),
    ]);
    if (suites.length === 0 && unfinished.length === 0) await this.checkKnown(name);
    return { name, latest: suites.map(({ latest }) => latest), kept, unfinished };
  }

  /** @throws Problem 404 for a prefix that no package has, or none after that name */
  async ofPrefix(prefix: string, after: string): Promise<PackagesOfPrefix> {
    const part = { after, limit: PACKAGES_SHOWN_MAX + 1 };
    const found = PREFIX.test(prefix) ? await this.publicRuns.packagesOf(prefix, part) : [];
    if (found.length === 0)
      throw notFound(`There is no package at ${describe(prefix)}${after && ` after ${describe(after)}`}.`);
    const packages = found.slice(0, PACKAGES_SHOWN_MAX);
    const statuses = await this.publicRuns.packageStatuses(packages);
    return { packages, statuses, lastName: found.length > packages.length ? packages.at(-1)! : null };
  }

  /**
   * The suite of an address without an architecture.
   * @throws Problem 404 for an unknown package, and for a suite on which it has no results and nothing is tested
   */
  async checkSuite(prefix: string, name: string, suite: string): Promise<void> {
    const { latest } = await this.known(prefix, name);
    const isThere =
      this.configuration.server.suites.includes(suite) || latest.some((run) => run.suite === suite);
    if (!isThere) throw notFound(`There is no suite ${describe(suite)}.`);
  }

  /** @throws Problem 404 for a package of which no public run was asked for */
  async checkKnown(name: string): Promise<void> {
    if (await this.pages.isKnown(name)) return;
    throw notFound(`No run of the package ${describe(name)} was asked for here yet.`);
  }
}

function checkName(prefix: string, name: string): void {
  if (!isPackageName(name) || prefix !== packagePrefix(name)) throw notFound('There is no such package.');
}
