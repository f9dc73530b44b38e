import { Controller, Delete, Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import type { User } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { KeyOwner } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { KeyIdPipe, NewKey } from './keys.dto';
import { KeysService } from './keys.service';
import type { KeyObject, NewKeyObject } from './keys.service';
import { SentSealed } from './sent-sealed';
import type { Sealing } from './sealing';

@Controller('api/v1/keys')
@Requires('password')
export class KeysController {
  constructor(private readonly service: KeysService) {}

  @Get()
  list(@KeyOwner() owner: User): Promise<KeyObject[]> {
    return this.service.list(owner);
  }

  @Post()
  @HttpCode(201)
  @UseInterceptors(BodyInterceptor)
  create(
    @Sent() { name }: NewKey,
    @KeyOwner() owner: User,
    @SentSealed() sealing: Sealing | null,
  ): Promise<NewKeyObject> {
    return this.service.create(name, owner, sealing);
  }

  @Delete(':id')
  @HttpCode(204)
  revoke(@Param('id', KeyIdPipe) id: number, @KeyOwner() owner: User): Promise<void> {
    return this.service.revoke(id, owner);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @UseInterceptors(BodyInterceptor)
  rotate(@Param('id', KeyIdPipe) id: number, @KeyOwner() owner: User): Promise<NewKeyObject> {
    return this.service.rotate(id, owner);
  }
}
