import { STATUS_CODES } from 'node:http';

/** One fault of a request's body. `pointer` is a JSON pointer in URI fragment form, such as `#/tests/3/trigger`. */
export interface BodyFault {
  pointer: string;
  detail: string;
}

/** A page that the client may have meant. */
interface NearPage {
  name: string;
  url: string;
}

interface ProblemExtras {
  errors?: BodyFault[];
  /** Shown on the page of the problem. */
  nearPages?: NearPage[];
  headers?: Record<string, string>;
}

/** An answer to the client that is no success (RFC 9457). Request handling throws only this error. */
export class Problem extends Error {
  readonly errors: BodyFault[];
  readonly nearPages: NearPage[];
  readonly headers: Record<string, string>;

  /** @param detail one sentence for people that names the field and the value, if there is one */
  constructor(
    readonly status: number,
    readonly detail: string,
    extras: ProblemExtras = {},
  ) {
    super(detail);
    this.errors = extras.errors ?? [];
    this.nearPages = extras.nearPages ?? [];
    this.headers = extras.headers ?? {};
  }

  get title(): string {
    return STATUS_CODES[this.status] ?? 'Error';
  }

  /** The document of type `application/problem+json`. */
  document(): object {
    const { title, status, detail, errors } = this;
    return { title, status, detail, ...(errors.length > 0 ? { errors } : {}) };
  }
}

/** The request has an invalid value. */
export function badRequest(detail: string, errors: BodyFault[] = []): Problem {
  return new Problem(400, detail, { errors });
}

/** One fault; `pointer` is its place in the body, or null. */
export function badRequestAt(detail: string, pointer: string | null): Problem {
  return badRequest(detail, pointer === null ? [] : [{ pointer, detail }]);
}

/** Nothing exists there, or nothing that this client may know of. */
export function notFound(detail: string, nearPages: NearPage[] = []): Problem {
  return new Problem(404, detail, { nearPages });
}

/** @param limit in bytes; null if it is unknown */
export function bodyTooLarge(limit: number | null): Problem {
  return new Problem(413, `The body is larger than the limit${limit === null ? '' : ` of ${limit} bytes`}.`);
}

/**
 * The client must come again later.
 * @param status 429 if the client sends too much, 503 if the server has too much to do
 */
export function comeBack(status: 429 | 503, detail: string, afterMs: number): Problem {
  return new Problem(status, detail, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(afterMs / 1000))) },
  });
}
