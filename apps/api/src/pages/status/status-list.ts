import type { StatusPartResource } from '@proctor/resources';
import type { BoundedCount, StripEntry } from '@proctor/database';
import { asParameter } from '../../http/parameters';
import { loadPart, type Cursor, type ListedPart } from '../../http/parts';
import type { FeedEntry } from '../../public-data/status-feed';
import { LIST_PAGES_MAX } from '../layout/page-number';
import type { ListAsked } from './list-asked';

/** What a cell of a list shows: the template has a form for each. */
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

/** Entries that a part of a list has. */
export const LISTED_MAX = 100;

/** One list of statuses: its page, its JSON and its feed follow from this. */
export interface StatusList<Row = unknown, Key = unknown> {
  /** The last part of its address: `failing` for `/status/failing/`. */
  name: string;
  title: string;
  /** What an entry is, for the sentence: `place where a package fails`, and of several. */
  nouns: (asked: ListAsked) => [one: string, many: string];
  /** How the entries are ordered: `the latest first`. */
  order: string;
  columns: ListColumn<Row>[];
  /** What can be asked for beside suite, architecture and package. */
  bound?: 'since' | 'minutes';
  /** Resolves with at most so many entries, those after that key. */
  read: (asked: ListAsked, limit: number, after: Key | null) => Promise<Row[]>;
  /** Resolves with how many entries there are in all parts. */
  count: (asked: ListAsked) => Promise<BoundedCount>;
  /** The parameter `after`. */
  cursor: Cursor<Key>;
  keyOf: (row: Row) => Key;
  /** For programs. */
  object: (row: Row) => object;
  entry: (row: Row) => FeedEntry;
}

/** A part of a list, as it was read. */
export type ListPart<Row = unknown> = ListedPart<Row, string>;

/** Reads a part of a list. @throws Problem 400 */
export async function readPart<Row>(list: StatusList<Row>, asked: ListAsked): Promise<ListPart<Row>> {
  if (asked.isPrivate) return { rows: [], last: null };
  const after = asked.after === null ? null : list.cursor.decode(asParameter(asked.after), 'after');
  return loadPart(
    LISTED_MAX,
    (limit) => list.read(asked, limit, after),
    (row) => list.cursor.encode(list.keyOf(row)),
  );
}

/**
 * Where a numbered part begins.
 * @returns its address; null for a part that the list does not have, or that is too far back
 */
export async function numberedUrl<Row>(
  list: StatusList<Row>,
  asked: ListAsked,
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

/** How many entries a list has in all its parts. */
export async function totalOf<Row>(
  list: StatusList<Row>,
  asked: ListAsked,
  { rows, last }: ListPart<Row>,
): Promise<BoundedCount> {
  if (asked.isPrivate || (asked.after === null && last === null))
    return { count: rows.length, isMore: false };
  return list.count(asked);
}

/** Where a list is shown and in which form; the questions that are asked stay. */
export function listUrl(
  list: Pick<StatusList, 'name' | 'bound'>,
  asked: ListAsked,
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

/** What a part of a list has in it, in words. @param total of all parts */
export function listSentence(
  list: Pick<StatusList, 'nouns' | 'order'>,
  asked: ListAsked,
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
  // Entries may have come and gone since the part was read.
  if (total.count > rows.length) {
    const all = `${total.isMore ? 'at least ' : ''}${total.count.toLocaleString('en')}`;
    const ofTotal = `${rows.length} of ${all} ${many}${filtered}`;
    return isFirst ? `The first ${ofTotal}, ${list.order}.` : `Further ${ofTotal}.`;
  }
  if (isFirst && last === null) return `${counted}${filtered}${rows.length > 1 ? `, ${list.order}` : ''}.`;
  return isFirst ? `The first ${counted}${filtered}, ${list.order}.` : `Further ${counted}${filtered}.`;
}

/** The page of a part of a list. */
export function listView(
  list: StatusList,
  asked: ListAsked,
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

/** The same for programs. */
export function listObject(list: StatusList, asked: ListAsked, { rows, last }: ListPart): StatusPartResource {
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

/** A suite that is no longer configured may have packages still. */
function withAsked(words: string[], asked: string[] | null): string[] {
  return [...new Set([...words, ...(asked ?? [])])];
}
