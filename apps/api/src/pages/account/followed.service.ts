import { Inject, Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { describe, type FollowKind } from '@proctor/contracts';
import { Follows, PublicRuns } from '@proctor/database';
import type { User } from '@proctor/database';
import type { FollowedResource, FollowRequest } from '@proctor/resources';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import type { Parameters } from '../../http/parameters';
import { loadPart } from '../../http/parts';
import { badRequestAt, notFound } from '../../http/problem';
import { atomFeed } from '../../public-data/status-feed';
import { PACKAGES_SHOWN_MAX } from '../layout/package-list';
import { staleBefore } from '../layout/stale';
import type { Page } from '../layout/page';
import { type Follower, isPattern, patternFault } from './follows.service';
import { MailService } from './mail.service';
import { type Followed, followedEntries, followedObject, followedView } from './followed-view';

/** Limit for the names in one request. */
export const NAMES_MAX = 10_000;
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
    const wrong = words.find((word) => typeof word !== 'string' || !isPattern(word));
    if (wrong !== undefined) throw badRequestAt(patternFault(wrong), pointer);
    return { packages: [...new Set(words as string[])] };
  }
}

/** The packages that a user follows, as a page, as JSON and as a feed. */
@Injectable()
export class FollowedService {
  constructor(
    private readonly follows: Follows,
    private readonly publicRuns: PublicRuns,
    private readonly mail: MailService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async page(user: User): Promise<Page> {
    const { server } = this.configuration;
    const [packages, mail, token] = await Promise.all([
      this.find(user.userId),
      this.mail.settings(user),
      this.follows.feedToken(user.userId),
    ]);
    const feed = token === null ? null : feedPath(token);
    return {
      template: 'account/followed',
      data: {
        ...followedView(packages, { ...server, staleBefore: staleBefore(server.staleDays) }),
        mail,
        feed,
        feedTitle: 'My packages',
      },
    };
  }

  async object({ userId }: Follower): Promise<FollowedResource> {
    return followedObject(await this.find(userId), this.configuration.server.neutral);
  }

  renewFeed(user: User): Promise<void> {
    return this.follows.renewFeed(user.userId);
  }

  endFeed(user: User): Promise<void> {
    return this.follows.endFeed(user.userId);
  }

  /**
   * The feed. Anybody who has its address can read it.
   * @param base the address of this server, for absolute links
   * @throws Problem 404 when there is no such feed
   */
  async feed(file: string, base: string): Promise<string> {
    const [, token] = TOKEN.exec(file) ?? [];
    const owner = token === undefined ? null : await this.follows.ownerOf(token);
    if (token === undefined || owner === null) throw notFound('There is no such feed.');
    const { statuses } = await this.find(owner);
    const service = this.configuration.server.serviceName;
    const address = { service, base, feedPath: feedPath(token), pagePath: '/packages/' };
    return atomFeed('My packages', address, followedEntries(statuses));
  }

  private async find(userId: number): Promise<Followed> {
    const follows = await this.follows.list(userId);
    const namesOf = (kind: FollowKind): string[] =>
      follows.filter((follow) => follow.kind === kind).map(({ name }) => name);
    const patterns = namesOf('package');
    const read = (limit: number) => this.follows.listMatching(patterns, limit);
    const { rows: packages, last } = await loadPart(PACKAGES_SHOWN_MAX, read, (name) => name);
    const statuses = packages.length === 0 ? [] : await this.publicRuns.packageStatuses(packages);
    return {
      patterns,
      runs: namesOf('run').map(Number),
      triggers: namesOf('trigger'),
      packages,
      hasMore: last !== null,
      statuses,
    };
  }
}

function feedPath(token: string): string {
  return `/data/followed/${token}.xml`;
}
