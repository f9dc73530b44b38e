import { Inject, Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import { FollowedPackages, PublicRuns } from '@proctor/database';
import type { User } from '@proctor/database';
import type { FollowedResource, FollowRequest } from '@proctor/resources';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import type { Parameters } from '../../http/parameters';
import { loadPart } from '../../http/parts';
import { badRequest, notFound, badRequestAt } from '../../http/problem';
import { atomFeed } from '../../public-data/status-feed';
import { PACKAGES_SHOWN_MAX } from '../layout/package-list';
import { staleBefore } from '../layout/stale';
import type { Page } from '../layout/page';
import { type Followed, followedEntries, followedObject, followedView } from './followed-view';

/** Limit for patterns with `*`: each is compared with the names of all packages. */
const WILD_PATTERNS_MAX = 20;
/** Limit for the names in one request. */
export const NAMES_MAX = 10_000;
const PATTERN = /^[a-z0-9*][a-z0-9+.*-]{0,199}$/;
const TOKEN = /^([\w-]{43})\.xml$/;

/** Reads the names to follow: a text with names separated by white space or commas, or a list in JSON. */
export class PatternsPipe implements PipeTransform<Parameters, FollowRequest> {
  /** @throws Problem 400 when a name is not valid, and when there is no name */
  transform(parameters: Parameters): FollowRequest {
    const { value, pointer } = parameters.get('packages') ?? { value: '', pointer: null };
    const list: unknown = typeof value === 'string' ? value.split(/[\s,]+/, NAMES_MAX + 1) : value;
    if (!Array.isArray(list))
      throw badRequestAt(`packages must be a text or a list of names, not ${describe(value)}.`, pointer);
    if (list.length > NAMES_MAX)
      throw badRequestAt(`packages names more than ${NAMES_MAX} at once.`, pointer);
    const words = list.filter((word) => word !== '') as unknown[];
    if (words.length === 0) throw badRequestAt('No package is named in packages.', pointer);
    const wrong = words.find((word) => typeof word !== 'string' || !PATTERN.test(word));
    if (wrong !== undefined)
      throw badRequestAt(`${describe(wrong)} is no name of a package, nor a part of one with *.`, pointer);
    return { packages: [...new Set(words as string[])] };
  }
}

/** The user who follows the packages. */
type Follower = Pick<User, 'userId'>;

/** The packages that a user follows, as a page, as JSON and as a feed. */
@Injectable()
export class FollowedService {
  constructor(
    private readonly followed: FollowedPackages,
    private readonly publicRuns: PublicRuns,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async page(user: User): Promise<Page> {
    const { server } = this.configuration;
    const [packages, token] = await Promise.all([
      this.find(user.userId),
      this.followed.feedToken(user.userId),
    ]);
    const feed = token === null ? null : feedPath(token);
    return {
      template: 'account/followed',
      data: {
        ...followedView(packages, { ...server, staleBefore: staleBefore(server.staleDays) }),
        feed,
        feedTitle: 'My packages',
      },
    };
  }

  async object({ userId }: Follower): Promise<FollowedResource> {
    return followedObject(await this.find(userId), this.configuration.server.neutral);
  }

  /** @throws Problem 400 when there would be too many; then none of the new names is followed */
  async follow({ userId }: Follower, patterns: string[]): Promise<void> {
    const { followedPackagesMax } = this.configuration.server;
    const previous = await this.followed.patterns(userId);
    const wild = new Set([...previous, ...patterns].filter((pattern) => pattern.includes('*')));
    if (wild.size > WILD_PATTERNS_MAX)
      throw badRequest(`You may follow ${WILD_PATTERNS_MAX} patterns with *; there would be ${wild.size}.`);
    if (await this.followed.follow(userId, patterns, followedPackagesMax)) return;
    throw badRequest(`You may follow ${followedPackagesMax} names and patterns; there would be more.`);
  }

  /** @returns false when the user did not follow it */
  async unfollow({ userId }: Follower, pattern: string): Promise<boolean> {
    return PATTERN.test(pattern) && this.followed.unfollow(userId, pattern);
  }

  renewFeed(user: User): Promise<void> {
    return this.followed.renewFeed(user.userId);
  }

  endFeed(user: User): Promise<void> {
    return this.followed.endFeed(user.userId);
  }

  /**
   * The feed. Anybody who has its address can read it.
   * @param base the address of this server, for absolute links
   * @throws Problem 404 when there is no such feed
   */
  async feed(file: string, base: string): Promise<string> {
    const [, token] = TOKEN.exec(file) ?? [];
    const owner = token === undefined ? null : await this.followed.ownerOf(token);
    if (token === undefined || owner === null) throw notFound('There is no such feed.');
    const { statuses } = await this.find(owner);
    const address = { base, feedPath: feedPath(token), pagePath: '/packages/' };
    return atomFeed('My packages', address, followedEntries(statuses));
  }

  private async find(userId: number): Promise<Followed> {
    const patterns = await this.followed.patterns(userId);
    const read = (limit: number) => this.followed.listMatching(patterns, limit);
    const { rows: packages, last } = await loadPart(PACKAGES_SHOWN_MAX, read, (name) => name);
    const statuses = packages.length === 0 ? [] : await this.publicRuns.packageStatuses(packages);
    return { patterns, packages, hasMore: last !== null, statuses };
  }
}

function feedPath(token: string): string {
  return `/data/followed/${token}.xml`;
}
