import { Controller, Get } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import type { Page } from '../layout/page';
import { OwnPages } from './account-pages';

/** A user's first page. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages()
export class AccountHomeController {
  @Get()
  page(): Page {
    return { template: 'account/home', data: {} };
  }
}
