import { Controller, Get, Header, Inject, Param, Req } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { describe, FOLLOW_KINDS } from '@proctor/contracts';
import type { Follow, User } from '@proctor/database';
import { FollowRequest } from '@proctor/resources';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Sent } from '../../http/body.interceptor';
import type { Parameters } from '../../http/parameters';
import { baseUrl } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import { RUN_IN_PATH } from '../../http/path-ids';
import { badRequest } from '../../http/problem';
import { isTriggerName } from '../../runs/trigger.service';
import { CurrentViewer, Viewer } from '../../sessions/viewer';
import { Form } from '../layout/form-action';
import type { Page, Redirect } from '../layout/page';
import { followPath } from '../layout/followable';
import { CurrentUser, OwnPages, requireLogin } from './account-pages';
import { FollowedService, PatternsPipe } from './followed.service';
import { type MailForm, mailFormOf, MailService } from './mail.service';
import { FollowsService, isPattern, patternFault } from './follows.service';

/** Reads what a form names: in the field `package`, `run` or `trigger`. */
class FollowPipe implements PipeTransform<Parameters, Follow> {
  /** @throws Problem 400 when it names nothing, and for a name that no package or trigger can have; 404 for no number of a run */
  transform(parameters: Parameters): Follow {
    for (const kind of FOLLOW_KINDS) {
      const name = parameters.get(kind)?.value;
      if (typeof name !== 'string' || name === '') continue;
      if (kind === 'package' && !isPattern(name)) throw badRequest(patternFault(name));
      if (kind === 'trigger' && !isTriggerName(name)) throw badRequest(`${describe(name)} is no trigger.`);
      if (kind === 'run') RUN_IN_PATH.transform(name);
      return { kind, name };
    }
    throw badRequest('The form names no package, run or trigger.');
  }
}

/** Reads the run or the trigger that a person entered: a number is a run. */
class EnteredPipe implements PipeTransform<Parameters, Follow> {
  transform(parameters: Parameters): Follow {
    const value = parameters.get('name')?.value;
    const name = typeof value === 'string' ? value.trim() : '';
    return { kind: /^\d+$/.test(name) ? 'run' : 'trigger', name };
  }
}

/** Reads the form of the address for mails. */
class MailPipe implements PipeTransform<Parameters, MailForm> {
  transform(parameters: Parameters): MailForm {
    const textOf = (name: string): string => {
      const value = parameters.get(name)?.value;
      return typeof value === 'string' ? value.trim() : '';
    };
    return mailFormOf(textOf('address'), textOf('period'));
  }
}

/** Names in the notice after a form; the others are counted. */
const NAMED_MAX = 3;

/** `hello, sed, grep and 2 more` */
function listOf(names: string[]): string {
  const rest = names.length - NAMED_MAX;
  return names.slice(0, NAMED_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** `glibc/2.42-3`, or `run 12` */
function subjectOf({ kind, name }: Follow): string {
  return kind === 'run' ? `run ${name}` : name;
}

const PACKAGES = '/user/:user/packages';

/** A form of the page. */
const OWN_PAGE = {
  then: PACKAGES,
  page: (pages: FollowedController, request: ContextRequest) => pages.page(requireLogin(request)),
};

/** The packages that a user follows. */
@Controller('user/:user/packages')
@Requires('nothing')
@OwnPages()
export class FollowedController {
  constructor(
    private readonly followed: FollowedService,
    private readonly follows: FollowsService,
    private readonly mail: MailService,
  ) {}

  @Get()
  page(@CurrentUser() user: User): Promise<Page> {
    return this.followed.page(user);
  }

  @Form('follow', { ...OWN_PAGE, field: 'packages' })
  async follow(@Sent(PatternsPipe) { packages }: FollowRequest, @CurrentUser() user: User): Promise<string> {
    await this.follows.followPackages(user, packages);
    return `You follow ${listOf(packages)}.`;
  }

  @Form('follow-more', { ...OWN_PAGE, field: 'name' })
  async followMore(
    @Sent(EnteredPipe) follow: Follow,
    @CurrentUser() user: User,
    @CurrentViewer() { reader }: Viewer,
  ): Promise<string> {
    await this.follows.follow(user, reader, follow);
    return `You follow ${subjectOf(follow)}.`;
  }

  @Form('unfollow', OWN_PAGE)
  async unfollow(@Sent(FollowPipe) follow: Follow, @CurrentUser() user: User): Promise<string> {
    await this.follows.unfollow(user, follow);
    return `You no longer follow ${subjectOf(follow)}.`;
  }

  @Form('mail', OWN_PAGE)
  async setMail(@Sent(MailPipe) form: MailForm, @CurrentUser() user: User): Promise<void> {
    await this.mail.set(user, form);
  }

  @Form('mail/end', { then: PACKAGES })
  async endMail(@CurrentUser() user: User): Promise<string> {
    await this.mail.remove(user);
    return 'The address was removed.';
  }

  /** Gives the feed a new address; the old address no longer works. */
  @Form('feed', { then: PACKAGES })
  async renewFeed(@CurrentUser() user: User): Promise<string> {
    await this.followed.renewFeed(user);
    return 'Your feed has a new address.';
  }

  @Form('feed/end', { then: PACKAGES })
  async endFeed(@CurrentUser() user: User): Promise<string> {
    await this.followed.endFeed(user);
    return 'Your feed has ended.';
  }
}

/** The buttons on the pages of packages, runs and triggers; the browser returns to the page. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages()
export class FollowButtonsController {
  constructor(private readonly follows: FollowsService) {}

  @Form('follow')
  async follow(
    @Sent(FollowPipe) follow: Follow,
    @CurrentUser() user: User,
    @CurrentViewer() { reader }: Viewer,
  ): Promise<Redirect> {
    await this.follows.follow(user, reader, follow);
    return { redirectTo: followPath(follow) };
  }

  @Form('unfollow')
  async unfollow(@Sent(FollowPipe) follow: Follow, @CurrentUser() user: User): Promise<Redirect> {
    await this.follows.unfollow(user, follow);
    return { redirectTo: followPath(follow) };
  }
}

/** The followed packages as JSON. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages({ isData: true })
export class FollowedDataController {
  constructor(private readonly followed: FollowedService) {}

  @Get('packages.json')
  object(@CurrentUser() user: User): ReturnType<FollowedService['object']> {
    return this.followed.object(user);
  }
}

/** The followed packages for feed readers. They have no session, so the address is secret. */
@Controller('data/followed')
@Requires('nothing')
export class FollowedFeedController {
  constructor(
    private readonly followed: FollowedService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get(':file')
  @Header('Content-Type', 'application/atom+xml; charset=utf-8')
  @Header('Cache-Control', 'private, max-age=300')
  @Header('X-Robots-Tag', 'noindex')
  feed(@Param('file') file: string, @Req() request: Request): Promise<string> {
    return this.followed.feed(file, baseUrl(request, this.configuration.server.publicUrl));
  }
}
