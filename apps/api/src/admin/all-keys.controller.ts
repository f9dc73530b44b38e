import { OwnedKeyList, RevokedKey, whole } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, HttpCode, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { UsersAndKeys } from '@proctor/administration';
import type { Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { UserLists } from './user-lists.service';
import { KeysQuery, ownedKeyObject } from './users.dto';
import { ANY_KEY_IN_PATH } from '../http/path-ids';

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
  @Operation({
    tag: 'Administration',
    id: 'listAllKeys',
    summary: 'The API keys of all users',
    description: 'Valid ones, the newest first. Send `before` for the next part.',
    answer: {
      description: 'A part of the list.',
      of: OwnedKeyList,
      example: {
        keys: [
          {
            id: 12,
            user: 'alice',
            name: 'laptop',
            prefix: 'pk_0123456789',
            created_at: '2026-11-20T15:39:00.000Z',
            last_used_at: null,
            scope: 'everything',
            expires_at: null,
          },
        ],
        before: null,
      },
    },
  })
  @Get()
  async list(@Sent() query: KeysQuery): Promise<OwnedKeyList> {
    const { rows: keys, last } = await this.lists.keys(query);
    return { keys: keys.map(ownedKeyObject), before: last };
  }

  @Operation({
    tag: 'Administration',
    id: 'revokeAnyKey',
    summary: 'Revoke a key of any user',
    description: 'The key is no longer valid; the results of its runs stay.',
    answer: { description: 'It is revoked.', of: RevokedKey, example: { key: 12 } },
    path: { id: { of: whole({ minimum: 1 }) } },
    refusals: {
      404: { description: 'There is no such key, or it is revoked.', detail: 'There is no valid key 12.' },
    },
  })
  @Post(':id/revoke')
  @HttpCode(200)
  async revoke(
    @Param('id', ANY_KEY_IN_PATH) key: number,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<RevokedKey> {
    await this.usersAndKeys.revokeKey(key, requestor);
    return { key };
  }
}
