import { Inject, Injectable } from '@nestjs/common';
import { isPackageName } from '@proctor/contracts';
import { PackagePages } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { inSlices } from '../../http/slices';
import { packagePath } from '../../runs/page-paths';
import { KnownSources } from '../../sources/known-sources';

const NEAR_NAMES_MAX = 5;

/** Something with this text: its name for people, and the path of its page. */
export interface Hit {
  name: string;
  url: string;
}

/** Finds packages that were tested in public. */
@Injectable()
export class TestedPackages {
  constructor(
    private readonly packages: PackagePages,
    private readonly sources: KnownSources,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async findNamed(query: string): Promise<Hit | null> {
    const name = query.toLowerCase();
    return isPackageName(name) && (await this.packages.isKnown(name)) ? packageHit(name) : null;
  }

  /** A package whose whole name is the query comes first. */
  async find(query: string, limit: number): Promise<Hit[]> {
    const part = query.toLowerCase();
    // Names of packages have no other characters.
    if (!/^[a-z0-9+.-]+$/.test(part)) return [];
    return (await this.packages.search(part, limit)).map(packageHit);
  }

  async findNear(query: string): Promise<Hit[]> {
    const name = query.toLowerCase();
    if (!isPackageName(name)) return [];
    const { suites, architectures } = this.configuration.server;
    const dated = suites.flatMap((suite) => architectures.map((arch) => this.sources.of(suite, arch)));
    const lists = new Set(dated.flatMap((each) => (each ? [each.list] : [])));
    const names = new Set<string>();
    for (const list of lists) for (const near of await inSlices(list.near(name))) names.add(near);
    const isTested = await Promise.all([...names].map((near) => this.packages.isKnown(near)));
    return [...names]
      .filter((_, index) => isTested[index])
      .slice(0, NEAR_NAMES_MAX)
      .map(packageHit);
  }
}

function packageHit(name: string): Hit {
  return { name, url: packagePath(name) };
}
