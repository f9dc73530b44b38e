import type { RunningApi } from './api';

/** Each form has another. */
const FORM_TOKEN = /(name="form_token" value=)"[0-9a-f]+"/g;

/** The answer to a request without a key. */
export interface Answer {
  status: number;
  etag: string | null;
  lastModified: string | null;
  type: string | null;
  cacheControl: string | null;
  link: string | null;
  /** Decompressed. */
  body: string;
}

export async function answerOf(api: RunningApi, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await api.fetch(path, init);
  const { headers } = response;
  return {
    status: response.status,
    etag: headers.get('ETag'),
    lastModified: headers.get('Last-Modified'),
    type: headers.get('Content-Type'),
    cacheControl: headers.get('Cache-Control'),
    link: headers.get('Link'),
    body: (await response.text()).replace(FORM_TOKEN, '$1'),
  };
}

/** Follows every link within the server, in pages, feeds, JSON and headers. @returns the answers by path */
export async function crawl(api: RunningApi, starts: string[]): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const todo = [...starts];
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    if (answers.has(path)) continue;
    const answer = await answerOf(api, path, { headers: { Accept: 'text/html' } });
    answers.set(path, answer);
    todo.push(...linksOf(api.url, path, answer));
  }
  return answers;
}

function linksOf(base: string, path: string, { body, link, type }: Answer): string[] {
  if (/^text\/(plain|css)/.test(type ?? '')) return [];
  const isPage = type?.startsWith('text/html') ?? false;
  const links = [
    ...[...body.matchAll(/\b(?:href|src|action)="([^"]*)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&')),
    ...[...body.matchAll(/<id>([^<]*)<\/id>/g)].map(([, url]) => url!),
    // Addresses in JSON. The examples of the API's description are of no deployment.
    ...[
      ...(isPage || path.startsWith('/api/') ? '' : body).matchAll(
        /"(\/(?:data|packages|status)\/[^"\\]*)"/g,
      ),
    ].map(([, url]) => url!),
    ...[...(link ?? '').matchAll(/<([^>]*)>/g)].map(([, url]) => url!),
  ];
  return (
    links
      .map((url) => new URL(url, base + path))
      // The form of the login has a token that is drawn, and events have no end.
      .filter(({ origin, pathname }) => origin === base && !/^\/user\/login$|\/events$/.test(pathname))
      .map((url) => url.pathname + url.search)
  );
}

/**
 * Matches code that no page may have: an inline script or style, or a script from another address than that of the
 * bundle.
 */
export const FOREIGN_CODE =
  /<script(?! defer src="\/assets\/client\.[0-9a-f]{12}\.js"><\/script>)|<style|\son\w+=|style="/;
