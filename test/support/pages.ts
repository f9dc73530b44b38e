import { FOREIGN_CODE } from './crawl';
import type { RunningApi } from './api';

/** A page as a browser without a session gets it: whole, and without code of others. */
export async function pageOf(api: RunningApi, path: string): Promise<string> {
  const response = await api.fetch(path, { headers: { Accept: 'text/html' } });
  expect([path, response.status, response.headers.get('content-type')]).toEqual([
    path,
    200,
    'text/html; charset=utf-8',
  ]);
  const html = await response.text();
  expect(html).not.toMatch(FOREIGN_CODE);
  expect(html).not.toMatch(/undefined|\[object/);
  return html;
}

/** The texts of each row's cells. */
export function rows(html: string): string[][] {
  return [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
      cell!
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ),
  );
}
