import { Injectable } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import onHeaders from 'on-headers';
import { map } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Parameter, Parameters } from './parameters';
import { pathOf } from './paths';
import type { ContextRequest } from './request-context';

/** What other sites add to the addresses that they link. It is not meant for this service, so no notice names it. */
const FOREIGN =
  /^(utm_\w+|[gd]clid|[gw]braid|gad_\w+|fbclid|msclkid|twclid|yclid|igshid|srsltid|mc_[ce]id|_g[al])$/;

/** Names that an answer has. */
const NAMES_MAX = 10;
const NAME_LENGTH_MAX = 60;

const HEADER = 'Ignored-Parameters';

/**
 * Makes the query of a request note which of its names are read from now on. What no code has read had no effect, so no page needs a
 * list of what it takes.
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

/** Says that a name was read and has no effect all the same. */
export function ignore({ watch }: ContextRequest, name: string): void {
  watch?.readNames.delete(name);
}

/** The names of the query that had no effect, cut where they are long. */
export function ignoredParameters({ watch }: ContextRequest): string[] {
  if (!watch) return [];
  return watch.names
    .filter((name) => !watch.readNames.has(name) && !FOREIGN.test(name))
    .slice(0, NAMES_MAX)
    .map((name) => (name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name));
}

/**
 * Has every answer say in a header which parameters of its request had no effect. Pages say it in a sentence too, and JSON objects
 * outside the API in a field.
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

/** Whether the fields of its answers are those of the API's document alone. */
function isOfApi(request: ContextRequest): boolean {
  return pathOf(request).startsWith('/api/') && !request.isPublicRead;
}

function isPlain(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && Object.getPrototypeOf(answer) === Object.prototype;
}
