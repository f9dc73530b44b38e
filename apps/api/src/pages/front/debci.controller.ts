import { Controller, Get, UseInterceptors } from '@nestjs/common';
import { Requires } from '../../auth/authentication.middleware';
import { notFound } from '../../http/problem';
import { PageInterceptor } from '../layout/page';
import type { Redirect } from '../layout/page';

/** Redirects from addresses of debci that differ here. See docs/moving-in.md for all other differences. */
@Controller()
@Requires('nothing')
@UseInterceptors(PageInterceptor)
export class DebciController {
  /** The manual of debci. */
  @Get('doc')
  manual(): Redirect {
    return { redirectTo: '/api/doc' };
  }

  /** @throws Problem 404 always: Proctor has no experiments */
  @Get(['experiments', 'experiments/*rest'])
  experiments(): never {
    throw notFound(
      'Experiments, which compare many packages with and without a change, are not a part of this service. The runs of one trigger are compared with their references at /triggers/, and two runs at /compare/.',
    );
  }
}
