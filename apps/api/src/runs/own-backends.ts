import { Injectable } from '@nestjs/common';
import { Packages } from '@proctor/database';

const REMEMBERED_MS = 1_000;

/** The backends of packages that have one of their own, as they were within the last second. */
@Injectable()
export class OwnBackends {
  private remembered: { backends: Promise<ReadonlyMap<string, string>>; untilMs: number } | null = null;

  constructor(private readonly packages: Packages) {}

  /**
   * By name of the package.
   * @throws DatabaseUnavailable
   */
  all(): Promise<ReadonlyMap<string, string>> {
    const now = performance.now();
    if (this.remembered && now < this.remembered.untilMs) return this.remembered.backends;
    const read = { backends: this.packages.backends(), untilMs: now + REMEMBERED_MS };
    this.remembered = read;
    read.backends.catch(() => {
      if (this.remembered === read) this.remembered = null;
    });
    return read.backends;
  }
}
