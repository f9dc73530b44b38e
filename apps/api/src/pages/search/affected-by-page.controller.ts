import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { AffectedByAsked, AffectedByService } from '../../runs/affected-by';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';
import { affectedByForm, affectedByView } from './affected-by-view';

/** The page of packages whose tests began to fail when another one had changed. No package's prefix is `-`. */
@Controller('packages/-/affected-by')
@Requires('nothing')
@UseInterceptors(PageInterceptor, BodyInterceptor)
export class AffectedByPageController {
  constructor(private readonly affected: AffectedByService) {}

  @Get()
  async show(@Sent() asked: AffectedByAsked): Promise<Page> {
    const { package: name, ...versions } = asked;
    if (name === undefined) return { template: 'search/affected-by', data: affectedByForm(asked) };
    const changed = { package: name, ...versions };
    const data = affectedByView(changed, await this.affected.find(changed));
    return { template: 'search/affected-by', data };
  }
}
