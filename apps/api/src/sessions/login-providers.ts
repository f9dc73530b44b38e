import { readFile } from 'node:fs/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ProviderSection } from '@proctor/config';
import type { Identity } from '@proctor/database';
import { LRUCache } from 'lru-cache';
import * as openid from 'openid-client';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { comeBack, notFound } from '../http/problem';
import { Semaphore } from '../http/semaphore';
import { claimsNeeded } from './login-claims';
import type { Claims } from './login-claims';
import { boundedFetch } from './bounded-fetch';

/** How long the metadata of a provider is used before it is read again. */
const KEPT_MS = 3_600_000;
const KEPT_MAX = 100;
/**
 * How many requests may wait for one provider at the same time: a silent one delays no other pages, and no logins at
 * another.
 */
const WAITING_MAX = 4;
/** Names of errors are shown to people only if they are as short and plain as the standard requires. */
const ERROR_NAME = /^[a-z_]{1,50}$/;
/** The id of a user at a provider; the standard has this maximum length. */
const SUBJECT = /^\P{Cc}{1,255}$/u;

/** A login that a browser has started; only the matching answer of the provider may log a user in. */
export interface BegunLogin {
  providerId: string;
  state: string;
  nonce: string;
  verifier: string;
  /** The path of this server after the login. */
  next: string;
}

/** A provider's own session, which lasts longer than ours. */
export interface ProviderSession {
  label: string;
  /** The address at which people end that session. */
  logoutUrl: string;
}

export interface Vouched {
  identity: Identity;
  claims: Claims;
  /** Null if the provider cannot end it. */
  session: ProviderSession | null;
}

/** The provider cannot be reached, or its answer is invalid. */
export class ProviderAway extends Error {}

/** A person may not log in, or the answer does not belong to the login of this browser. The message is for people. */
export class LoginRefused extends Error {}

/** The login providers of OpenID Connect: authorization code with PKCE, state and nonce. */
@Injectable()
export class LoginProviders {
  private readonly logger = new Logger(LoginProviders.name);
  /** Id of a provider → the limit for requests that wait for it. */
  private readonly waiting = new LRUCache<string, Semaphore>({
    max: KEPT_MAX,
    memoMethod: () => new Semaphore(() => WAITING_MAX),
  });
  private readonly configurations = new LRUCache<string, Promise<openid.Configuration>>({
    max: KEPT_MAX,
    ttl: KEPT_MS,
  });

  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /** @throws Problem 404 if no provider has this id */
  findProvider(id: string): ProviderSection {
    const provider = this.configuration.server.login.providers.find((each) => each.id === id);
    if (provider) return provider;
    throw notFound('There is no such login provider.');
  }

  /**
   * @param callbackUrl the address to which the provider sends the browser back
   * @returns the address for the browser, and the data to store until its return
   * @throws ProviderAway if the provider does not answer; Problem 503 if too many requests wait for it
   */
  async startLogin(
    provider: ProviderSection,
    callbackUrl: string,
  ): Promise<{ url: string; login: Omit<BegunLogin, 'next'> }> {
    return this.waitingFor(provider, async () => {
      const client = await this.client(provider);
      const [state, nonce, verifier] = [
        openid.randomState(),
        openid.randomNonce(),
        openid.randomPKCECodeVerifier(),
      ];
      const url = openid.buildAuthorizationUrl(client, {
        redirect_uri: callbackUrl,
        scope: provider.scopes.join(' '),
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { url: url.href, login: { providerId: provider.id, state, nonce, verifier } };
    });
  }

  /**
   * @param returnedTo the callback's address with the query of the browser
   * @throws ProviderAway if the provider does not answer; LoginRefused if the person may not log in; Problem 503 if
   * too many requests wait for the provider
   */
  async completeLogin(provider: ProviderSection, returnedTo: URL, login: BegunLogin): Promise<Vouched> {
    return this.waitingFor(provider, async () => {
      const client = await this.client(provider);
      const tokens = await openid.authorizationCodeGrant(client, returnedTo, {
        expectedState: login.state,
        expectedNonce: login.nonce,
        pkceCodeVerifier: login.verifier,
        idTokenExpected: true,
      });
      const token = tokens.claims()!;
      if (!SUBJECT.test(token.sub)) throw new Error('the subject is too long, or no text');
      const { userinfo_endpoint: more, end_session_endpoint: end } = client.serverMetadata();
      const isMoreNeeded = claimsNeeded(provider).some((claim) => token[claim] === undefined);
      const userInfo =
        more !== undefined && isMoreNeeded
          ? await openid.fetchUserInfo(client, tokens.access_token, token.sub)
          : {};
      const isLogoutOffered = end !== undefined && /^https?:/.test(end);
      return {
        identity: { issuer: token.iss, subject: token.sub },
        claims: { ...userInfo, ...token },
        session: isLogoutOffered
          ? { label: provider.label, logoutUrl: openid.buildEndSessionUrl(client).href }
          : null,
      };
    });
  }

  /** Limits the waiting requests. People read our description of an error, and the log has the provider's. */
  private async waitingFor<T>(provider: ProviderSection, work: () => Promise<T>): Promise<T> {
    const leave = await this.waiting.memo(provider.id).acquire(1, 0);
    if (!leave) throw comeBack(503, `Too many logins wait for ${provider.label}.`, 1_000);
    try {
      return await work();
    } catch (error) {
      this.logger.warn(`login provider ${provider.id}: ${textOf(error)}`);
      throw isAway(error) ? new ProviderAway('away', { cause: error }) : refusalOf(error, provider);
    } finally {
      leave();
    }
  }

  /** @throws Error if the secret's file, the provider or its answer cannot be used */
  private async client(provider: ProviderSection): Promise<openid.Configuration> {
    const { clientSecretFile: file } = provider;
    const secret = file === undefined ? null : (await readFile(file, 'utf8').catch(unreadable)).trim();
    const { providerWaitMs } = this.configuration.server.login;
    const key = JSON.stringify([provider, secret, providerWaitMs]);
    const earlier = this.configurations.get(key);
    if (earlier) return earlier;
    const discovery = discovered(provider, secret, providerWaitMs / 1_000);
    this.configurations.set(key, discovery);
    // The next request tries a failed read again.
    discovery.catch(() => this.configurations.delete(key));
    return discovery;
  }
}

async function discovered(
  { issuer, clientId }: ProviderSection,
  secret: string | null,
  timeout: number,
): Promise<openid.Configuration> {
  const server = new URL(issuer);
  // The configuration allows plain HTTP only on this machine.
  const execute = server.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
  const discovery = await openid
    .discovery(server, clientId, undefined, openid.None(), {
      execute,
      timeout,
      [openid.customFetch]: boundedFetch,
    })
    .catch((error: unknown) => {
      throw new ProviderAway('it does not describe itself', { cause: error });
    });
  if (secret === null) return discovery;
  const metadata = discovery.serverMetadata();
  const isBasic = (metadata.token_endpoint_auth_methods_supported ?? [BASIC]).includes(BASIC);
  const proof = isBasic ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret);
  const client = new openid.Configuration(metadata, clientId, undefined, proof);
  client.timeout = timeout;
  client[openid.customFetch] = boundedFetch;
  execute.forEach((each) => each(client));
  return client;
}

/** The method of every provider that names no other. */
const BASIC = 'client_secret_basic';

function unreadable(error: Error): never {
  throw new ProviderAway('the file of the client’s secret cannot be read', { cause: error });
}

const AWAY = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM']);

function isAway(error: unknown): boolean {
  if (error instanceof ProviderAway || error instanceof TypeError) return true;
  return error instanceof openid.ClientError && AWAY.has(error.code ?? '');
}

function refusalOf(error: unknown, { label }: ProviderSection): LoginRefused {
  const name = nameOf(error);
  const text =
    name === ''
      ? `What came back from ${label} does not belong to this login. Begin it again.`
      : `${label} has not let you in (${name}).`;
  return new LoginRefused(text, { cause: error });
}

/** The name of an error that the provider reported; empty for other errors. */
function nameOf(error: unknown): string {
  const isNamed = error instanceof openid.AuthorizationResponseError;
  return isNamed && ERROR_NAME.test(error.error) ? error.error : '';
}

const CAUSES_MAX = 4;

/** One line with the error and its causes, without tokens and secrets. */
function textOf(error: unknown): string {
  const parts: string[] = [];
  // An error of parsing would repeat the text.
  const isSafe = (each: unknown): each is Error => each instanceof Error && !(each instanceof SyntaxError);
  for (let each = error; isSafe(each) && parts.length < CAUSES_MAX; each = each.cause)
    parts.push(each.message);
  const name = nameOf(error);
  return JSON.stringify([...parts, ...(name === '' ? [] : [name])].join(': '));
}
