import type { BoundedCount, StripEntry } from '@proctor/database';
import type { FeedEntry } from '../../public-data/status-feed';
import { LIST_PAGES_MAX } from '../layout/page-number';
import type { ListAsked } from './list-asked';

/** What a cell of a list shows: the template has a form for each. */
export type Cell =
  | { text: string; className?: 'version' | 'text' | 'number' }
  | { triggers: string; className: 'text' }
  | { link: { url: string; text: string }; className?: 'text' }
  | { status: string; url: string }
  | { at: Date | null; url: string | null }
  | { strip: StripEntry[]; url: string; since: string }
  | { places: { name: string; status: string; url: string }[] };

export interface ListColumn<Row> {
  head: string;
  cell: (row: Row) => Cell;
}

/** Entries that a part of a list has. */
export const LISTED_MAX = 100;

/** One list of statuses: its page, its JSON and its feed follow from this. */
export interface StatusList<Row = unknown> {
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
  /** Resolves with at most so many entries; those after the entry of `asked.after`. @throws Problem 400 when that is none */
  read: (asked: ListAsked, limit: number) => Promise<Row[]>;
  /** Resolves with how many entries there are in all parts. */
  count: (asked: ListAsked) => Promise<BoundedCount>;
  /** What to ask with as `after`, for the entries after this one. */
  keyOf: (row: Row) => string;
  /** For programs. */
  object: (row: Row) => object;
  entry: (row: Row) => FeedEntry;
}

/** A part of a list, as it was read. */
export interface ListPart<Row = unknown> {
  rows: Row[];
  hasMore: boolean;
}

/** Reads a part of a list. @throws Problem 400 */
export async function readPart<Row>(list: StatusList<Row>, asked: ListAsked): Promise<ListPart<Row>> {
  if (asked.isPrivate) return { rows: [], hasMore: false };
  const rows = await list.read(asked, LISTED_MAX + 1);
  return { rows: rows.slice(0, LISTED_MAX), hasMore: rows.length > LISTED_MAX };
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
  const rows = await list.read({ ...asked, after: null }, before + 1);
  return rows.length > before ? listUrl(list, { ...asked, after: list.keyOf(rows[before - 1]!) }, '/') : null;
}

/** How many entries a list has in all its parts. */
export async function totalOf<Row>(
  list: StatusList<Row>,
  asked: ListAsked,
  { rows, hasMore }: ListPart<Row>,
): Promise<BoundedCount> {
  if (asked.isPrivate || (asked.after === null && !hasMore)) return { count: rows.length, isMore: false };
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
  { rows, hasMore }: ListPart,
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
  if (isFirst && !hasMore) return `${counted}${filtered}${rows.length > 1 ? `, ${list.order}` : ''}.`;
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
  const { rows, hasMore } = part;
  const first = { ...asked, after: null };
  const last = rows.at(-1);
  const isFiltered =
    asked.suites !== null ||
    asked.architectures !== null ||
    asked.package !== null ||
    asked.isBound ||
    asked.isPrivate !== null;
  return {
    title: list.title,
    caption: `${list.title}, ${list.order}`,
    sentence: listSentence(list, asked, part, total),
    heads: list.columns.map(({ head }) => head),
    rows: rows.map((row) => list.columns.map(({ head, cell }) => ({ head, ...cell(row) }))),
    asked,
    bound: list.bound ?? null,
    suites: withAsked(targets.suites, asked.suites),
    architectures: withAsked(targets.architectures, asked.architectures),
    isFiltered,
    isUnindexed: isFiltered || asked.after !== null,
    url: `/status/${list.name}/`,
    firstUrl: asked.after === null ? null : listUrl(list, first, '/'),
    nextUrl: hasMore && last !== undefined ? listUrl(list, { ...asked, after: list.keyOf(last) }, '/') : null,
    jsonUrl: listUrl(list, asked, '.json'),
    feed: listUrl(list, first, '.xml'),
    feedTitle: list.title,
  };
}

/** The same for programs. */
export function listObject(list: StatusList, asked: ListAsked, { rows, hasMore }: ListPart) {
  const { suites, architectures, package: name } = asked;
  const last = rows.at(-1);
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
    next:
      hasMore && last !== undefined ? listUrl(list, { ...asked, after: list.keyOf(last) }, '.json') : null,
  };
}

/** A suite that is no longer configured may have packages still. */
function withAsked(words: string[], asked: string[] | null): string[] {
  return [...new Set([...words, ...(asked ?? [])])];
}
