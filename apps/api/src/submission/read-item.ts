import { describe } from '../http/problem';
import { copyOf, faultsOf } from '../shape/shape';
import { ITEM_KEYS, TestItem } from './test-item';

export interface ItemFault {
  /** Absent when the item itself is at fault. */
  key?: string;
  /** A sentence without its subject: `must be a string, not 5`. */
  detail: string;
}

/** An item that cannot be accepted. */
export class FaultyItem extends Error {
  constructor(readonly faults: ItemFault[]) {
    super(faults.map(({ key, detail }) => `${key ?? 'item'} ${detail}`).join('; '));
  }
}

const KNOWN = new Set<string>(ITEM_KEYS);

/**
 * Checks the shape of one item; its names are not looked up.
 * @param unknown is told each key that is not an item's
 * @throws FaultyItem
 */
export function readItem(raw: unknown, unknown: (key: string) => void): TestItem {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw new FaultyItem([{ detail: `must be an object, not ${describe(raw)}` }]);
  }
  for (const key of Object.keys(raw)) if (!KNOWN.has(key)) unknown(key);
  const item = copyOf(TestItem, ITEM_KEYS, raw);
  const faults = faultsOf(item);
  if (faults.length === 0) return item;
  throw new FaultyItem(faults);
}
