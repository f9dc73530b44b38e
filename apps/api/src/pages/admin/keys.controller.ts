import { Controller, Get, HttpCode, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { UsersAndKeys } from '@proctor/administration';
import { UserLists } from '../../admin/user-lists.service';
import { AnyKeyIdPipe, KeysQuery } from '../../admin/users.dto';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import type { ContextRequest } from '../../http/request-context';
import type { Page, Redirect } from '../layout/page';
import { administratorOf, AdminPages, ask, TakesAdminForm } from './admin-pages';
import { Confirmation } from './forms';

/** The API keys of all users. */
@Controller('admin/keys')
@Requires('nothing')
@AdminPages()
export class KeysPageController {
  constructor(
    private readonly lists: UserLists,
    private readonly usersAndKeys: UsersAndKeys,
  ) {}

  @Get()
  @UseInterceptors(BodyInterceptor)
  async list(@Sent() query: KeysQuery): Promise<Page> {
    const { keys, last } = await this.lists.keys(query);
    const data = { keys, last, search: query.search ?? '', before: query.before };
    return { template: 'admin/keys', data };
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @TakesAdminForm()
  async revoke(
    @Param('id', AnyKeyIdPipe) id: number,
    @Sent() { confirmed }: Confirmation,
    @Req() request: ContextRequest,
  ): Promise<Page | Redirect> {
    const back = '/admin/keys/';
    if (confirmed !== 'true') {
      return ask({
        title: `Revoke key ${id}?`,
        lead: 'It opens nothing any more, and cannot be brought back. Its runs and results stay.',
        action: `/admin/keys/${id}/revoke`,
        fields: [],
        button: 'Revoke it',
        back,
      });
    }
    await this.usersAndKeys.revokeKey(id, administratorOf(request));
    return { redirectTo: back };
  }
}
