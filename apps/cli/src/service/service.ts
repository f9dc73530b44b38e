import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { types } from 'node:util';
import { growingPauseMs, scatterPause } from '@proctor/pauses';
import { EXIT, Failure } from '../failure';
import { namedService, type ServiceAddress, type ServiceOptions } from './address';
import { ownService } from './own-service';

/** Parameters of a query; undefined ones are omitted. */
export type Query = Record<string, string | number | boolean | undefined>;

/** The error answer of a service that could be reached. */
export class RefusedByService extends Failure {
  constructor(
    readonly status: number,
    message: string,
    code: number,
    advice: string | null,
  ) {
    super(message, code, advice);
  }
}

interface CallOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The request changes nothing twice, so it may be sent again after the connection broke. */
  isRepeatable?: boolean;
  /** The answer is a stream without a known end, so it has no time limit. */
  isEndless?: boolean;
}

const ANSWER_MS = 90_000;
/**
 * Attempts to send a repeatable request, and the first pause between them; each pause is twice as long as the one
 * before.
 */
const TRIES = 4;
const PAUSE_MS = 500;
const PAUSE_MAX_MS = 15_000;
/** Status codes of a temporary problem: the service is busy, or a proxy cannot reach it. */
const PASSING = [429, 502, 503, 504];

/** A client of the API of one service. */
export class Service {
  constructor(readonly address: ServiceAddress) {}

  /** Finds the named service, else that of this machine. @throws Failure if there is none, or its key is missing */
  static async find(options: ServiceOptions): Promise<Service> {
    return new Service((await namedService(options)) ?? (await ownService(process.env)));
  }

  request<T>(path: string, query: Query = {}): Promise<T> {
    return this.answer(path, { query });
  }

  post<T>(path: string, body: unknown = {}, options: CallOptions = {}): Promise<T> {
    return this.answer(path, { ...options, method: 'POST', body });
  }

  /** Sends a request with an `Idempotency-Key`, so that it can be sent again after the connection broke. */
  create<T>(path: string, body: unknown = {}, query: Query = {}): Promise<T> {
    const headers = { 'Idempotency-Key': randomUUID() };
    return this.answer(path, { method: 'POST', body, query, headers, isRepeatable: true });
  }

  delete<T>(path: string): Promise<T> {
    return this.answer(path, { method: 'DELETE' });
  }

  /** The address of a page or a file. */
  at(path: string): string {
    return `${this.address.url}${path}`;
  }

  /**
   * Returns the answer before its body is read.
   * @param path below `/api/v1`
   * @throws RefusedByService if the service answers with an error; Failure if there is no answer
   */
  async open(path: string, options: CallOptions = {}): Promise<Response> {
    const response = await this.reach(path, options);
    if (response.ok) return response;
    throw await this.refusal(response);
  }

  private async answer<T>(path: string, options: CallOptions): Promise<T> {
    const response = await this.open(path, options);
    if (response.status === 204) return undefined as T;
    const type = response.headers.get('content-type') ?? 'nothing';
    if (type.startsWith('application/json')) return (await response.json()) as T;
    throw this.strange(`${this.address.url} answered with ${type}`);
  }

  private async reach(path: string, options: CallOptions): Promise<Response> {
    const { method = 'GET', isRepeatable = method === 'GET' } = options;
    for (let attempt = 1; ; attempt++) {
      const isLast = !isRepeatable || attempt === TRIES;
      const response = await this.send(path, options).catch((error: unknown) => {
        if (isLast) throw this.unreachable(error);
        return null;
      });
      if (response !== null && (isLast || !PASSING.includes(response.status))) return response;
      await response?.body?.cancel();
      const seconds = Number(response?.headers.get('retry-after') ?? NaN);
      const pauseMs = Number.isFinite(seconds)
        ? seconds * 1000
        : scatterPause(growingPauseMs(PAUSE_MS, PAUSE_MAX_MS, attempt), Math.random());
      await pause(Math.min(pauseMs, PAUSE_MAX_MS));
    }
  }

  private send(
    path: string,
    { method = 'GET', query = {}, body, headers, isEndless }: CallOptions,
  ): Promise<Response> {
    const url = new URL(`${this.address.url}/api/v1${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        'Auth-Key': this.address.key,
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(!isEndless && { signal: AbortSignal.timeout(ANSWER_MS) }),
    });
  }

  private async refusal(response: Response): Promise<Failure> {
    const { status } = response;
    const problem = await problemIn(response);
    if (problem === null) return this.strange(`${this.address.url} answered ${status}`);
    const detail = asMessage(problem);
    if (status === 401)
      return new RefusedByService(status, detail, EXIT.key, 'type the name and password again');
    if (status === 403) return this.forbidden(detail, response.headers.get('auth-user'));
    if (PASSING.includes(status)) {
      const advice = 'type the same again in a while; what the service lacks is in its log';
      return new RefusedByService(status, detail, EXIT.tryLater, advice);
    }
    const advice = status >= 500 ? 'the log of the api says more' : null;
    return new RefusedByService(status, detail, status === 400 ? EXIT.usage : EXIT.failed, advice);
  }

  /** @param user null if the key is not valid */
  private forbidden(detail: string, user: string | null): Failure {
    const { url, origin } = this.address;
    if (user === null) {
      const { keyFile } = this.address;
      const advice =
        keyFile === undefined
          ? `get a key at ${url}/user/login, then: proctor context add NAME --url ${url}`
          : `remove ${keyFile}: the next command makes another`;
      return new RefusedByService(403, `the key of ${origin} is not valid at ${url}`, EXIT.key, advice);
    }
    const advice = `the key (${origin}) is ${user}'s; with another one: --context NAME, or PROCTOR_API_KEY`;
    return new RefusedByService(403, detail, EXIT.key, advice);
  }

  private strange(what: string): Failure {
    return new Failure(what, EXIT.failed, `is that Proctor? The address is from ${this.address.origin}`);
  }

  private unreachable(error: unknown): Failure {
    const { url, origin, keyFile } = this.address;
    const start =
      keyFile === undefined ? 'is it running?' : 'start it (npm start, or systemctl start proctor-api).';
    const advice = adviceFor(error) ?? `${start} The address is from ${origin}`;
    return new Failure(`${url} cannot be reached: ${causeOf(error)}`, EXIT.tryLater, advice, {
      cause: error,
    });
  }
}

async function problemIn(response: Response): Promise<string | null> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  if (!isProblem) return null;
  const { detail } = (await response.json()) as { detail?: unknown };
  return typeof detail === 'string' ? detail : null;
}

/** Changes a sentence of the API to the style of this program's messages. */
function asMessage(sentence: string): string {
  return sentence.replace(/\.$/, '').replace(/^[A-Z](?=[a-z]* )/, (first) => first.toLowerCase());
}

/** The message of fetch() is only "fetch failed"; the cause has the real one. */
function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  if ((error as Error).name === 'TimeoutError') return `no answer for ${ANSWER_MS / 1000} s`;
  if (cause instanceof AggregateError) return causeOf({ cause: cause.errors[0] as unknown });
  return types.isNativeError(cause) ? cause.message : String(error);
}

function adviceFor(error: unknown): string | null {
  const code = (error as { cause?: { code?: unknown } }).cause?.code;
  if (typeof code !== 'string' || !/CERT|SIGNATURE|SELF_SIGNED/.test(code)) return null;
  return 'name the certificate of its authority in NODE_EXTRA_CA_CERTS';
}
