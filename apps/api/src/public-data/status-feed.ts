import type { NeutralStatus } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { Feed } from 'feed';
import { nameHidden } from '../http/hidden-characters';
import { runPath } from '../runs/page-paths';
import { endWord } from '../runs/result-object';

export interface FeedAddress {
  /** What comes before every path; no slash at its end. */
  base: string;
  /** Path of the feed itself. */
  feedPath: string;
  /** Path of the page that shows the same entries. */
  pagePath: string;
}

/** What a feed says of one thing. */
export interface FeedEntry {
  /** A path on this server, by which readers know the entry again: the same for the same, another for what is new. */
  path: string;
  title: string;
  text: string;
  date: Date;
}

/**
 * An Atom feed of status changes.
 * @param changes newest first
 */
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

/** An Atom feed, as old as its newest entry: the same answer while nothing changes. */
export function atomFeed(
  title: string,
  { base, feedPath, pagePath }: FeedAddress,
  entries: FeedEntry[],
): string {
  const feed = new Feed({
    id: base + feedPath,
    title,
    feed: base + feedPath,
    link: base + pagePath,
    updated: entries.reduce((latest, { date }) => (date > latest ? date : latest), new Date(0)),
    author: { name: 'Proctor' },
    generator: 'Proctor',
  });
  for (const { path, title: heading, text, date } of entries) {
    const link = base + path;
    feed.addItem({ id: link, link, title: html(heading), description: `<p>${html(text)}</p>`, date });
  }
  return feed.atom1();
}

/** Text in a document of type html within XML: what a worker reported may hold any character. */
function html(text: string): string {
  return nameHidden(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
