import { Controller, Get, Param, UseInterceptors } from '@nestjs/common';
import { UsersAndKeys } from '@proctor/administration';
import type { Administrator } from '@proctor/administration';
import { UserLists } from '../../admin/user-lists.service';
import { KeysQuery } from '../../admin/users.dto';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { CurrentActor } from '../account/account-pages';
import { type ConfirmedAction, Form, NoFields, SentForm } from '../layout/form-action';
import type { Page } from '../layout/page';
import { AdminPages } from './admin-pages';
import { ANY_KEY_IN_PATH } from '../../http/path-ids';

/** The API keys of all users. */
@Controller('admin/keys')
@Requires('nothing')
@AdminPages()
export class AdminKeysController {
  constructor(
    private readonly lists: UserLists,
    private readonly usersAndKeys: UsersAndKeys,
  ) {}

  @Get()
  @UseInterceptors(BodyInterceptor)
  async list(@Sent() query: KeysQuery): Promise<Page> {
    const { rows: keys, last } = await this.lists.keys(query);
    const data = { keys, last, search: query.search ?? '', before: query.before };
    return { template: 'admin/keys', data };
  }

  @Form(':id/revoke', { then: '/admin/keys/', page: (pages: AdminKeysController) => pages.list({}) })
  revoke(
    @Param('id', ANY_KEY_IN_PATH) id: number,
    @SentForm() _form: NoFields,
    @CurrentActor() by: Administrator,
  ): ConfirmedAction {
    return {
      question: () => ({
        title: `Revoke key ${id}?`,
        lead: 'It is no longer valid, and cannot be brought back. Its runs and results stay.',
        button: 'Revoke it',
      }),
      act: () => this.usersAndKeys.revokeKey(id, by),
    };
  }
}
