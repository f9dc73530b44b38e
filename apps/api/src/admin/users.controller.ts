import { Controller, Get, Header, HttpCode, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { UsersAndKeys } from '@proctor/administration';
import type { Requestor, UserStanding } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { UserLists } from './user-lists.service';
import {
  AnyKeyIdPipe,
  AppointmentRequest,
  KeysQuery,
  NewPasswordRequest,
  NewUserRequest,
  ownedKeyObject,
  userObject,
  UserNamePipe,
  UsersQuery,
} from './users.dto';
import type { OwnedKeyObject, UserObject } from './users.dto';

/** Who may ask for tests. */
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
  @Get()
  async list(@Sent() query: UsersQuery): Promise<{ users: UserObject[]; after: string | null }> {
    const { users, last } = await this.lists.users(query);
    return { users: users.map(userObject), after: last };
  }

  @Post()
  @HttpCode(201)
  async add(
    @Sent() request: NewUserRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ user: string; admin: boolean }> {
    const { name: user, isAdmin: admin } = await this.usersAndKeys.add(request, requestor);
    return { user, admin };
  }

  /** `password`: the one that was drawn; null when one was sent. */
  @Post(':name/password')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async setPassword(
    @Param('name', UserNamePipe) user: string,
    @Sent() { password }: NewPasswordRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ user: string; password: string | null }> {
    const set = await this.usersAndKeys.setPassword(user, password, requestor);
    return { user, password: password === undefined ? set : null };
  }

  @Post(':name/administrator')
  @HttpCode(200)
  async setAdministrator(
    @Param('name', UserNamePipe) user: string,
    @Sent() { admin }: AppointmentRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ user: string; admin: boolean }> {
    await this.usersAndKeys.setAdministrator(user, admin, requestor);
    return { user, admin };
  }

  /** Sessions and keys open nothing any more. */
  @Post(':name/disable')
  @HttpCode(200)
  async disable(
    @Param('name', UserNamePipe) user: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ user: string; standing: UserStanding }> {
    await this.usersAndKeys.setDisabled(user, true, requestor);
    return { user, standing: 'disabled' };
  }

  @Post(':name/enable')
  @HttpCode(200)
  async enable(
    @Param('name', UserNamePipe) user: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ user: string; standing: UserStanding }> {
    await this.usersAndKeys.setDisabled(user, false, requestor);
    return { user, standing: 'active' };
  }

  /** The runs stay, and so does the name. */
  @Post(':name/remove')
  @HttpCode(200)
  async remove(
    @Param('name', UserNamePipe) user: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ user: string; standing: UserStanding }> {
    await this.usersAndKeys.remove(user, requestor);
    return { user, standing: 'removed' };
  }

  /** `ended`: in how many browsers the user was logged in. */
  @Post(':name/end_sessions')
  @HttpCode(200)
  async endSessions(
    @Param('name', UserNamePipe) user: string,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ user: string; ended: number }> {
    return { user, ended: await this.usersAndKeys.endSessions(user, requestor) };
  }
}

/** The API keys of all users. */
@Controller('api/v1/admin/keys')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class AllKeysController {
  constructor(
    private readonly lists: UserLists,
    private readonly usersAndKeys: UsersAndKeys,
  ) {}

  /** `before`: what to ask with for the next part; null at the end. */
  @Get()
  async list(@Sent() query: KeysQuery): Promise<{ keys: OwnedKeyObject[]; before: number | null }> {
    const { keys, last } = await this.lists.keys(query);
    return { keys: keys.map(ownedKeyObject), before: last };
  }

  @Post(':id/revoke')
  @HttpCode(200)
  async revoke(
    @Param('id', AnyKeyIdPipe) key: number,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<{ key: number }> {
    await this.usersAndKeys.revokeKey(key, requestor);
    return { key };
  }
}
