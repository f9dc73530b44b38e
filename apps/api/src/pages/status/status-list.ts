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

/** Entries in one part of the JSON and in the feed of a list. */
export const LISTED_MAX = 100;
/** Entries on one page of a list: about five screens of a phone. */
export const SHOWN_MAX = 60;

/** The definition of one list of statuses. Its page, its JSON and its feed are made from this. */
export interface StatusList<Row = unknown, Key = unknown> {
  /** The last part of its address: `failing` for `/status/failing/`. */
  name: string;
  title: string;
  /** Singular and plural of the word for an entry: `place where a package fails`, `places where a package fails`. */
  nouns: (query: ListQuery) => [one: string, many: string];
  /** The order of the entries in words: `the latest first`. */
  order: string;
  columns: ListColumn<Row>[];
  /** The filter that this list has in addition to suite, architecture and package. */
  bound?: 'since' | 'minutes';
  /** Returns the entries after the key `after`, at most `limit`. */
  read: (query: ListQuery, limit: number, after: Key | null) => Promise<Row[]>;
  /** Returns the number of entries on all pages. */
  count: (query: ListQuery) => Promise<BoundedCount>;
  /** Reads and writes the parameter `after`. */
  cursor: Cursor<Key>;
  keyOf: (row: Row) => Key;
  /** The entry as JSON. */
  object: (row: Row) => object;
  entry: (row: Row) => FeedEntry;
}

/** The entries of one page of a list. */
type ListPart<Row = unknown> = ListedPart<Row, string>;

/** Reads one part of a list. @throws Problem 400 when `after` is not valid */
export async function readPart<Row>(
  list: StatusList<Row>,
  query: ListQuery,
  length: number,
): Promise<ListPart<Row>> {
  if (query.isPrivate) return { rows: [], last: null };
  const after = query.after === null ? null : list.cursor.decode(asParameter(query.after), 'after');
  return loadPart(
    length,
    (limit) => list.read(query, limit, after),
    (row) => list.cursor.encode(list.keyOf(row)),
  );
}

/**
 * Finds the address of a numbered page.
 * @returns null when the list has no such page, and when the number is above LIST_PAGES_MAX
 */
export async function numberedUrl<Row>(
  list: StatusList<Row>,
  query: ListQuery,
  page: number,
): Promise<string | null> {
  if (page === 1) return listUrl(list, { ...query, after: null }, '/');
  if (page > LIST_PAGES_MAX || query.isPrivate) return null;
  const before = (page - 1) * SHOWN_MAX;
  const { last } = await loadPart(
    before,
    (limit) => list.read(query, limit, null),
    (row) => list.cursor.encode(list.keyOf(row)),
  );
  return last === null ? null : listUrl(list, { ...query, after: last }, '/');
}

/** The number of entries on all pages of a list. */
export async function totalOf<Row>(
  list: StatusList<Row>,
  query: ListQuery,
  { rows, last }: ListPart<Row>,
): Promise<BoundedCount> {
  if (query.isPrivate || (query.after === null && last === null))
    return { count: rows.length, isMore: false };
  return list.count(query);
}

/** The address of a list as page, JSON or feed, with the same query. */
export function listUrl(
  list: Pick<StatusList, 'name' | 'bound'>,
  listQuery: ListQuery,
  form: '/' | '.json' | '.xml',
): string {
  const query = new URLSearchParams();
  if (listQuery.suites !== null) query.set('suite', listQuery.suites.join(','));
  if (listQuery.architectures !== null) query.set('arch', listQuery.architectures.join(','));
  if (listQuery.package !== null) query.set('package', listQuery.package);
  if (list.bound && listQuery.texts[list.bound]) query.set(list.bound, listQuery.texts[list.bound]!);
  if (listQuery.isPrivate !== null) query.set('is_private', String(listQuery.isPrivate));
  if (listQuery.after !== null) query.set('after', listQuery.after);
  return `/status/${list.name}${form}${query.size > 0 ? `?${query.toString()}` : ''}`;
}

/** Describes one page of a list in a sentence. @param total the number of entries on all pages */
export function listSentence(
  list: Pick<StatusList, 'nouns' | 'order'>,
  query: ListQuery,
  { rows, last }: ListPart,
  total: BoundedCount,
): string {
  const [one, many] = list.nouns(query);
  const filters = [
    query.suites && `${query.suites.length > 1 ? 'suites' : 'suite'} ${query.suites.join(' or ')}`,
    query.architectures &&
      `${query.architectures.length > 1 ? 'architectures' : 'architecture'} ${query.architectures.join(' or ')}`,
    query.package && `package ${query.package}`,
    query.isPrivate && 'private runs, which only “My runs” lists',
  ].filter(Boolean);
  const filtered = filters.length > 0 ? ` (${filters.join(', ')})` : '';
  const isFirst = query.after === null;
  if (rows.length === 0) return `There are no ${isFirst ? '' : 'further '}${many}${filtered}.`;
  const size = rows.length === 1 ? `1 ${one}` : `${rows.length} ${many}`;
  // The number may be out of date: it was not read together with the entries.
  if (total.count > rows.length) {
    const all = `${total.count.toLocaleString('en')} ${many}${filtered}`;
    if (!isFirst) return `${rows.length} more of ${total.isMore ? 'at least ' : ''}${all}.`;
    return `${total.isMore ? 'At least ' : ''}${all}, ${list.order} (${rows.length} shown).`;
  }
  if (isFirst && last === null) return `${size}${filtered}${rows.length > 1 ? `, ${list.order}` : ''}.`;
  return isFirst
    ? `The first ${size}${filtered}, ${list.order}.`
    : `${rows.length} more ${rows.length === 1 ? one : many}${filtered}.`;
}

/** The data of a page of a list. */
export function listView(
  list: StatusList,
  query: ListQuery,
  part: ListPart,
  total: BoundedCount,
  targets: { suites: string[]; architectures: string[] },
) {
  const { rows, last } = part;
  const first = { ...query, after: null };
  const isFiltered =
    query.suites !== null ||
    query.architectures !== null ||
    query.package !== null ||
    query.texts.since !== null ||
    query.texts.minutes !== null ||
    query.isPrivate !== null;
  return {
    title: list.title,
    caption: `${list.title}, ${list.order}`,
    sentence: listSentence(list, query, part, total),
    columns: list.columns,
    rows,
    asked: query,
    bound: list.bound ?? null,
    suites: withChoice(targets.suites, query.suites),
    architectures: withChoice(targets.architectures, query.architectures),
    isFiltered,
    isUnindexed: isFiltered || query.after !== null,
    url: `/status/${list.name}/`,
    firstUrl: query.after === null ? null : listUrl(list, first, '/'),
    nextUrl: last === null ? null : listUrl(list, { ...query, after: last }, '/'),
    jsonUrl: listUrl(list, query, '.json'),
    feed: listUrl(list, first, '.xml'),
    feedTitle: list.title,
  };
}

/** A page of a list as JSON. */
export function listObject(list: StatusList, query: ListQuery, { rows, last }: ListPart): StatusPartResource {
  const { suites, architectures, package: name } = query;
  return {
    list: list.name,
    filter: {
      suites,
      architectures,
      package: name,
      ...(list.bound === 'since' && { since: query.since.toISOString() }),
      ...(list.bound === 'minutes' && { minutes: query.minutes }),
    },
    items: rows.map((row) => list.object(row)),
    next: last === null ? null : listUrl(list, { ...query, after: last }, '.json'),
  };
}

/** Adds the names in the query: suites that are no longer configured may still have packages. */
function withChoice(words: string[], choice: string[] | null): string[] {
  return [...new Set([...words, ...(choice ?? [])])];
}
