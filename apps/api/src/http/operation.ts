import type { Described } from '@proctor/resources';

export type Tag = 'Requests' | 'Results' | 'Events' | 'Service' | 'Administration' | 'Keys' | 'Public data';

/** The answer of an endpoint if nothing fails. */
export interface DescribedAnswer<T = unknown> {
  description: string;
  /** The shape of the body; absent if there is no body. */
  of?: Described<T>;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
  /** The media type of the body; JSON by default. */
  type?: string;
  headers?: Record<string, object>;
}

/** A refusal that the document does not describe by name. */
export interface DescribedRefusal {
  description: string;
  /** The sentence of the example. */
  detail?: string;
}

/** A body that the class of the handler does not describe. */
export interface DescribedBody {
  isRequired: boolean;
  form: DescribedContent;
  json: DescribedContent;
}

interface DescribedContent {
  of: Described<unknown>;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}

export interface DescribedParameter {
  of: Described<unknown>;
  /** The value is the text of JSON. */
  isJson?: boolean;
  description?: string;
  example?: unknown;
}

/**
 * The description of an endpoint in the API's document. Everything else comes from the code: path and method, the
 * status of the answer, the required credentials, the fields of query and body (from the class of the handler's
 * parameter), and their refusals.
 */
export interface DescribedOperation<T = unknown> {
  tag: Tag;
  /** Its name in clients that are generated from the document. */
  id: string;
  summary: string;
  description?: string;
  answer: DescribedAnswer<T>;
  /** Other answers that are no refusals, by status: each is a name of `openapi.yaml`. */
  otherAnswers?: Record<number, string>;
  /** Refusals by status: a name of `openapi.yaml`, or a description for this endpoint. */
  refusals?: Record<number, string | DescribedRefusal>;
  /** Parameters of the path that `openapi.yaml` does not have. */
  path?: Record<string, DescribedParameter>;
  /** The parameters of the query, if no class describes them. */
  query?: Record<string, DescribedParameter>;
  /** Headers of the request. */
  headers?: Record<string, DescribedParameter>;
  /** Names of further parameters in `openapi.yaml`. */
  parameters?: string[];
  /** Fields of the body that the document also lists as parameters of the query. */
  inQuery?: boolean;
  /** Examples of the body: one for all types, or one for forms and one for JSON. */
  body?: { example: unknown } | { form: unknown; json: unknown } | DescribedBody;
  /** An answer that changes while it is sent, or is never sent again, has no `ETag`. */
  isStream?: boolean;
}

interface Registered {
  controller: new (...parameters: never[]) => object;
  handler: string;
  operation: DescribedOperation;
}

const registered: Registered[] = [];

/** Fails to compile if the handler answers another type than the document describes. */
type HandlerDecorator<T> = <R>(
  target: object,
  handler: string,
  descriptor: TypedPropertyDescriptor<(...parameters: never[]) => R> &
    ([Answered<R, T>, T] extends [T, Answered<R, T>] ? unknown : 'the handler answers another type'),
) => void;

/**
 * The type that a handler answers; for public data, the type of its content. Pages, handlers that write their answer
 * themselves (void), and repeated answers of an `Idempotency-Key` (unknown) are not checked.
 */
type Answered<R, T> =
  unknown extends Awaited<R>
    ? T
    : Awaited<R> extends void | { template: string; data: object }
      ? T
      : Awaited<R> extends { content: infer Content; updates: Date[] }
        ? Answered<Content, T>
        : Awaited<R>;

/** Describes the endpoint of a handler in the API's document. */
export function Operation<T>(operation: DescribedOperation<T>): HandlerDecorator<T> {
  return (target, handler) => {
    registered.push({ controller: target.constructor as Registered['controller'], handler, operation });
  };
}

/** The operations of all controllers that are loaded. */
export function registeredOperations(): readonly Registered[] {
  return registered;
}
