import { STATUS_CODES } from 'node:http';

/** One fault of a request's body. `pointer` is a JSON pointer in its URI fragment form, as `#/tests/3/trigger`. */
export interface BodyFault {
  pointer: string;
  detail: string;
}

export interface ProblemExtras {
  errors?: BodyFault[];
  headers?: Record<string, string>;
}

/** An answer that is not a success, as the client reads it (RFC 9457). The one error that request handling throws. */
export class Problem extends Error {
  readonly errors: BodyFault[];
  readonly headers: Record<string, string>;

  /** @param detail one sentence for people; names the field and the value where there is one */
  constructor(
    readonly status: number,
    readonly detail: string,
    extras: ProblemExtras = {},
  ) {
    super(detail);
    this.errors = extras.errors ?? [];
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

/** The request says something that it may not say. */
export function badRequest(detail: string, errors: BodyFault[] = []): Problem {
  return new Problem(400, detail, { errors });
}

/** One fault, of the body when `pointer` says where. */
export function badRequestAt(detail: string, pointer: string | null): Problem {
  return badRequest(detail, pointer === null ? [] : [{ pointer, detail }]);
}

/** Nothing is there, or nothing that this client may know of. */
export function notFound(detail: string): Problem {
  return new Problem(404, detail);
}

/** @param limit bytes; null when it is not known */
export function bodyTooLarge(limit: number | null): Problem {
  return new Problem(413, `The body is larger than the limit${limit === null ? '' : ` of ${limit} bytes`}.`);
}

/**
 * Not now.
 * @param status 429 when the client asks for too much, 503 when the server has too much to do
 */
export function comeBack(status: 429 | 503, detail: string, afterMs: number): Problem {
  return new Problem(status, detail, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(afterMs / 1000))) },
  });
}
