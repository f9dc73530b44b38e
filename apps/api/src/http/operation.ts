import type { Described } from '@proctor/resources';

export type Tag = 'Requests' | 'Results' | 'Events' | 'Service' | 'Administration' | 'Keys' | 'Public data';

/** What an endpoint answers when all went well. */
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

/** A refusal that the document does not describe under a name. */
export interface DescribedRefusal {
  description: string;
  /** The sentence of the example. */
  detail?: string;
}

/** A body that the handler's class does not show. */
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
 * What the API's document says of an endpoint. The document takes everything else from the code that serves it: path and method,
 * the status of the answer, what a request must show, the fields of query and body (from the class of the handler's parameter), and
 * the refusals that come with these.
 */
export interface DescribedOperation<T = unknown> {
  tag: Tag;
  /** Its name in clients that are generated from the document. */
  id: string;
  summary: string;
  description?: string;
  answer: DescribedAnswer<T>;
  /** Other answers that are no refusals, by status: the name of one that `openapi.yaml` has. */
  otherAnswers?: Record<number, string>;
  /** Refusals by status: the name of one in `openapi.yaml`, or a description for this endpoint alone. */
  refusals?: Record<number, string | DescribedRefusal>;
  /** The path's own parameters, without those that `openapi.yaml` has. */
  path?: Record<string, DescribedParameter>;
  /** The parameters of the query, if no class describes them. */
  query?: Record<string, DescribedParameter>;
  /** Headers of the request. */
  headers?: Record<string, DescribedParameter>;
  /** Names of further parameters that `openapi.yaml` has. */
  parameters?: string[];
  /** Fields of the body that the document lists as parameters of the query too. All may travel there. */
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

/** Fails to compile when the handler answers another type than the document describes. */
type HandlerDecorator<T> = <R>(
  target: object,
  handler: string,
  descriptor: TypedPropertyDescriptor<(...parameters: never[]) => R> &
    ([Answered<R, T>, T] extends [T, Answered<R, T>] ? unknown : 'the handler answers another type'),
) => void;

/**
 * The type that a handler answers; for public data, the type of its content. Not checked are pages, handlers that write
 * the answer themselves (void), and earlier answers for the same `Idempotency-Key` (unknown).
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
