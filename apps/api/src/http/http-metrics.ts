import { Inject, Injectable } from '@nestjs/common';
import { Histogram, type Registry } from 'prom-client';
import { REGISTRY } from '../configuration.token';
import type { ContextRequest } from './request-context';

/** In seconds. A request may wait for results for a minute. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
/** The HTTP methods that are counted by name; a client may send any word. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** How long answers take, by the declared route: paths contain names of packages. */
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

  /** @param isWhole false if the client disconnected before the end of the answer */
  recordAnswer(request: ContextRequest, status: number, isWhole: boolean, tookMs: number): void {
    const labels = {
      method: METHODS.has(request.method) ? request.method : 'other',
      route: routeOf(request),
      status: isWhole ? `${Math.floor(status / 100)}xx` : 'broken off',
    };
    this.requests.observe(labels, tookMs / 1000);
  }
}

/** All requests without a route count as one: assets, early refusals and unknown paths. */
function routeOf({ route }: ContextRequest): string {
  const path = (route as { path?: unknown } | undefined)?.path;
  return typeof path === 'string' ? path : 'none';
}
