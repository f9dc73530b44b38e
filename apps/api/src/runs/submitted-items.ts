import { describe, faultsOf } from '@proctor/contracts';
import { copyOf, keysOf } from '../http/shape';
import type { SlicedWork } from '../http/slices';
import { placeOf } from './place';
import type { Origin, Place } from './place';
import { TestItem } from './test-request.dto';
import type { SentOptions } from '@proctor/request-fields';
import type { UnknownKeys } from './unknown-keys';

/** A fault of one item. */
export interface ItemFault {
  /** Absent if the item itself has the fault. */
  key?: string;
  /** A sentence without its subject: `must be a string, not 5`. */
  detail: string;
}

/** One parsed test request; its names are not checked yet. */
interface SubmittedItem {
  item: TestItem;
  /** Faults of its form; the keys that they name must not be used. */
  faults: ItemFault[];
}

/** Test requests and their target: each runs on each of the architectures. */
export interface SubmittedPart {
  items: SubmittedItem[];
  origin: Origin;
  /** The priority of items without one. */
  priority: number | undefined;
  suite: string;
  archs: string[];
  /** The index in a batch; absent if the request is no batch. */
  request?: number;
  target: { suite: Place; arch: Place };
}

/** A parsed request for tests. */
export interface Submitted {
  parts: SubmittedPart[];
  /** Sentences for people. */
  warnings: string[];
  /** Whether nothing is created, and the answer says what would happen. */
  isDryRun: boolean;
}

/** Test requests with the target in the path. */
export interface SubmittedItems extends Pick<SubmittedPart, 'items' | 'origin' | 'priority'> {
  warnings: string[];
  isDryRun: boolean;
}

export function submittedAt(
  { warnings, isDryRun, ...part }: SubmittedItems,
  suite: string,
  arch: string,
): Submitted {
  const target = {
    suite: { label: 'the suite', pointer: null },
    arch: { label: 'the architecture', pointer: null },
  };
  return { parts: [{ ...part, suite, archs: [arch], target }], warnings, isDryRun };
}

/** A single test request, with the package in the path. */
export interface SubmittedOptions {
  options: SentOptions;
  faults: ItemFault[];
  /** The place of each key in the request. */
  keys: ReadonlyMap<string, Place>;
  warnings: string[];
  isDryRun: boolean;
}

export function itemOf(
  name: string,
  { options, faults, keys, warnings, isDryRun }: SubmittedOptions,
): SubmittedItems {
  return {
    items: [{ item: { ...options, package: name }, faults }],
    origin: { keys },
    priority: undefined,
    warnings,
    isDryRun,
  };
}

/** More faults are not reported, so later items need not be read. */
export const FAULTS_MAX = 20;

/** Items between two pauses. */
const ITEMS_AT_ONCE = 20;

/** Reads the items of a list. @param unknownKeys gets each unknown key of an item */
export function* itemsIn(
  list: unknown[],
  origin: Origin,
  unknownKeys: UnknownKeys,
): SlicedWork<SubmittedItem[]> {
  const items: SubmittedItem[] = [];
  let faults = 0;
  for (const [index, raw] of list.entries()) {
    if (faults >= FAULTS_MAX) break;
    if (index % ITEMS_AT_ONCE === 0) yield;
    const item = readItem(raw, (key) => unknownKeys.add(key, placeOf(origin, index).label));
    faults += item.faults.length;
    items.push(item);
  }
  return items;
}

function readItem(raw: unknown, unknown: (key: string) => void): SubmittedItem {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return { item: new TestItem(), faults: [{ detail: `must be an object, not ${describe(raw)}` }] };
  }
  for (const key of Object.keys(raw)) if (!keysOf(TestItem).has(key)) unknown(key);
  const item = copyOf(TestItem, raw);
  return { item, faults: faultsOf(item) };
}
