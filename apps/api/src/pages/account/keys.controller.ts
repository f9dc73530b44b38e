import { KeyChange, NEVER, NewKey, type KeyWithSecret } from '@proctor/resources';
import { Controller, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import type { Actor } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { actorOf } from '../../auth/actor';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { absentWhenEmpty } from '../../admin/form-fields';
import { Sent } from '../../http/body.interceptor';
import { baseUrl } from '../../http/paths';
import type { Parameter } from '../../http/parameters';
import type { ContextRequest } from '../../http/request-context';
import { From } from '../../http/shape';
import { KeyIdPipe } from '../../keys/keys.dto';
import { KeysService } from '../../keys/keys.service';
import { TakesForm } from '../../sessions/form-protection';
import type { Page, Redirect } from '../layout/page';
import { OwnPages, requireLogin } from './account-pages';

class NewKeyForm extends NewKey {
  @From({ read: absentWhenEmpty })
  declare expires_at?: string;
}

class KeyForm extends KeyChange {
  /** An empty field: it does not expire. */
  @From({ read: ({ value }: Parameter) => (value === '' ? NEVER : value) })
  declare expires_at?: string;
}

const DAY_MS = 86_400_000;

/** A user's API keys. The secret of one is on the page that answers its making, and nowhere else. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages()
export class AccountKeysController {
  constructor(
    private readonly keys: KeysService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('keys')
  page(@Req() request: ContextRequest): Promise<Page> {
    return this.list(request, null);
  }

  /** The address behind the button "Get API Key". */
  @Get('getkey')
  getKey(@Req() request: ContextRequest): Redirect {
    return { redirectTo: keysUrl(request) };
  }

  @Post('keys')
  @HttpCode(201)
  @TakesForm()
  async create(@Sent() form: NewKeyForm, @Req() request: ContextRequest): Promise<Page> {
    const made = await this.keys.create(form, ownerOf(request), null);
    return this.list(request, made);
  }

  @Post('keys/:id')
  @HttpCode(200)
  @TakesForm()
  async change(
    @Param('id', KeyIdPipe) id: number,
    @Sent() form: KeyForm,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.keys.change(id, form, ownerOf(request));
    return { redirectTo: keysUrl(request) };
  }

  @Post('keys/:id/rotate')
  @HttpCode(200)
  @TakesForm()
  async rotate(@Param('id', KeyIdPipe) id: number, @Req() request: ContextRequest): Promise<Page> {
    const made = await this.keys.rotate(id, ownerOf(request));
    return this.list(request, made);
  }

  @Post('keys/:id/revoke')
  @HttpCode(200)
  @TakesForm()
  async revoke(@Param('id', KeyIdPipe) id: number, @Req() request: ContextRequest): Promise<Redirect> {
    await this.keys.revoke(id, ownerOf(request));
    return { redirectTo: keysUrl(request) };
  }

  private async list(request: ContextRequest, made: KeyWithSecret | null): Promise<Page> {
    const keys = await this.keys.list(ownerOf(request));
    const rows = keys.map((key) => ({
      ...key,
      createdAt: new Date(key.created_at),
      lastUsedAt: key.last_used_at === null ? null : new Date(key.last_used_at),
      ...expiryOf(key.expires_at, this.configuration.server.keyExpiryWarningDays),
    }));
    const base = baseUrl(request, this.configuration.server.publicUrl);
    return { template: 'account/keys', data: { keys: rows, made, base } };
  }
}

/** What the page says of a key's end. */
function expiryOf(at: string | null, warningDays: number) {
  if (at === null) return { expiry: null };
  const restMs = Date.parse(at) - Date.now();
  const isOver = restMs <= 0;
  return { expiry: { at: new Date(at), isOver, isSoon: !isOver && restMs < warningDays * DAY_MS } };
}

function ownerOf(request: ContextRequest): Actor {
  return actorOf(requireLogin(request), request);
}

function keysUrl(request: ContextRequest): string {
  return `/user/${requireLogin(request).name}/keys`;
}
