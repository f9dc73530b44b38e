import type { StatusPartResource } from '@proctor/resources';
import type { BoundedCount, StripEntry } from '@proctor/database';
import { asParameter } from '../../http/parameters';
import { loadPart, type Cursor, type ListedPart } from '../../http/parts';
import type { FeedEntry } from '../../public-data/status-feed';
import { LIST_PAGES_MAX } from '../layout/page-number';
import type { ListQuery } from './list-query';

/** The content of a cell. The template writes each kind in its own way. */
export type Cell =
  | { text: string }
  | { triggers: string }
  | { link: { url: string; text: string } }
  | { status: string; url: string }
  | { at: Date | null; url: string | null }
  | { strip: StripEntry[]; url: string; since: string }
  | { places: { name: string; status: string; url: string }[] };

export interface ListColumn<Row> {
  head: string;
  className?: 'name' | 'version' | 'text' | 'number';
  cell: (row: Row) => Cell;
}

/** Entries on one page of a list. */
export const LISTED_MAX = 100;

/** The definition of one list of statuses. Its page, its JSON and its feed are made from this. */
export interface StatusList<Row = unknown, Key = unknown> {
  /** The last part of its address: `failing` for `/status/failing/`. */
  name: string;
  title: string;
  /** Singular and plural of the word for an entry: `place where a package fails`, `places where a package fails`. */
  nouns: (asked: ListQuery) => [one: string, many: string];
  /** The order of the entries in words: `the latest first`. */
  order: string;
  columns: ListColumn<Row>[];
  /** The filter that this list has in addition to suite, architecture and package. */
  bound?: 'since' | 'minutes';
  /** Returns the entries after the key `after`, at most `limit`. */
  read: (asked: ListQuery, limit: number, after: Key | null) => Promise<Row[]>;
  /** Returns the number of entries on all pages. */
  count: (asked: ListQuery) => Promise<BoundedCount>;
  /** Reads and writes the parameter `after`. */
  cursor: Cursor<Key>;
  keyOf: (row: Row) => Key;
  /** The entry as JSON. */
  object: (row: Row) => object;
  entry: (row: Row) => FeedEntry;
}

/** The entries of one page of a list. */
export type ListPart<Row = unknown> = ListedPart<Row, string>;

/** Reads one page of a list. @throws Problem 400 when `after` is not valid */
export async function readPart<Row>(list: StatusList<Row>, asked: ListQuery): Promise<ListPart<Row>> {
  if (asked.isPrivate) return { rows: [], last: null };
  const after = asked.after === null ? null : list.cursor.decode(asParameter(asked.after), 'after');
  return loadPart(
    LISTED_MAX,
    (limit) => list.read(asked, limit, after),
    (row) => list.cursor.encode(list.keyOf(row)),
  );
}

/**
 * Finds the address of a numbered page.
 * @returns null when the list has no such page, and when the number is above LIST_PAGES_MAX
 */
export async function numberedUrl<Row>(
  list: StatusList<Row>,
  asked: ListQuery,
  page: number,
): Promise<string | null> {
  if (page === 1) return listUrl(list, { ...asked, after: null }, '/');
  if (page > LIST_PAGES_MAX || asked.isPrivate) return null;
  const before = (page - 1) * LISTED_MAX;
  const { last } = await loadPart(
    before,
    (limit) => list.read(asked, limit, null),
    (row) => list.cursor.encode(list.keyOf(row)),
  );
  return last === null ? null : listUrl(list, { ...asked, after: last }, '/');
}

/** The number of entries on all pages of a list. */
export async function totalOf<Row>(
  list: StatusList<Row>,
  asked: ListQuery,
  { rows, last }: ListPart<Row>,
): Promise<BoundedCount> {
  if (asked.isPrivate || (asked.after === null && last === null))
    return { count: rows.length, isMore: false };
  return list.count(asked);
}

/** The address of a list as page, JSON or feed, with the same query. */
export function listUrl(
  list: Pick<StatusList, 'name' | 'bound'>,
  asked: ListQuery,
  form: '/' | '.json' | '.xml',
): string {
  const query = new URLSearchParams();
  if (asked.suites !== null) query.set('suite', asked.suites.join(','));
  if (asked.architectures !== null) query.set('arch', asked.architectures.join(','));
  if (asked.package !== null) query.set('package', asked.package);
  if (list.bound && asked.given[list.bound]) query.set(list.bound, asked.given[list.bound]!);
  if (asked.isPrivate !== null) query.set('is_private', String(asked.isPrivate));
  if (asked.after !== null) query.set('after', asked.after);
  return `/status/${list.name}${form}${query.size > 0 ? `?${query.toString()}` : ''}`;
}

/** Describes one page of a list in a sentence. @param total the number of entries on all pages */
export function listSentence(
  list: Pick<StatusList, 'nouns' | 'order'>,
  asked: ListQuery,
  { rows, last }: ListPart,
  total: BoundedCount,
): string {
  const [one, many] = list.nouns(asked);
  const wanted = [
    asked.suites && `${asked.suites.length > 1 ? 'suites' : 'suite'} ${asked.suites.join(' or ')}`,
    asked.architectures &&
      `${asked.architectures.length > 1 ? 'architectures' : 'architecture'} ${asked.architectures.join(' or ')}`,
    asked.package && `package ${asked.package}`,
    asked.isPrivate && 'private runs, which are under “My runs” alone',
  ].filter(Boolean);
  const filtered = wanted.length > 0 ? ` (${wanted.join(', ')})` : '';
  const isFirst = asked.after === null;
  if (rows.length === 0)
    return isFirst ? `There is no ${one}${filtered}.` : `There is no further ${one}${filtered}.`;
  const counted = rows.length === 1 ? `1 ${one}` : `${rows.length} ${many}`;
  // The number may be out of date: it was not read together with the entries.
  if (total.count > rows.length) {
    const all = `${total.isMore ? 'at least ' : ''}${total.count.toLocaleString('en')}`;
    const ofTotal = `${rows.length} of ${all} ${many}${filtered}`;
    return isFirst ? `The first ${ofTotal}, ${list.order}.` : `Further ${ofTotal}.`;
  }
  if (isFirst && last === null) return `${counted}${filtered}${rows.length > 1 ? `, ${list.order}` : ''}.`;
  return isFirst ? `The first ${counted}${filtered}, ${list.order}.` : `Further ${counted}${filtered}.`;
}

/** The data of a page of a list. */
export function listView(
  list: StatusList,
  asked: ListQuery,
  part: ListPart,
  total: BoundedCount,
  targets: { suites: string[]; architectures: string[] },
) {
  const { rows, last } = part;
  const first = { ...asked, after: null };
  const isFiltered =
    asked.suites !== null ||
    asked.architectures !== null ||
    asked.package !== null ||
    asked.given.since !== null ||
    asked.given.minutes !== null ||
    asked.isPrivate !== null;
  return {
    title: list.title,
    caption: `${list.title}, ${list.order}`,
    sentence: listSentence(list, asked, part, total),
    columns: list.columns,
    rows,
    asked,
    bound: list.bound ?? null,
    suites: withAsked(targets.suites, asked.suites),
    architectures: withAsked(targets.architectures, asked.architectures),
    isFiltered,
    isUnindexed: isFiltered || asked.after !== null,
    url: `/status/${list.name}/`,
    firstUrl: asked.after === null ? null : listUrl(list, first, '/'),
    nextUrl: last === null ? null : listUrl(list, { ...asked, after: last }, '/'),
    jsonUrl: listUrl(list, asked, '.json'),
    feed: listUrl(list, first, '.xml'),
    feedTitle: list.title,
  };
}

/** A page of a list as JSON. */
export function listObject(list: StatusList, asked: ListQuery, { rows, last }: ListPart): StatusPartResource {
  const { suites, architectures, package: name } = asked;
  return {
    list: list.name,
    filter: {
      suites,
      architectures,
      package: name,
      ...(list.bound === 'since' && { since: asked.since.toISOString() }),
      ...(list.bound === 'minutes' && { minutes: asked.minutes }),
    },
    items: rows.map((row) => list.object(row)),
    next: last === null ? null : listUrl(list, { ...asked, after: last }, '.json'),
  };
}

/** Adds names that are no longer configured: they may still have packages. */
function withAsked(words: string[], asked: string[] | null): string[] {
  return [...new Set([...words, ...(asked ?? [])])];
}
