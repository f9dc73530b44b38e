import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import onHeaders from 'on-headers';
import { map } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Parameter, Parameters } from './parameters';
import { pathOf } from './paths';
import type { ContextRequest } from './request-context';

/** Parameters that other sites add to links. They are not meant for this service, so no notice names them. */
const FOREIGN =
  /^(utm_\w+|[gd]clid|[gw]braid|gad_\w+|fbclid|msclkid|twclid|yclid|igshid|srsltid|mc_[ce]id|_g[al])$/;

/** The maximum number of names in an answer. */
const NAMES_MAX = 10;
const NAME_LENGTH_MAX = 60;

const HEADER = 'Ignored-Parameters';

/**
 * Records which names of a query are read from now on. A name that no code reads has no effect, so pages need no
 * lists of their parameters.
 */
export function watchQuery(request: ContextRequest): void {
  if (request.watch || !request.url.includes('?')) return;
  const query = request.query as Record<string, unknown>;
  const readNames = new Set<string>();
  request.watch = { names: Object.keys(query), readNames };
  const value = new Proxy(query, {
    get(values, name): unknown {
      if (typeof name === 'string') readNames.add(name);
      return Reflect.get(values, name);
    },
  });
  Object.defineProperty(request, 'query', { value, configurable: true });
}

/** Records which parameters of query and body are read. The API also reports ignored names of the body. */
export function watchParameters(request: ContextRequest, parameters: Parameters): Parameters {
  if (isOfApi(request))
    request.watch = { names: [...parameters.keys()], readNames: request.watch?.readNames ?? new Set() };
  const { watch } = request;
  return watch ? new WatchedParameters(parameters, watch.readNames) : parameters;
}

class WatchedParameters extends Map<string, Parameter> {
  constructor(
    parameters: Parameters,
    private readonly readNames: Set<string>,
  ) {
    super(parameters);
  }

  override get(name: string): Parameter | undefined {
    this.readNames.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.readNames.add(name);
    return super.has(name);
  }
}

/** Marks a name as ignored although it was read. */
export function ignore({ watch }: ContextRequest, name: string): void {
  watch?.readNames.delete(name);
}

/** The names of the query without effect; long ones are cut. */
export function ignoredParameters({ watch }: ContextRequest): string[] {
  if (!watch) return [];
  return watch.names
    .filter((name) => !watch.readNames.has(name) && !FOREIGN.test(name))
    .slice(0, NAMES_MAX)
    .map((name) => (name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name));
}

/**
 * Adds a header to every answer that names the parameters without effect. Pages also have a sentence, and JSON
 * objects outside the API a field.
 */
@Injectable()
export class IgnoredParametersInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<ContextRequest>(), http.getResponse<Response>()];
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (!isReading && !isOfApi(request)) return next.handle();
    watchQuery(request);
    onHeaders(response, () => {
      const names = ignoredParameters(request);
      if (names.length > 0 && response.statusCode < 400)
        response.setHeader(HEADER, names.map((name) => encodeURIComponent(name.toWellFormed())).join(', '));
    });
    if (isOfApi(request)) return next.handle();
    return next.handle().pipe(
      map((answer: unknown) => {
        const names = isPlain(answer) ? ignoredParameters(request) : [];
        return names.length > 0 ? { ...(answer as object), ignored_parameters: names } : answer;
      }),
    );
  }
}

/** Whether the answer may only have the fields of the API's document. */
function isOfApi(request: ContextRequest): boolean {
  return pathOf(request).startsWith('/api/') && !request.isPublicRead;
}

function isPlain(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && Object.getPrototypeOf(answer) === Object.prototype;
}
