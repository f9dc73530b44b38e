import { Controller, Get } from '@nestjs/common';
import type { Requestor as AuthenticatedRequestor } from '@proctor/database';
import { Requestor } from './requestor';

@Controller('api/v1/auth')
export class AuthController {
  /** Answered only for a valid key. */
  @Get()
  check(@Requestor() requestor: AuthenticatedRequestor): { user: string } {
    return { user: requestor.userName };
  }
}
