import { Controller, Inject, Injectable, Post, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import type { Response } from 'express';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import type { Parameters } from '../../http/parameters';
import { badRequest } from '../../http/problem';
import { SameOriginGuard } from '../../sessions/form-protection';
import { returnTo } from '../../sessions/return-to';
import { LOOK_COOKIE, LOOKS, type Look } from './assets';
import { PageInterceptor } from './page';
import type { Redirect } from './page';

const REMEMBERED_MS = 365 * 24 * 3_600_000;

interface ChosenLook {
  look: Look;
  /** The path of the page to return to. */
  back: string;
}

@Injectable()
class ChosenLookPipe implements PipeTransform<Parameters, ChosenLook> {
  /** @throws Problem 400 when there is no such look */
  transform(parameters: Parameters): ChosenLook {
    const value = parameters.get('look')?.value;
    const look = LOOKS.find((each) => each === value);
    if (!look) throw badRequest(`look must be one of ${LOOKS.join(', ')}, not ${describe(value)}.`);
    return { look, back: returnTo(parameters.get('back')?.value) };
  }
}

/** Stores the look that the reader has chosen in a cookie. */
@Controller('-/look')
@Requires('nothing')
export class LookController {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  @Post()
  @UseGuards(SameOriginGuard)
  @UseInterceptors(PageInterceptor, BodyInterceptor)
  choose(
    @Sent(ChosenLookPipe) { look, back }: ChosenLook,
    @Res({ passthrough: true }) response: Response,
  ): Redirect {
    const secure = this.configuration.server.publicUrl?.startsWith('https:') ?? false;
    const attributes = { path: '/', httpOnly: true, secure, sameSite: 'lax' } as const;
    if (look === 'system') response.clearCookie(LOOK_COOKIE, attributes);
    else response.cookie(LOOK_COOKIE, look, { ...attributes, maxAge: REMEMBERED_MS });
    return { redirectTo: back };
  }
}
