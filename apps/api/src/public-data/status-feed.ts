import { type NeutralStatus, packagePrefix } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { Feed } from 'feed';
import { statusOf } from '../runs/result-object';

export interface FeedAddress {
  /** What comes before every path; no slash at its end. */
  base: string;
  /** Of the feed itself. */
  feedPath: string;
  /** Of the page that shows the same. */
  pagePath: string;
}

/**
 * An Atom feed of status changes.
 * @param changes newest first
 */
export function statusFeed(
  title: string,
  { base, feedPath, pagePath }: FeedAddress,
  changes: RunRecord[],
  neutral: NeutralStatus,
): string {
  const feed = new Feed({
    id: base + feedPath,
    title,
    feed: base + feedPath,
    link: base + pagePath,
    // The same answer for the same changes: an empty feed is as old as time.
    updated: changes[0]?.finishedAt ?? new Date(0),
    author: { name: 'Proctor' },
    generator: 'Proctor',
  });
  for (const run of changes) {
    const status = (statusOf(run.verdict, neutral) ?? '').toUpperCase();
    const link = `${base}/packages/${packagePrefix(run.package)}/${run.package}/${run.suite}/${run.arch}/${run.runId}/`;
    feed.addItem({
      id: link,
      link,
      title: html(`${run.package} ${run.version ?? 'n/a'} ${status} on ${run.suite}/${run.arch}`),
      description: `<p>${html(run.message ?? '')}</p>`,
      date: run.finishedAt ?? run.updatedAt,
    });
  }
  return feed.atom1();
}

/** Text in a document of type html within XML: what a worker reported may hold any character. */
function html(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n]|[\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
