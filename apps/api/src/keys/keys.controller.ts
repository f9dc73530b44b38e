import {
  Controller,
  createParamDecorator,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  UseInterceptors,
} from '@nestjs/common';
import { KeyChange, NewKey, type NewKeyObject } from '@proctor/administration';
import type { Actor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { KeyOwner } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { KeyIdPipe } from './keys.dto';
import { KeysService } from './keys.service';
import type { KeyObject } from './keys.service';
import type { Sealing } from './sealing';
import type { ExecutionContext } from '@nestjs/common';
import { basicCredentials } from '../auth/basic-credentials';
import { pathOf } from '../http/paths';
import { badRequest } from '../http/problem';
import { fingerprint, idempotencyKeyOf } from '../http/idempotency-key';
import type { ContextRequest } from '../http/request-context';
import { atOnce } from '../http/slices';

/**
 * The parameter of a handler behind a password and `BodyInterceptor`: null without the header `Idempotency-Key`.
 * @throws Problem 400 for a header that is no key
 */
const SentSealed = createParamDecorator((_data: unknown, context: ExecutionContext): Sealing | null => {
  const request = context.switchToHttp().getRequest<ContextRequest>();
  const word = idempotencyKeyOf(request.get('Idempotency-Key'));
  if (word === null) return null;
  const password = basicCredentials(request.get('Authorization'))?.password;
  const { parameters } = request;
  if (!parameters) throw new Error('a route seals and is not read');
  if (password === undefined)
    throw badRequest(
      'Idempotency-Key needs HTTP basic authentication: the answer is sealed by the password.',
    );
  return { word, password, fingerprint: atOnce(fingerprint(request.method, pathOf(request), parameters)) };
});

@Controller('api/v1/keys')
@Requires('password')
export class KeysController {
  constructor(private readonly service: KeysService) {}

  @Get()
  list(@KeyOwner() owner: Actor): Promise<KeyObject[]> {
    return this.service.list(owner);
  }

  @Post()
  @HttpCode(201)
  @UseInterceptors(BodyInterceptor)
  create(
    @Sent() asked: NewKey,
    @KeyOwner() owner: Actor,
    @SentSealed() sealing: Sealing | null,
  ): Promise<NewKeyObject> {
    return this.service.create(asked, owner, sealing);
  }

  @Post(':id')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  change(
    @Param('id', KeyIdPipe) id: number,
    @Sent() asked: KeyChange,
    @KeyOwner() owner: Actor,
  ): Promise<KeyObject> {
    return this.service.change(id, asked, owner);
  }

  @Delete(':id')
  @HttpCode(204)
  revoke(@Param('id', KeyIdPipe) id: number, @KeyOwner() owner: Actor): Promise<void> {
    return this.service.revoke(id, owner);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  rotate(@Param('id', KeyIdPipe) id: number, @KeyOwner() owner: Actor): Promise<NewKeyObject> {
    return this.service.rotate(id, owner);
  }
}
