import type { BodyFault } from '../http/problem';
import { pointerTo } from '../http/parameters';

/** The place of a part of a request: its name in messages, and its pointer in the body. */
export interface Place {
  label: string;
  /** JSON pointer in URI fragment form; null if it is not in the body. */
  pointer: string | null;
}

/** The place of the items of a request: a list; or one item, with each of its keys in a parameter. */
export type Origin = { list: Place } | { keys: ReadonlyMap<string, Place> };

export function placeOf(origin: Origin, index: number, key?: string): Place {
  if ('keys' in origin) {
    const name = key ?? 'package';
    return origin.keys.get(name) ?? { label: name, pointer: null };
  }
  const item = elementOf(origin.list, index);
  return key === undefined ? item : keyOf(item, key);
}

export function elementOf({ label, pointer }: Place, index: number): Place {
  return { label: `${label}[${index}]`, pointer: pointer && pointerTo(pointer, index) };
}

export function keyOf({ label, pointer }: Place, key: string): Place {
  return { label: `${label}.${key}`, pointer: pointer && pointerTo(pointer, key) };
}

/** A fault at a place. */
export interface Fault {
  /** A sentence that names the place. */
  detail: string;
  pointer: string | null;
}

export function faultAt({ label, pointer }: Place, detail: string): Fault {
  return { detail: `${label} ${detail}`, pointer };
}

export function isOfBody(fault: Fault): fault is BodyFault {
  return fault.pointer !== null;
}
