import { Controller, Get, Param, Query } from '@nestjs/common';
import type { SignatureOrder } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { SIGNATURE_ORDER, SignaturesService } from './signatures.service';
import type { SignatureDetails, SignatureObject } from './signatures.service';
import { SIGNATURE_IN_PATH } from '../http/path-ids';

/** What goes wrong in the same way in several runs. */
@Controller('api/v1/signatures')
@Requires('key')
export class SignaturesController {
  constructor(private readonly signatures: SignaturesService) {}

  @Get()
  async list(
    @Query('order', SIGNATURE_ORDER) order: SignatureOrder,
  ): Promise<{ signatures: SignatureObject[] }> {
    return { signatures: await this.signatures.list(order) };
  }

  @Get(':signature')
  signature(@Param('signature', SIGNATURE_IN_PATH) signature: string): Promise<SignatureDetails> {
    return this.signatures.details(signature);
  }
}
