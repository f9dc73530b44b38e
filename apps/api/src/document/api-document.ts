import type { JsonSchema } from '@proctor/resources';

export interface Example {
  summary?: string;
  value: unknown;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, Example | Reference>;
}

export interface DocumentedParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  allowEmptyValue?: boolean;
  description?: string;
  schema?: JsonSchema;
  /** False: a list is one value, separated by commas. */
  explode?: boolean;
  content?: Record<string, MediaType>;
  example?: unknown;
}

export interface DocumentedAnswer {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}

export interface Reference {
  $ref: string;
}

export interface DocumentedOperation {
  tags: [string];
  operationId: string;
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (DocumentedParameter | Reference)[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, DocumentedAnswer | Reference>;
}

export const METHODS = ['get', 'post', 'delete'] as const;

export type PathItem = { parameters?: (DocumentedParameter | Reference)[] } & Partial<
  Record<(typeof METHODS)[number], DocumentedOperation>
>;

/** The part of an OpenAPI document that `openapi.yaml` uses. */
export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: { schemas: Record<string, JsonSchema> } & Record<string, Record<string, unknown>>;
}

/**
 * Returns the target of a reference; any other value is returned as it is.
 * @throws Error if the reference has no target
 */
export function resolve<T extends object>(document: ApiDocument, value: T | Reference): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const keys = value.$ref.replace(/^#\//, '').split('/');
  const target = keys.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    document,
  );
  if (target === undefined) throw new Error(`the document refers to ${value.$ref}, which it does not have`);
  return resolve(document, target as T);
}
