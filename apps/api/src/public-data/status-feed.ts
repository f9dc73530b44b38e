import type { NeutralStatus } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { Feed } from 'feed';
import { nameHidden } from '../http/hidden-characters';
import { runPath } from '../runs/page-paths';
import { endWord } from '../runs/result-object';

interface FeedAddress {
  /** Name of the service. */
  service: string;
  /** The beginning of every path, without a slash at its end. */
  base: string;
  /** Path of the feed itself. */
  feedPath: string;
  /** Path of the page that shows the same entries. */
  pagePath: string;
}

/** One entry of a feed. */
export interface FeedEntry {
  /** A path on this server that identifies the entry: the same for the same thing, another for a new one. */
  path: string;
  title: string;
  text: string;
  date: Date;
}

/** An Atom feed of status changes. @param changes newest first */
export function statusFeed(
  title: string,
  address: FeedAddress,
  changes: RunRecord[],
  neutral: NeutralStatus,
): string {
  return atomFeed(
    title,
    address,
    changes.map((run) => {
      const status = (endWord(run.verdict, neutral) ?? '').toUpperCase();
      return {
        path: runPath(run),
        title: `${run.package} ${run.version ?? 'n/a'} ${status} on ${run.suite}/${run.arch}`,
        text: run.message ?? '',
        date: run.finishedAt ?? run.updatedAt,
      };
    }),
  );
}

/** An Atom feed with the date of its newest entry: the same answer while nothing changes. */
export function atomFeed(
  title: string,
  { service, base, feedPath, pagePath }: FeedAddress,
  entries: FeedEntry[],
): string {
  const feed = new Feed({
    id: base + feedPath,
    title,
    feed: base + feedPath,
    link: base + pagePath,
    updated: entries.reduce((latest, { date }) => (date > latest ? date : latest), new Date(0)),
    author: { name: service },
    generator: 'Proctor',
  });
  for (const { path, title: heading, text, date } of entries) {
    const link = base + path;
    feed.addItem({ id: link, link, title: html(heading), description: `<p>${html(text)}</p>`, date });
  }
  return feed.atom1();
}

/** Text of an HTML document within XML: a report of a worker may contain any character. */
function html(text: string): string {
  return nameHidden(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
