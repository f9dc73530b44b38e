import { Controller, Get, Inject, Param, Req } from '@nestjs/common';
import { KeyChange, type KeyWithSecret, NEVER, NewKey } from '@proctor/resources';
import type { Actor, User } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Sent } from '../../http/body.interceptor';
import { baseUrl } from '../../http/paths';
import type { Parameter } from '../../http/parameters';
import type { ContextRequest } from '../../http/request-context';
import { From } from '../../http/shape';
import { KeysService } from '../../keys/keys.service';
import { Form, SentForm } from '../layout/form-action';
import type { Page, Redirect } from '../layout/page';
import { actorOfPage, CurrentActor, CurrentUser, OwnPages } from './account-pages';
import { KEY_IN_PATH } from '../../http/path-ids';

class KeyForm extends KeyChange {
  /** With an empty field the key does not expire. */
  @From({ read: ({ value }: Parameter) => (value === '' ? NEVER : value) })
  declare expires_at?: string;
}

const DAY_MS = 86_400_000;
const KEYS = {
  then: '/user/:user/keys',
  page: (pages: AccountKeysController, request: ContextRequest) => pages.page(actorOfPage(request), request),
};

/** A user's API keys. Only the page that answers the creation of a key shows its secret. */
@Controller('user/:user')
@Requires('nothing')
@OwnPages()
export class AccountKeysController {
  constructor(
    private readonly keys: KeysService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get('keys')
  page(@CurrentActor() owner: Actor, @Req() request: ContextRequest): Promise<Page> {
    return this.list(owner, request, null);
  }

  /** The address behind the button "Get API Key". */
  @Get('getkey')
  redirectToKeys(@CurrentUser() { name }: User): Redirect {
    return { redirectTo: `/user/${name}/keys` };
  }

  @Form('keys', { ...KEYS, status: 201 })
  async create(
    @SentForm() form: NewKey,
    @CurrentActor() owner: Actor,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    return this.list(owner, request, await this.keys.create(form, owner, null));
  }

  @Form('keys/:id', KEYS)
  async change(
    @Param('id', KEY_IN_PATH) id: number,
    @Sent() form: KeyForm,
    @CurrentActor() owner: Actor,
  ): Promise<void> {
    await this.keys.change(id, form, owner);
  }

  @Form('keys/:id/rotate', KEYS)
  async rotate(
    @Param('id', KEY_IN_PATH) id: number,
    @CurrentActor() owner: Actor,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    return this.list(owner, request, await this.keys.rotate(id, owner));
  }

  @Form('keys/:id/revoke', KEYS)
  async revoke(@Param('id', KEY_IN_PATH) id: number, @CurrentActor() owner: Actor): Promise<void> {
    await this.keys.revoke(id, owner);
  }

  private async list(owner: Actor, request: ContextRequest, newKey: KeyWithSecret | null): Promise<Page> {
    const keys = await this.keys.list(owner);
    const rows = keys.map((key) => ({
      ...key,
      createdAt: new Date(key.created_at),
      lastUsedAt: key.last_used_at === null ? null : new Date(key.last_used_at),
      ...expiryOf(key.expires_at, this.configuration.server.keyExpiryWarningDays),
    }));
    const base = baseUrl(request, this.configuration.server.publicUrl);
    return { template: 'account/keys', data: { keys: rows, made: newKey, base } };
  }
}

/** The expiry of a key in words. */
function expiryOf(at: string | null, warningDays: number) {
  if (at === null) return { expiry: null };
  const restMs = Date.parse(at) - Date.now();
  const isOver = restMs <= 0;
  return { expiry: { at: new Date(at), isOver, isSoon: !isOver && restMs < warningDays * DAY_MS } };
}
