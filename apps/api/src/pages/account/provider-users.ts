import { Injectable } from '@nestjs/common';
import type { ProviderSection } from '@proctor/config';
import { Identities } from '@proctor/database';
import type { User } from '@proctor/database';
import { networkOf } from '../../http/network-of';
import { RememberedKeys } from '../../auth/remembered-keys';
import type { ContextRequest } from '../../http/request-context';
import { hasClaim, namesFor } from '../../sessions/login-claims';
import type { Vouched } from '../../sessions/login-providers';
import { LoginService } from './login.service';

/** The name of a provider's login in the audit log. */
export function doorOf({ id }: ProviderSection): string {
  return `provider ${id}`;
}

/** The users who log in with a provider, and the rights that the provider gives them. */
@Injectable()
export class ProviderUsers {
  constructor(
    private readonly identities: Identities,
    private readonly keys: RememberedKeys,
    private readonly logins: LoginService,
  ) {}

  /** @returns null when the person may not log in here */
  async userOf(
    { identity, claims }: Vouched,
    provider: ProviderSection,
    request: ContextRequest,
  ): Promise<User | null> {
    const { nameClaim, mayLogIn, administrators } = provider;
    const names = namesFor(claims, nameClaim);
    const door = doorOf(provider);
    if (mayLogIn && !hasClaim(claims, mayLogIn)) {
      await this.logins.recordRefusal(names[0]!, door, request);
      return null;
    }
    const isAdmin = administrators ? hasClaim(claims, administrators) : null;
    const address = networkOf(request.ip ?? '');
    const { user, isChanged } = await this.identities.logIn(identity, { names, isAdmin, door, address });
    if (isChanged) this.keys.notifyChanged();
    if (!user) await this.logins.recordRefusal(names[0]!, door, request);
    return user;
  }
}
