import { Inject, Injectable } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import { type Follow, Follows, type RunReader, type User } from '@proctor/database';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { badRequest } from '../../http/problem';
import { RUN_IN_PATH } from '../../http/path-ids';
import { TriggerService } from '../../runs/trigger.service';
import { VisibleRuns } from '../../runs/visible-runs';

/** Limit for patterns with `*`: each is compared with the names of all packages. */
const WILD_PATTERNS_MAX = 20;
const PATTERN = /^[a-z0-9*][a-z0-9+.*-]{0,199}$/;

/** Whether it can be a package's name, or a part of one with `*`. */
export function isPattern(text: string): boolean {
  return PATTERN.test(text);
}

export function patternFault(text: unknown): string {
  return `${describe(text)} is no name of a package, nor a part of one with *.`;
}

/** The user who follows. */
export type Follower = Pick<User, 'userId'>;

/** Adds and removes what users follow. */
@Injectable()
export class FollowsService {
  constructor(
    private readonly follows: Follows,
    private readonly runs: VisibleRuns,
    private readonly triggers: TriggerService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @throws Problem 404 for a run or trigger that the reader may not know of; 400 when there would be too much */
  async follow(follower: Follower, reader: RunReader, { kind, name }: Follow): Promise<void> {
    if (kind === 'package') return this.followPackages(follower, [name]);
    if (kind === 'run') await this.runs.one(RUN_IN_PATH.transform(name), reader);
    else await this.triggers.checkVisible(name, reader);
    await this.add(follower, kind, [name]);
  }

  /** @throws Problem 400 when there would be too many; then none of the new names is followed */
  async followPackages(follower: Follower, patterns: string[]): Promise<void> {
    const isWild = (pattern: string): boolean => pattern.includes('*');
    if (patterns.some(isWild)) {
      const previous = (await this.follows.list(follower.userId)).filter(({ kind }) => kind === 'package');
      const wild = new Set([...previous.map(({ name }) => name), ...patterns].filter(isWild));
      if (wild.size > WILD_PATTERNS_MAX)
        throw badRequest(`You may follow ${WILD_PATTERNS_MAX} patterns with *; there would be ${wild.size}.`);
    }
    await this.add(follower, 'package', patterns);
  }

  /** @returns false when the user did not follow it */
  async unfollow({ userId }: Follower, follow: Follow): Promise<boolean> {
    return !follow.name.includes('\0') && this.follows.unfollow(userId, follow);
  }

  private async add({ userId }: Follower, kind: Follow['kind'], names: string[]): Promise<void> {
    const { followedPackagesMax: most } = this.configuration.server;
    if (await this.follows.follow(userId, kind, names, most)) return;
    throw badRequest(`You may follow ${most} packages, patterns, runs and triggers; there would be more.`);
  }
}
