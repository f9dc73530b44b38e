import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import * as contracts from './index';
import { MESSAGE_BYTES_MAX } from './size';

type Shape = new () => object;

/** Every class of a message, and of what messages hold: those that have rules. */
const SHAPES = Object.values(contracts as Record<string, unknown>).filter(
  (each): each is Shape => typeof each === 'function' && rulesOf(each as Shape).length > 0,
);

const FIELDS = SHAPES.flatMap((shape) =>
  [...new Set(rulesOf(shape).map(({ propertyName }) => propertyName))].map(
    (field) => [shape.name, field, shape] as const,
  ),
);

/** Up to 2^53 - 1 exactly; the rows hold them with 64 bits, and nothing is reckoned with them. */
const IDENTITIES = new Set(['runId', 'grantEpoch']);

function rulesOf(shape: Shape) {
  return getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
}

function takes(shape: Shape, field: string, value: unknown): boolean {
  const faults = validateSync(plainToInstance(shape, { [field]: value }));
  return faults.every(({ property }) => property !== field);
}

it('the classes of all messages are looked at', () => {
  const names = [
    'LeaseRequest',
    'RenewRequest',
    'FinishedReport',
    'LogChunk',
    'SlotsWanted',
    'StatusRequest',
  ];
  expect(SHAPES.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

describe('of each message', () => {
  it.each(FIELDS)('the number %s.%s has a range of whole numbers', (_, field, shape) => {
    const tooMuch = IDENTITIES.has(field) ? 2 ** 53 : 2 ** 53 - 1;
    for (const number of [tooMuch, 1e300, Infinity, NaN, -1, 0.5, -0.5])
      for (const value of [number, [number]])
        expect([value, takes(shape, field, value)]).toEqual([value, false]);
  });

  it.each(FIELDS)('the text %s.%s has a length', (_, field, shape) => {
    for (const text of ['x', '0', 'A'].map((letter) => letter.repeat(MESSAGE_BYTES_MAX + 4)))
      for (const value of [text, [text]])
        expect([text[0], Array.isArray(value), takes(shape, field, value)]).toEqual([
          text[0],
          Array.isArray(value),
          false,
        ]);
  });

  it.each(FIELDS)('the list %s.%s has a length', (_, field, shape) => {
    const entries = ['x', 1, true, {}, 'b3a1a3a8-9f1e-4c5e-8a55-0d8b1a4f1d11'];
    for (const entry of entries) {
      const list = Array.from({ length: 1_001 }, () => entry);
      expect([entry, takes(shape, field, list)]).toEqual([entry, false]);
    }
  });
});

it.each([
  [contracts.FinishedReport, 'durationSeconds', 366 * 86_400],
  [contracts.FinishedReport, 'exitCode', 255],
  [contracts.ResultFile, 'size', 2 ** 40],
  [contracts.Grant, 'attempt', 999_999_999],
  [contracts.ErrorExcerpt, 'errorLine', 2_000_000_000],
  [contracts.ErrorExcerpt, 'firstLine', 2_000_000_000],
  [contracts.LogChunk, 'chunk', 1_000_000_000],
  [contracts.LogChunk, 'offset', 2 ** 40],
  [contracts.SlotIdentity, 'slot', 9_999],
  [contracts.MachineState, 'loadPercent', contracts.LOAD_PERCENT_MAX],
  [contracts.MachineState, 'freeDiskMib', contracts.FREE_DISK_MIB_MAX],
  [contracts.MachineState, 'freeDiskMibMin', contracts.FREE_DISK_MIB_MAX],
] as const)('%o.%s may be at most %d', (shape, field, max) => {
  expect([max, max + 1].map((value) => takes(shape, field, value))).toEqual([true, false]);
});
