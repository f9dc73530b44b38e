import { Controller, Get } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requires } from './authentication.middleware';
import { Requestor } from './requestor';

@Controller('api/v1/auth')
@Requires('key')
export class AuthController {
  /** Answered only for a valid key. */
  @Get()
  check(@Requestor() requestor: AuthenticatedRequestor): { user: string } {
    return { user: requestor.userName };
  }
}
