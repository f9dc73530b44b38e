import { Controller, Get, Param, UseInterceptors } from '@nestjs/common';
import { UsersAndKeys } from '@proctor/administration';
import type { Administrator } from '@proctor/administration';
import { AppointmentRequest } from '@proctor/resources';
import { UserLists } from '../../admin/user-lists.service';
import { NewPasswordRequest, NewUserRequest, UsersQuery } from '../../admin/users.dto';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { USER_IN_PATH, wordInPath } from '../../http/path-ids';
import type { ContextRequest } from '../../http/request-context';
import { CurrentActor } from '../account/account-pages';
import { type ConfirmedAction, Form, NoFields, SentForm } from '../layout/form-action';
import type { Page, Redirect } from '../layout/page';
import { AdminPages, notice } from './admin-pages';

const USER = '/admin/users/:name';

const ONE_USER = {
  then: USER,
  page: (pages: AdminUsersController, { params }: ContextRequest) => pages.page(String(params['name'])),
};

const ACCESS_CHANGES = {
  disable: {
    verb: 'Disable',
    lead: 'The user is logged out, and no key, password or login provider lets them in. Runs stay, those that wait too.',
  },
  enable: {
    verb: 'Enable',
    lead: 'The user can log in again. A removed user has no password and no key then.',
  },
  remove: {
    verb: 'Remove',
    lead: 'Password, keys, sessions, webhooks and what is followed are gone for good. Runs and results stay, and no other user gets the name.',
  },
};
type AccessChange = keyof typeof ACCESS_CHANGES;

function noSuchChange(text: string): string {
  return `A user can be disabled, enabled or removed, not ${text}.`;
}

/** The pages of the users who may request tests. */
@Controller('admin/users')
@Requires('nothing')
@AdminPages()
export class AdminUsersController {
  constructor(
    private readonly lists: UserLists,
    private readonly usersAndKeys: UsersAndKeys,
  ) {}

  @Get()
  @UseInterceptors(BodyInterceptor)
  async list(@Sent() query: UsersQuery): Promise<Page> {
    const { rows: users, last } = await this.lists.users(query);
    return { template: 'admin/users', data: { users, last, search: query.search ?? '', after: query.after } };
  }

  @Form('', { page: (pages: AdminUsersController) => pages.list({}) })
  async add(@SentForm() form: NewUserRequest, @CurrentActor() by: Administrator): Promise<Redirect> {
    const { name } = await this.usersAndKeys.add(form, by);
    return { redirectTo: `/admin/users/${name}` };
  }

  @Get(':name')
  async page(@Param('name', USER_IN_PATH) name: string): Promise<Page> {
    return { template: 'admin/user', data: await this.lists.user(name) };
  }

  @Form(':name/password', ONE_USER)
  async setPassword(
    @Param('name', USER_IN_PATH) name: string,
    @SentForm() { password }: NewPasswordRequest,
    @CurrentActor() by: Administrator,
  ): Promise<Page> {
    const set = await this.usersAndKeys.setPassword(name, password, by);
    const lead = 'The password is set. All sessions with the old password have ended.';
    const secret = password === undefined && { secret: set };
    return notice({ title: `Password of ${name}`, lead, back: `/admin/users/${name}`, ...secret });
  }

  @Form(':name/administrator', ONE_USER)
  setAdministrator(
    @Param('name', USER_IN_PATH) name: string,
    @SentForm() { admin }: AppointmentRequest,
    @CurrentActor() by: Administrator,
  ): ConfirmedAction {
    const appointment = {
      title: `Make ${name} an administrator?`,
      lead: 'Administrators may cancel any run, hold queues and workers back, and decide about users.',
      button: 'Make administrator',
    };
    const dismissal = {
      title: `Dismiss ${name} as administrator?`,
      lead: 'The user keeps account, keys and runs, and decides about nothing but those.',
      button: 'Dismiss',
    };
    return {
      question: () => (admin ? appointment : dismissal),
      act: () => this.usersAndKeys.setAdministrator(name, admin, by),
    };
  }

  @Form(':name/end-sessions', ONE_USER)
  endSessions(
    @Param('name', USER_IN_PATH) name: string,
    @SentForm() _form: NoFields,
    @CurrentActor() by: Administrator,
  ): ConfirmedAction {
    return {
      question: async () => {
        const { user } = await this.lists.user(name);
        const lead = `The user is logged out of ${browsers(user.sessions)}. Keys stay valid.`;
        return { title: `End the sessions of ${name}?`, lead, button: 'End them' };
      },
      act: async () => {
        const sessions = await this.usersAndKeys.endSessions(name, by);
        const lead = `${name} was logged out of ${browsers(sessions)}.`;
        return notice({ title: `Sessions of ${name}`, lead, back: `/admin/users/${name}` });
      },
    };
  }

  @Form(':name/:change', ONE_USER)
  changeAccess(
    @Param('name', USER_IN_PATH) name: string,
    @Param('change', wordInPath(Object.keys(ACCESS_CHANGES) as AccessChange[], noSuchChange))
    change: AccessChange,
    @SentForm() _form: NoFields,
    @CurrentActor() by: Administrator,
  ): ConfirmedAction {
    return {
      question: async () => {
        const { user } = await this.lists.user(name);
        const { verb, lead } = ACCESS_CHANGES[change];
        return { title: `${verb} ${user.name}?`, lead, button: verb };
      },
      act: async () => {
        if (change === 'remove') await this.usersAndKeys.remove(name, by);
        else await this.usersAndKeys.setDisabled(name, change === 'disable', by);
      },
    };
  }
}

function browsers(count: number): string {
  return count === 1 ? 'one browser' : `${count} browsers`;
}
