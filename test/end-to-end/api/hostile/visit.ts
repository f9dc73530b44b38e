import type { RunningApi } from '@test/support/api';
import type { Browser } from '@test/support/browser';
import { tagsOf } from '@test/support/markup';

/** What a browser was answered. */
export interface Visit {
  path: string;
  /** As the application lists it, without its method. */
  route: string;
  status: number;
  headers: Headers;
  /** Media type without its parameters. */
  type: string;
  body: string;
}

/** Paths of one route that links are followed to: others show the same. */
const PATHS_MAX = 5;

/** Goes where links lead, as one browser. */
export class Visitor {
  readonly visits: Visit[] = [];
  private readonly routes: { route: string; expression: RegExp }[];
  private readonly addressKeys = new Set<string>();
  private readonly perRoute = new Map<string, number>();

  constructor(
    private readonly api: RunningApi,
    private readonly browser: Browser,
  ) {
    const gets = api.routes.filter((each) => each.startsWith('GET ')).map((each) => each.slice(4));
    this.routes = gets.map((route) => ({ route, expression: expressionOf(route) }));
  }

  /** Routes of pages, feeds, pictures and data for people: none of the API. */
  get pageRoutes(): string[] {
    return this.routes.map(({ route }) => route).filter((route) => !route.startsWith('/api/v1/'));
  }

  routeOf(path: string): string | null {
    const [plain = ''] = path.split(/[?#]/);
    return this.routes.find(({ expression }) => expression.test(plain))?.route ?? null;
  }

  /** Follows the links of what it comes to, each route by a few paths. @param look called after each answer */
  async crawl(starts: string[], look: (visit: Visit) => void = () => undefined): Promise<void> {
    const todo = [...starts];
    for (let path = todo.shift(); path !== undefined; path = todo.shift()) {
      const route = this.routeOf(path);
      if (route === null || route.startsWith('/api/v1/') || this.isEnough(path, route)) continue;
      const visit = await this.visit(path, route);
      look(visit);
      todo.push(...this.linksOf(visit));
    }
  }

  async visit(path: string, route: string): Promise<Visit> {
    const response = await this.browser.get(path);
    const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
    const isStream = type === 'text/event-stream';
    if (isStream) await response.body?.cancel();
    const visit = {
      ...{ path, route, type, status: response.status, headers: response.headers },
      body: isStream ? '' : await response.text(),
    };
    this.visits.push(visit);
    return visit;
  }

  private isEnough(path: string, route: string): boolean {
    // A filter of a page is another way to look at it.
    const [plain = '', query = ''] = path.split('?');
    const kind = `${route} ${[...new URLSearchParams(query).keys()].sort().join('&')}`;
    const key = query === '' ? plain : path;
    const count = this.perRoute.get(kind) ?? 0;
    if (this.addressKeys.has(key) || count >= (query === '' ? PATHS_MAX : 1)) return true;
    this.addressKeys.add(key);
    this.perRoute.set(kind, count + 1);
    return false;
  }

  private linksOf({ path, type, body, status, headers }: Visit): string[] {
    if (type === 'text/plain') return [];
    const addresses = type === 'text/html' ? [...addressesOf(body)] : [];
    if (status >= 300 && status < 400) addresses.push(headers.get('location') ?? '');
    return addresses
      .map((address) =>
        URL.canParse(address, this.api.url + path) ? new URL(address, this.api.url + path) : null,
      )
      .filter((url) => url?.origin === this.api.url)
      .map((url) => url!.pathname + url!.search);
  }
}

function* addressesOf(html: string): Generator<string> {
  for (const tag of tagsOf(html)) {
    if (tag?.name === 'form' && tag.attributes.get('method')?.toLowerCase() === 'post') continue;
    for (const name of ['href', 'src', 'action']) {
      const address = tag?.attributes.get(name);
      if (address !== undefined) yield address;
    }
  }
}

function expressionOf(route: string): RegExp {
  const parts = route.split('/').map((part) => {
    if (part.startsWith('*')) return '.+';
    return part.replace(/[.+]/g, '\\$&').replace(/:\w+/g, '[^/]+');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}
