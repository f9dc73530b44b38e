import {
  Appointment,
  AppointmentRequest,
  ChangedPassword,
  ChangedStanding,
  EndedSessions,
  text,
  UserList,
} from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, Header, HttpCode, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { UsersAndKeys } from '@proctor/administration';
import type { Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { UserLists } from './user-lists.service';
import { NewPasswordRequest, NewUserRequest, userObject, UsersQuery } from './users.dto';
import { USER_IN_PATH } from '../http/path-ids';

const USER_NAME = { name: { of: text() } };
const NO_SUCH_USER = { description: 'There is no such user.', detail: 'There is no user carol.' };

/** The users who may request tests. */
@Controller('api/v1/admin/users')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class UsersController {
  constructor(
    private readonly lists: UserLists,
    private readonly usersAndKeys: UsersAndKeys,
  ) {}

  /** `after`: what to ask with for the next part; null at the end. */
  @Operation({
    tag: 'Administration',
    id: 'listUsers',
    summary: 'Who may request tests',
    description: 'By name. Send `after` for the next part.',
    answer: {
      description: 'A part of the list.',
      of: UserList,
      example: {
        users: [
          {
            name: 'alice',
            admin: false,
            standing: 'active',
            has_password: true,
            created_at: '2026-11-20T15:39:00.000Z',
            keys: 2,
            sessions: 1,
          },
        ],
        after: null,
      },
    },
  })
  @Get()
  async list(@Sent() query: UsersQuery): Promise<UserList> {
    const { rows: users, last } = await this.lists.users(query);
    return { users: users.map(userObject), after: last };
  }

  @Operation({
    tag: 'Administration',
    id: 'addUser',
    summary: 'Add a user',
    description: 'A user without a password can only use keys or a login provider.',
    answer: { description: 'It is added.', of: Appointment, example: { user: 'carol', admin: false } },
    body: { example: { name: 'carol', admin: false } },
    refusals: {
      409: { description: 'There is a user of that name.', detail: 'There is already a user carol.' },
    },
  })
  @Post()
  @HttpCode(201)
  async add(@Sent() request: NewUserRequest, @CurrentRequestor() requestor: Requestor): Promise<Appointment> {
    const { name: user, isAdmin: admin } = await this.usersAndKeys.add(request, requestor);
    return { user, admin };
  }

  /** `password`: the random password; null if the request has one. */
  @Operation({
    tag: 'Administration',
    id: 'setPassword',
    summary: "Set a user's password",
    description:
      'Ends the sessions of the user. Without `password`, the answer has a random one, only this once.',
    answer: {
      description: 'It is set.',
      of: ChangedPassword,
      example: { user: 'carol', password: 'uJ3c0nZq8sVt2kXw5bYd' },
    },
    path: USER_NAME,
    body: { example: {} },
    refusals: { 404: NO_SUCH_USER },
  })
  @Post(':name/password')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async setPassword(
    @Param('name', USER_IN_PATH) user: string,
    @Sent() { password }: NewPasswordRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<ChangedPassword> {
    const set = await this.usersAndKeys.setPassword(user, password, requestor);
    return { user, password: password === undefined ? set : null };
  }

  @Operation({
    tag: 'Administration',
    id: 'setAdministrator',
    summary: 'Appoint or dismiss an administrator',
    description: 'The last one is not dismissed.',
    answer: { description: 'It is done.', of: Appointment, example: { user: 'carol', admin: true } },
    path: USER_NAME,
    body: { example: { admin: true } },
    refusals: {
      404: NO_SUCH_USER,
      409: {
        description: 'The user is that already, or the last administrator.',
        detail: 'Carol is an administrator already.',
      },
    },
  })
  @Post(':name/administrator')
  @HttpCode(200)
  async setAdministrator(
    @Param('name', USER_IN_PATH) user: string,
    @Sent() { admin }: AppointmentRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<Appointment> {
    await this.usersAndKeys.setAdministrator(user, admin, requestor);
    return { user, admin };
  }

  /** Sessions and keys no longer open anything. */
  @Operation({
    tag: 'Administration',
    id: 'disableUser',
    summary: 'Keep a user out',
    description:
      'Within a second, sessions and keys of the user are no longer valid, and no password or login provider lets the user in. Runs stay, waiting ones too.',
    answer: {
      description: 'It is done.',
      of: ChangedStanding,
      example: { user: 'carol', standing: 'disabled' },
    },
    path: USER_NAME,
    refusals: {
      404: NO_SUCH_USER,
      409: {
        description: 'The user is that already, or the last administrator.',
        detail: 'Carol is disabled already.',
      },
    },
  })
  @Post(':name/disable')
  @HttpCode(200)
  async disable(
    @Param('name', USER_IN_PATH) user: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<ChangedStanding> {
    await this.usersAndKeys.setDisabled(user, true, requestor);
    return { user, standing: 'disabled' };
  }

  @Operation({
    tag: 'Administration',
    id: 'enableUser',
    summary: 'Let a user in again',
    description: 'A disabled user has the same keys and password as before; a removed user has none.',
    answer: {
      description: 'It is done.',
      of: ChangedStanding,
      example: { user: 'carol', standing: 'active' },
    },
    path: USER_NAME,
    refusals: {
      404: NO_SUCH_USER,
      409: {
        description: 'The user is that already, or the last administrator.',
        detail: 'Carol is not disabled.',
      },
    },
  })
  @Post(':name/enable')
  @HttpCode(200)
  async enable(
    @Param('name', USER_IN_PATH) user: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<ChangedStanding> {
    await this.usersAndKeys.setDisabled(user, false, requestor);
    return { user, standing: 'active' };
  }

  /** The runs stay, and so does the name. */
  @Operation({
    tag: 'Administration',
    id: 'removeUser',
    summary: 'Remove a user',
    description:
      'Password, keys, sessions, webhooks and what the user follows are gone for good. Runs and results stay under the name, which no other user gets.',
    answer: {
      description: 'It is done.',
      of: ChangedStanding,
      example: { user: 'carol', standing: 'removed' },
    },
    path: USER_NAME,
    refusals: {
      404: NO_SUCH_USER,
      409: {
        description: 'The user is that already, or the last administrator.',
        detail: 'Carol is removed already.',
      },
    },
  })
  @Post(':name/remove')
  @HttpCode(200)
  async remove(
    @Param('name', USER_IN_PATH) user: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<ChangedStanding> {
    await this.usersAndKeys.remove(user, requestor);
    return { user, standing: 'removed' };
  }

  /** `ended`: the number of browsers in which the user was logged in. */
  @Operation({
    tag: 'Administration',
    id: 'endSessions',
    summary: 'Log a user out of all browsers',
    description: 'Keys go on.',
    answer: { description: 'It is done.', of: EndedSessions, example: { user: 'carol', ended: 2 } },
    path: USER_NAME,
    refusals: { 404: NO_SUCH_USER },
  })
  @Post(':name/end_sessions')
  @HttpCode(200)
  async endSessions(
    @Param('name', USER_IN_PATH) user: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<EndedSessions> {
    return { user, ended: await this.usersAndKeys.endSessions(user, requestor) };
  }
}
