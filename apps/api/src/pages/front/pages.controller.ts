import { Controller, Get, Inject, Req, UseInterceptors } from '@nestjs/common';
import type { Request } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { baseUrl } from '../../http/paths';
import { HomeService } from './home.service';
import { PageInterceptor } from '../layout/page';
import type { Page } from '../layout/page';

/** The first page. */
@Controller()
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class PagesController {
  constructor(
    private readonly home: HomeService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  async first(@Req() request: Request): Promise<Page> {
    const base = baseUrl(request, this.configuration.server.publicUrl);
    return { template: 'home', data: await this.home.view(base) };
  }
}
