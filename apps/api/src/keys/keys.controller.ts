import { KeyResource, KeyChange, KeyWithSecret, listOf, NewKey, whole } from '@proctor/resources';
import { Operation } from '../http/operation';
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
import type { Actor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { KeyOwner } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { KeysService } from './keys.service';
import type { Sealing } from './sealing';
import type { ExecutionContext } from '@nestjs/common';
import { basicCredentials } from '../auth/basic-credentials';
import { pathOf } from '../http/paths';
import { badRequest } from '../http/problem';
import { fingerprint, idempotencyKeyOf } from '../http/idempotency-key';
import type { ContextRequest } from '../http/request-context';
import { atOnce } from '../http/slices';
import { KEY_IN_PATH } from '../http/path-ids';

/**
 * The parameter of a handler behind a password and `BodyInterceptor`; null without the header `Idempotency-Key`.
 * @throws Problem 400 for an invalid header
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

const KEY_ID = { id: { of: whole({ minimum: 1 }), description: 'As in the list of keys.', example: 3 } };

@Controller('api/v1/keys')
@Requires('password')
export class KeysController {
  constructor(private readonly service: KeysService) {}

  @Operation({
    tag: 'Keys',
    id: 'listKeys',
    summary: 'Your API keys',
    answer: {
      description: 'The keys that are valid, oldest first, without their secrets.',
      of: listOf(KeyResource),
      example: [
        {
          id: 3,
          name: 'laptop',
          prefix: 'pk_0123456789',
          created_at: '2026-11-20T15:40:51.123Z',
          last_used_at: null,
          scope: 'read',
          expires_at: '2027-11-20T00:00:00.000Z',
        },
      ],
      headers: { 'Auth-User': { $ref: '#/components/headers/AuthUser' } },
    },
  })
  @Get()
  list(@KeyOwner() owner: Actor): Promise<KeyResource[]> {
    return this.service.list(owner);
  }

  @Operation({
    tag: 'Keys',
    id: 'createKey',
    summary: 'Make an API key',
    answer: {
      description: 'The key. It is shown this once.',
      of: KeyWithSecret,
      example: {
        id: 3,
        name: 'laptop',
        key: 'pk_0123456789abcdef0123456789abcdef0123456789abcdef01234567',
        created_at: '2026-11-20T15:40:51.123Z',
        scope: 'everything',
        expires_at: null,
      },
    },
    parameters: ['IdempotencyKey'],
    inQuery: true,
    body: { example: { name: 'laptop' } },
    refusals: { 409: 'KeyUsed' },
  })
  @Post()
  @HttpCode(201)
  @UseInterceptors(BodyInterceptor)
  create(
    @Sent() request: NewKey,
    @KeyOwner() owner: Actor,
    @SentSealed() sealing: Sealing | null,
  ): Promise<KeyWithSecret> {
    return this.service.create(request, owner, sealing);
  }

  @Operation({
    tag: 'Keys',
    id: 'changeKey',
    summary: 'Change what an API key is good for',
    description: 'What is left out stays as it is. The change is valid for the next request.',
    answer: { description: 'The key as it is now.', of: KeyResource },
    path: KEY_ID,
    body: { form: { expires_at: '2030-01-01' }, json: { scope: 'read', expires_at: '2030-01-01' } },
    refusals: { 404: 'NotFound' },
  })
  @Post(':id')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  change(
    @Param('id', KEY_IN_PATH) id: number,
    @Sent() request: KeyChange,
    @KeyOwner() owner: Actor,
  ): Promise<KeyResource> {
    return this.service.change(id, request, owner);
  }

  @Operation({
    tag: 'Keys',
    id: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'The key is no longer valid. The results of its runs stay.',
    answer: { description: 'The key is revoked.' },
    path: KEY_ID,
    refusals: { 404: 'NotFound' },
  })
  @Delete(':id')
  @HttpCode(204)
  revoke(@Param('id', KEY_IN_PATH) id: number, @KeyOwner() owner: Actor): Promise<void> {
    return this.service.revoke(id, owner);
  }

  @Operation({
    tag: 'Keys',
    id: 'rotateKey',
    summary: 'Give an API key a new secret',
    description:
      'The old secret opens nothing from now on. The key keeps its identity, so its results stay readable. Sent again, the request makes another new secret.',
    answer: {
      description: 'The key with its new secret, shown this once.',
      of: KeyWithSecret,
      example: {
        id: 3,
        name: 'laptop',
        key: 'pk_0123456789abcdef0123456789abcdef0123456789abcdef01234567',
        created_at: '2026-11-20T15:40:51.123Z',
        scope: 'everything',
        expires_at: null,
      },
    },
    path: KEY_ID,
    refusals: { 404: 'NotFound' },
  })
  @Post(':id/rotate')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  rotate(@Param('id', KEY_IN_PATH) id: number, @KeyOwner() owner: Actor): Promise<KeyWithSecret> {
    return this.service.rotate(id, owner);
  }
}
