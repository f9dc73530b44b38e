import { Inject, Injectable } from '@nestjs/common';
import { Packages } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';

/** The backends of packages that have one of their own, as they were `packageBackendsRememberedMs` ago at most. */
@Injectable()
export class OwnBackends {
  private remembered: { backends: Promise<ReadonlyMap<string, string>>; sinceMs: number } | null = null;

  constructor(
    private readonly packages: Packages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * By name of the package.
   * @throws DatabaseUnavailable
   */
  all(): Promise<ReadonlyMap<string, string>> {
    const { packageBackendsRememberedMs } = this.configuration.server;
    const now = performance.now();
    if (this.remembered && now < this.remembered.sinceMs + packageBackendsRememberedMs)
      return this.remembered.backends;
    const read = { backends: this.packages.backends(), sinceMs: now };
    this.remembered = read;
    read.backends.catch(() => {
      if (this.remembered === read) this.remembered = null;
    });
    return read.backends;
  }
}
