import type { Visitor } from './visit';

/** Pages that no link of the deployment leads to. */
const UNLINKED_PAGES = [
  '/status/pending/bookworm/',
  '/user/alice/test/publish?run_ids=1',
  '/packages/-/affected-by?package=libc6&to=2',
];
/** Whatever asks for these, it is not answered by a page. */
export const NO_PAGES = [
  // Debci's addresses, which lead elsewhere or have nothing.
  '/api',
  '/doc',
  '/experiments',
  '/experiments/*rest',
  '/user',
  '/user/auth/*way',
  '/user/logout',
  '/health',
  '/health/live',
  '/-/live',
  // Only mails have the links.
  '/mail/confirm/:token',
  '/mail/unsubscribe/:token',
  '/robots.txt',
  '/favicon.ico',
  '/-/suggest',
  '/packages/-/suggest',
  '/packages/:prefix/:package/:suite/:arch/latest',
  '/packages/:prefix/:package/:suite/:arch/:run_id/log/events',
  '/user/:user/getkey',
  '/-/request',
  '/user/login/:provider',
  '/user/login/:provider/callback',
  '/runs/:run_id',
  '/packages/:prefix/:package/:suite',
  '/:package',
];

/** Where the walk of a reader begins. */
export function startsOf(reader: string): string[] {
  return ['/', `/user/${reader}`, ...UNLINKED_PAGES];
}

/** The routes of pages, feeds and pictures that none of the walks came to, sorted. */
export function unseenRoutes(visitors: Visitor[]): string[] {
  const visitedRoutes = new Set(
    visitors.flatMap(({ visits }) => visits.flatMap(({ route, status }) => (status === 200 ? [route] : []))),
  );
  const routes = visitors[0]!.pageRoutes.filter(
    (route) => !visitedRoutes.has(route) && !route.startsWith('/data/'),
  );
  return routes.sort();
}

const RUN = '/packages/:prefix/:package/:suite/:arch/:run_id';

/** The last page of each kind, and each run: what one shows depends on how far it is. */
export function pagesOf({ visits }: Visitor): string[] {
  const pages = visits.filter(({ type, status }) => type === 'text/html' && status === 200);
  const ofKinds = new Map(pages.map(({ route, path }) => [route, path])).values();
  return [...new Set([...ofKinds, ...pages.filter(({ route }) => route === RUN).map(({ path }) => path)])];
}
