import { AppointmentRequest } from '@proctor/resources';
import { Controller, Get, HttpCode, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { UsersAndKeys } from '@proctor/administration';
import { describe } from '@proctor/contracts';
import type { PipeTransform } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import { UserLists } from '../../admin/user-lists.service';
import { NewPasswordRequest, NewUserRequest, UserNamePipe, UsersQuery } from '../../admin/users.dto';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { notFound } from '../../http/problem';
import type { ContextRequest } from '../../http/request-context';
import type { Page, Redirect } from '../layout/page';
import { administratorOf, AdminPages, ask, TakesAdminForm, tell } from './admin-pages';
import { Confirmation } from './forms';

class AppointmentForm extends AppointmentRequest {
  @IsOptional()
  confirmed?: unknown;
}

const ACCESS_CHANGES = {
  disable: {
    verb: 'Disable',
    lead: 'The user is logged out, and no key, password or login provider lets them in. Runs stay, those that wait too.',
  },
  enable: {
    verb: 'Enable',
    lead: 'The user may come in again. One who was removed has no password and no key then.',
  },
  remove: {
    verb: 'Remove',
    lead: 'Password, keys, sessions, webhooks and what is followed are gone for good. Runs and results stay, and nobody else gets the name.',
  },
};
type AccessChange = keyof typeof ACCESS_CHANGES;

class AccessChangePipe implements PipeTransform<string, AccessChange> {
  /** @throws Problem 404 */
  transform(text: string): AccessChange {
    if (Object.hasOwn(ACCESS_CHANGES, text)) return text as AccessChange;
    throw notFound(`A user can be disabled, enabled or removed, not ${describe(text)}.`);
  }
}

/** Who may ask for tests. */
@Controller('admin/users')
@Requires('nothing')
@AdminPages()
export class UsersPageController {
  constructor(
    private readonly lists: UserLists,
    private readonly usersAndKeys: UsersAndKeys,
  ) {}

  @Get()
  @UseInterceptors(BodyInterceptor)
  async list(@Sent() query: UsersQuery): Promise<Page> {
    const { users, last } = await this.lists.users(query);
    return { template: 'admin/users', data: { users, last, search: query.search ?? '', after: query.after } };
  }

  @Post()
  @HttpCode(200)
  @TakesAdminForm()
  async add(@Sent() form: NewUserRequest, @Req() request: ContextRequest): Promise<Redirect> {
    const { name } = await this.usersAndKeys.add(form, administratorOf(request));
    return { redirectTo: userUrl(name) };
  }

  @Get(':name')
  async page(@Param('name', UserNamePipe) name: string): Promise<Page> {
    return { template: 'admin/user', data: await this.lists.user(name) };
  }

  @Post(':name/password')
  @HttpCode(200)
  @TakesAdminForm()
  async setPassword(
    @Param('name', UserNamePipe) name: string,
    @Sent() { password }: NewPasswordRequest,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    const set = await this.usersAndKeys.setPassword(name, password, administratorOf(request));
    const title = `Password of ${name}`;
    const lead = 'The password is set; who was logged in with the one before is out.';
    return tell({ title, lead, back: userUrl(name), ...(password === undefined && { secret: set }) });
  }

  @Post(':name/administrator')
  @HttpCode(200)
  @TakesAdminForm()
  async setAdministrator(
    @Param('name', UserNamePipe) name: string,
    @Sent() { admin, confirmed }: AppointmentForm,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    if (confirmed !== 'true') {
      return ask({
        title: admin ? `Make ${name} an administrator?` : `Dismiss ${name} as administrator?`,
        lead: admin
          ? 'Administrators may cancel any run, hold queues and workers back, and decide about users.'
          : 'The user keeps account, keys and runs, and decides about nothing but those.',
        action: `${userUrl(name)}/administrator`,
        fields: [['admin', String(admin)]],
        button: admin ? 'Appoint' : 'Dismiss',
        back: userUrl(name),
      });
    }
    await this.usersAndKeys.setAdministrator(name, admin, administratorOf(request));
    return { redirectTo: userUrl(name) };
  }

  @Post(':name/end-sessions')
  @HttpCode(200)
  @TakesAdminForm()
  async endSessions(
    @Param('name', UserNamePipe) name: string,
    @Sent() { confirmed }: Confirmation,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    const back = userUrl(name);
    if (confirmed !== 'true') {
      const { user } = await this.lists.user(name);
      return ask({
        title: `End the sessions of ${name}?`,
        lead: `The user is logged out of ${browsers(user.sessions)}. Keys go on.`,
        action: `${back}/end-sessions`,
        fields: [],
        button: 'End them',
        back,
      });
    }
    const ended = await this.usersAndKeys.endSessions(name, administratorOf(request));
    return tell({
      title: `Sessions of ${name}`,
      lead: `${name} was logged out of ${browsers(ended)}.`,
      back,
    });
  }

  @Post(':name/:change')
  @HttpCode(200)
  @TakesAdminForm()
  async changeAccess(
    @Param('name', UserNamePipe) name: string,
    @Param('change', AccessChangePipe) change: AccessChange,
    @Sent() { confirmed }: Confirmation,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    const back = userUrl(name);
    if (confirmed !== 'true') {
      const { user } = await this.lists.user(name);
      const { verb, lead } = ACCESS_CHANGES[change];
      const title = `${verb} ${user.name}?`;
      return ask({ title, lead, action: `${back}/${change}`, fields: [], button: verb, back });
    }
    const by = administratorOf(request);
    if (change === 'remove') await this.usersAndKeys.remove(name, by);
    else await this.usersAndKeys.setDisabled(name, change === 'disable', by);
    return { redirectTo: back };
  }
}

function browsers(count: number): string {
  return count === 1 ? 'one browser' : `${count} browsers`;
}

function userUrl(name: string): string {
  return `/admin/users/${name}`;
}
