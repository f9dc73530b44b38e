import { STATUS_CODES } from 'node:http';
import { RequestMethod } from '@nestjs/common';
import {
  GUARDS_METADATA,
  HTTP_CODE_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
} from '@nestjs/common/constants';
import { describedClass, fieldsOf, jsonOf } from '@proctor/resources';
import { credentialFor } from '../auth/authentication.middleware';
import { neededScope } from '../auth/key-scopes';
import { AdministratorsGuard } from '../auth/requestor';
import { BodyInterceptor } from '../http/body.interceptor';
import {
  type DescribedAnswer,
  type DescribedBody,
  type DescribedOperation,
  type DescribedParameter,
  type DescribedRefusal,
  registeredOperations,
} from '../http/operation';
import type {
  DocumentedAnswer,
  DocumentedParameter,
  DocumentedOperation,
  MediaType,
  PathItem,
  Reference,
} from './api-document';

type Shape = new () => object;

/** An endpoint of a controller. */
interface Endpoint {
  /** The path in the format of the document: `/api/v1/keys/{id}`. */
  path: string;
  method: 'get' | 'post' | 'delete';
  /** The status code of a successful answer. */
  status: number;
  isForAdministrators: boolean;
  readsBody: boolean;
  /** The class of the query or body; null if nothing is read. */
  shape: Shape | null;
}

/** The paths of the document that controllers describe. */
export function describedPaths(): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const { controller, handler, operation } of registeredOperations()) {
    const endpoint = endpointOf(controller, handler);
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: documented(endpoint, operation) };
  }
  return paths;
}

function endpointOf(controller: new (...parameters: never[]) => object, handler: string): Endpoint {
  const prototype = controller.prototype as Record<string, object>;
  const route = prototype[handler]!;
  const ofRoute = (key: string): unknown => Reflect.getMetadata(key, route);
  const everywhere = (key: string): unknown[] =>
    [route, controller].flatMap((each) => (Reflect.getMetadata(key, each) as unknown[] | undefined) ?? []);
  const method = RequestMethod[ofRoute(METHOD_METADATA) as RequestMethod].toLowerCase() as Endpoint['method'];
  const parts = [Reflect.getMetadata(PATH_METADATA, controller), ofRoute(PATH_METADATA)] as string[];
  const types = Reflect.getMetadata('design:paramtypes', prototype, handler) as Shape[] | undefined;
  const shapes = (types ?? []).flatMap((type) => describedClass(type) ?? []);
  return {
    path: `/${parts.join('/')}`
      .replace(/\/{2,}/g, '/')
      .replace(/\/$/, '')
      .replace(/[:*](\w+)/g, '{$1}'),
    method,
    status: (ofRoute(HTTP_CODE_METADATA) as number | undefined) ?? (method === 'post' ? 201 : 200),
    isForAdministrators: everywhere(GUARDS_METADATA).includes(AdministratorsGuard),
    readsBody: method === 'post' && everywhere(INTERCEPTORS_METADATA).includes(BodyInterceptor),
    shape: shapes[0] ?? null,
  };
}

function documented(endpoint: Endpoint, operation: DescribedOperation): DocumentedOperation {
  const { tag, id, summary, description, body } = operation;
  const security = securityOf(endpoint);
  const parameters = parametersOf(endpoint, operation);
  return {
    tags: [tag],
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    ...(security && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && 'isRequired' in body
      ? { requestBody: describedBody(body) }
      : endpoint.method === 'post' && endpoint.shape && { requestBody: bodyOf(endpoint.shape, body) }),
    responses: { ...answersOf(endpoint, operation), ...refusalsOf(endpoint, operation) },
  };
}

/** Null for the default of all endpoints. */
function securityOf({ method, path }: Endpoint): DocumentedOperation['security'] | null {
  const credential = credentialFor(path);
  if (credential !== 'key') return credential === 'nothing' ? [] : [{ password: [] }];
  const scope = neededScope(method.toUpperCase(), path);
  return scope === 'any' || scope === 'submit' ? [{ key: [scope] }] : null;
}

/** Parameters in `openapi.yaml`, by their names in a path. */
const SHARED: Record<string, string> = {
  run_id: 'RunId',
  webhook_id: 'WebhookId',
  suite: 'Suite',
  arch: 'Arch',
};

/** @throws Error if a parameter of the path has no description */
function parametersOf(
  { path, method, shape }: Endpoint,
  { path: own = {}, query = {}, headers = {}, parameters = [], inQuery = false }: DescribedOperation,
): (DocumentedParameter | Reference)[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): DocumentedParameter | Reference => {
    const described = own[name];
    if (described) return { ...parameterOf('path', name, described), required: true };
    if (!SHARED[name]) throw new Error(`the path ${path} has a parameter ${name} that is not described`);
    return component('parameters', SHARED[name]);
  });
  const queried = shape && (method !== 'post' || inQuery) ? queryParameters(shape, method === 'get') : [];
  const described = (where: 'query' | 'header', of: typeof query): DocumentedParameter[] =>
    Object.entries(of).map(([name, parameter]) => parameterOf(where, name, parameter));
  return [
    ...inPath,
    ...queried,
    ...described('query', query),
    ...described('header', headers),
    ...parameters.map((name) => component('parameters', name)),
  ];
}

function parameterOf(
  where: DocumentedParameter['in'],
  name: string,
  { of, isJson, example, ...rest }: DescribedParameter,
): DocumentedParameter {
  const value = { schema: jsonOf(of), ...(example !== undefined && { example }) };
  return { name, in: where, ...(isJson ? { content: { 'application/json': value } } : value), ...rest };
}

function queryParameters(shape: Shape, isOnlyInQuery: boolean): DocumentedParameter[] {
  return [...fieldsOf(shape)].map(([name, { json, isOptional }]) => {
    const { description, example, allowEmptyValue, ...schema } = json;
    const isList = schema.type === 'array';
    return {
      name,
      in: 'query',
      ...(isOnlyInQuery && !isOptional && { required: true }),
      ...(allowEmptyValue && { allowEmptyValue }),
      ...describedAs([
        !isOnlyInQuery && !isOptional && 'Needed here or in the body.',
        description,
        isList && 'Separated by commas.',
      ]),
      schema,
      ...(isList && { explode: false }),
      ...(example !== undefined && { example }),
    };
  });
}

function describedAs(sentences: (string | false | undefined)[]): { description?: string } {
  const description = sentences.filter(Boolean).join(' ');
  return description === '' ? {} : { description };
}

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];

function describedBody({
  isRequired,
  form,
  json,
}: DescribedBody): NonNullable<DocumentedOperation['requestBody']> {
  const contentOf = ({ of, ...examples }: DescribedBody['form']) => ({ schema: jsonOf(of), ...examples });
  const content = [...FORMS.map((type) => [type, contentOf(form)]), ['application/json', contentOf(json)]];
  return { required: isRequired, content: Object.fromEntries(content) as Record<string, MediaType> };
}

function bodyOf(
  shape: Shape,
  examples: Exclude<DescribedOperation['body'], DescribedBody>,
): NonNullable<DocumentedOperation['requestBody']> {
  const schema = jsonOf(shape);
  const example = (kind: 'form' | 'json'): { example?: unknown } =>
    examples ? { example: 'example' in examples ? examples.example : examples[kind] } : {};
  const forms = FORMS.map((type) => [type, { schema, ...example('form') }] as const);
  const content = { ...Object.fromEntries(forms), 'application/json': { schema, ...example('json') } };
  return { required: false, content };
}

function answersOf(
  { method, status }: Endpoint,
  { answer, otherAnswers = {}, isStream = false }: DescribedOperation,
): DocumentedOperation['responses'] {
  const others = Object.entries(otherAnswers).map(
    ([code, name]) => [code, component('responses', name)] as const,
  );
  return {
    ...Object.fromEntries(others),
    [status]: documentedAnswer(answer),
    ...(method === 'get' && !isStream && { 304: component('responses', 'NotModified') }),
  };
}

function documentedAnswer({
  description,
  of,
  example,
  examples,
  type,
  headers,
}: DescribedAnswer): DocumentedAnswer {
  const content = of && {
    schema: jsonOf(of),
    ...(example !== undefined && { example }),
    ...(examples && { examples }),
  };
  return {
    description,
    ...(headers && { headers }),
    ...(content && { content: { [type ?? 'application/json']: content } }),
  };
}

function refusalsOf(
  endpoint: Endpoint,
  { query, refusals = {} }: DescribedOperation,
): DocumentedOperation['responses'] {
  const { path, method, shape, isForAdministrators, readsBody } = endpoint;
  const credential = credentialFor(path);
  const all: Record<number, string | DescribedRefusal> = {
    ...((readsBody || (method === 'get' && (shape || query))) && { 400: 'BadRequest' }),
    ...(credential === 'password' && { 401: 'Unauthorized' }),
    ...(credential === 'key' && { 403: isForAdministrators ? 'NotAdministrator' : 'Forbidden' }),
    ...(readsBody && { 413: 'TooLarge', 415: 'UnsupportedType' }),
    ...(credential !== 'nothing' && { 429: 'TooManyRequests', 503: 'Unavailable' }),
    ...refusals,
  };
  return Object.fromEntries(
    Object.entries(all).map(([code, refusal]) => [code, refusalAnswer(Number(code), refusal)]),
  );
}

function refusalAnswer(status: number, refusal: string | DescribedRefusal): DocumentedAnswer | Reference {
  if (typeof refusal === 'string') return component('responses', refusal);
  const { description, detail } = refusal;
  const example = detail === undefined ? {} : { example: { title: STATUS_CODES[status], status, detail } };
  const schema = component('schemas', 'Problem');
  return { description, content: { 'application/problem+json': { schema, ...example } } };
}

function component(kind: string, name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}
