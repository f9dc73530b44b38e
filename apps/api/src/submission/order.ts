import { describe, Problem, refused } from '../http/problem';
import { JSON_PARAMETERS, pointerTo } from '../transport/parameters';
import type { Parameter, Parameters } from '../transport/parameters';
import { json } from '../transport/text';
import { optionalPriority } from './priority';
import { ITEM_KEYS } from './test-item';
import type { ItemKey } from './test-item';

/** Where a part of a request is: as a message names it, and in the body. */
export interface Place {
  label: string;
  pointer: string | null;
}

/** Test requests as they came: nothing of the items is known yet. */
export interface Order {
  items: unknown[];
  /** For the items that name none. */
  priority: number | undefined;
  warnings: string[];
  place(index: number, key?: string): Place;
}

/** An order and where its tests run: on each of the architectures once. */
export interface Part extends Order {
  suite: string;
  archs: string[];
  /** Place in a batch, from 0; absent when the request is no batch. */
  request?: number;
  targetPlace(key: 'suite' | 'arch'): Place;
}

/** An order whose target the path names. */
export function partAt(order: Order, suite: string, arch: string): Part {
  const targetPlace = (key: 'suite' | 'arch'): Place => ({
    label: key === 'suite' ? 'the suite' : 'the architecture',
    pointer: null,
  });
  return { ...order, suite, archs: [arch], targetPlace };
}

/**
 * `POST /api/v1/test/{suite}/{arch}`: parameters `tests` and `priority`.
 * @throws Problem 400; 413 for more than `itemsMax` tests
 */
export function listOrder(parameters: Parameters, itemsMax: number): Order {
  const { tests, items } = testsOf(parameters);
  checkLength(items.length, itemsMax);
  return {
    items,
    priority: optionalPriority(parameters.get('priority')),
    warnings: unknownParameters(parameters, ['tests', 'priority']),
    place: (index, key) => ({
      label: key === undefined ? `tests[${index}]` : `tests[${index}].${key}`,
      pointer: tests.pointer && pointerIn(pointerTo(tests.pointer, index), key),
    }),
  };
}

/**
 * The parameter `tests` and the array that it holds.
 * @throws Problem 400
 */
export function testsOf(parameters: Parameters): { tests: Parameter; items: unknown[] } {
  const tests = parameters.get('tests');
  if (!tests) throw refused('tests is missing: it holds a JSON array of test requests.', null);
  const items = valueOf(tests, 'tests');
  if (!Array.isArray(items)) throw refused(`tests must be an array, not ${describe(items)}.`, tests.pointer);
  return { tests, items };
}

/** @throws Problem 413 */
export function checkLength(runs: number, runsMax: number): void {
  if (runs > runsMax) throw new Problem(413, `There are ${runs} tests; one request may have ${runsMax}.`);
}

/** Other spellings of an item's keys: the interface writes one of them differently for a single package. */
const ALIASES: ReadonlyMap<string, ItemKey> = new Map([
  ['extra_apt_sources', 'extra-apt-sources'],
  ['pin_packages', 'pin-packages'],
]);
const SINGLE_KEYS = new Set<string>(ITEM_KEYS.filter((key) => key !== 'package'));

/**
 * `POST /api/v1/test/{suite}/{arch}/{package}`: the keys of one item as parameters of the query or the body.
 * @throws Problem 400
 */
export function singleOrder(name: string, parameters: Parameters): Order {
  const tests = parameters.get('tests');
  if (tests) throw refused('tests does not belong to a request for a single package.', tests.pointer);
  const item = new Map<string, unknown>([['package', name]]);
  const spellings = new Map<string, string>();
  for (const [spelling, parameter] of parameters) {
    const key = ALIASES.get(spelling) ?? spelling;
    if (!SINGLE_KEYS.has(key)) continue;
    if (item.has(key)) throw refused(`${spelling} is given more than once.`, parameter.pointer);
    item.set(key, itemValue(key, spelling, parameter));
    spellings.set(key, spelling);
  }
  return {
    items: [Object.fromEntries(item)],
    priority: undefined,
    warnings: unknownParameters(parameters, [...SINGLE_KEYS, ...ALIASES.keys()]),
    place: (_index, key = 'package') => {
      const label = spellings.get(key) ?? key;
      return { label, pointer: parameters.get(label)?.pointer ?? null };
    },
  };
}

function itemValue(key: string, spelling: string, parameter: Parameter): unknown {
  if (key === 'priority') return optionalPriority(parameter);
  if (JSON_PARAMETERS.has(key)) return valueOf(parameter, spelling);
  if (key === 'is_private' && parameter.isText) return booleanOf(parameter);
  return parameter.value;
}

function valueOf({ value, isText, pointer }: Parameter, label: string): unknown {
  return isText ? json(value as string, label, pointer) : value;
}

/** Anything else than the two words is left as it is: the item's rules refuse it. */
function booleanOf({ value }: Parameter): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}

export function pointerIn(pointer: string, key: string | undefined): string {
  return key === undefined ? pointer : pointerTo(pointer, key);
}

const WARNINGS_MAX = 20;

export function unknownParameters(parameters: Parameters, known: string[]): string[] {
  const unknown = [...parameters.keys()].filter((name) => !known.includes(name));
  return unknown
    .slice(0, WARNINGS_MAX)
    .map((name) => `The parameter ${describe(name)} is unknown and was ignored.`);
}
