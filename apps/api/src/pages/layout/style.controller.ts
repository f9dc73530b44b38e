import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import { PageInterceptor } from './page';
import type { Page } from './page';
import { styleView } from './style-view';

/** The page for developers that shows what pages are made of. */
@Controller('style')
@Requires('nothing')
export class StyleController {
  private view: ReturnType<typeof styleView> | undefined;

  @Get()
  @UseInterceptors(PageInterceptor)
  page(): Page {
    this.view ??= styleView();
    return { template: 'layout/style', data: this.view };
  }
}
