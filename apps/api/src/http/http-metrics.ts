import { Inject, Injectable } from '@nestjs/common';
import { Histogram, type Registry } from 'prom-client';
import { REGISTRY } from '../configuration.token';
import type { ContextRequest } from './request-context';

/** Seconds. Waits for results last a minute. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
/** The HTTP methods that are counted by name; a client may send any word. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** How long answers take, by route as it is declared: paths name packages. */
@Injectable()
export class HttpMetrics {
  private readonly requests: Histogram<'method' | 'route' | 'status'>;

  constructor(@Inject(REGISTRY) registry: Registry) {
    this.requests = new Histogram({
      name: 'proctor_http_request_seconds',
      help: 'Time from a request to the end of its answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers: [registry],
    });
  }

  /** @param isWhole false: the client has gone before the end of its answer */
  recordAnswer(request: ContextRequest, status: number, isWhole: boolean, tookMs: number): void {
    const labels = {
      method: METHODS.has(request.method) ? request.method : 'other',
      route: routeOf(request),
      status: isWhole ? `${Math.floor(status / 100)}xx` : 'broken off',
    };
    this.requests.observe(labels, tookMs / 1000);
  }
}

/** What no route answered is one: assets, refusals before any route, paths that there are not. */
function routeOf({ route }: ContextRequest): string {
  const path = (route as { path?: unknown } | undefined)?.path;
  return typeof path === 'string' ? path : 'none';
}
