import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import {
  Allow,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateIf,
  validateSync,
} from 'class-validator';
import fc from 'fast-check';
import { ExplainRequest } from './explain';
import { KnownShape } from './known-shape';
import { RenewRequest } from './held-attempt';
import { LeaseRequest } from './lease-request';
import { FinishedReport, RecordedSignal, StartedReport } from './report';

const uuid = 'b3a1a3a8-9f1e-4c5e-8a55-0d8b1a4f1d11';
const identity = { worker: 'w1', incarnation: uuid, slot: 0 };
const grant = { runId: 1, attempt: 1, grantEpoch: 3 };
const ask = {
  ...identity,
  previous: [uuid],
  ask: uuid,
  variants: ['autopkgtest'],
  builds: ['unshare'],
  problem: 'the disk is full',
  sizeClasses: ['big'],
  onlyHeld: true,
  busyElsewhere: [0, 9999],
  kept: [grant, { runId: 2, attempt: 1 }],
  unknown: { a: 1 },
  testbeds: [{ suite: 'sid', backend: 'unshare', state: 'ready', detail: 'd' }],
  canary: { canary: '7.1', passed: true, message: 'passed' },
};
const report = {
  ...identity,
  ...grant,
  verdict: 'tmpfail',
  message: 'broken',
  trouble: 'testbed',
  exitCode: 16,
  version: '1-1',
  durationSeconds: 1,
  files: [{ name: 'log.gz', size: 3, sha256: 'a'.repeat(64) }],
  tests: [{ name: 'unit', status: 'PASS', detail: null }],
};
const MESSAGES: [new () => object, object][] = [
  [LeaseRequest, ask],
  [FinishedReport, report],
  [StartedReport, { ...identity, ...grant }],
  [RenewRequest, { ...identity, ...grant }],
  [RecordedSignal, { ...grant, answer: 'recorded' }],
  [ExplainRequest, { runId: 1 }],
];

const strange = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    0,
    -1,
    1.5,
    2 ** 53,
    NaN,
    '',
    'x',
    '\0',
    '\ud800',
    true,
    [],
    {},
    [null],
    [[]],
    [{}],
  ),
  fc.constantFrom(uuid, [uuid], ['a', 1], [grant], grant, ask.testbeds, [ask.testbeds], { length: 1 }),
  // class-transformer leaves out a field that is named like a method of each object.
  fc.jsonValue().map((value) => dropMethodNames(value)),
);

function dropMethodNames(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, each: unknown) => (name in Object.prototype ? undefined : each)),
  );
}

/** Paths of all properties, also of those within. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  const deeper =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]))
      : [];
  return path.length > 0 ? [path, ...deeper] : deeper;
}

function changedValue(value: unknown, [name, ...rest]: string[], to: unknown): unknown {
  if (name === undefined) return to;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[name] = changedValue(copy[name], rest, to);
  return copy;
}

it.each(MESSAGES)('%p is read as class-validator and class-transformer read it', (shape, message) => {
  const knownShape = KnownShape.of(shape);
  expect(knownShape?.instance(message)).toEqual(plainToInstance(shape, message));
  fc.assert(
    fc.property(fc.constantFrom(...pathsOf(message)), strange, (path, value) => {
      const data = changedValue(message, path, value) as object;
      const instance = plainToInstance(shape, data);
      const isValid = validateSync(instance, { forbidUnknownValues: true }).length === 0;
      const ours = knownShape!.instance(data);
      if (!isValid) expect(ours).toBeNull();
      else if (ours) expect(ours).toEqual(instance);
    }),
    { numRuns: 2_000 },
  );
});

it('the parts of a message become instances of their classes', () => {
  const instance = KnownShape.of(FinishedReport)!.instance(report) as FinishedReport;
  const usual = plainToInstance(FinishedReport, report);
  expect(instance).toBeInstanceOf(FinishedReport);
  expect(instance.files[0]!.constructor).toBe(usual.files[0]!.constructor);
  expect(instance.tests![0]!.constructor).toBe(usual.tests![0]!.constructor);
});

it('a field that would change the prototype is left out', () => {
  const data = JSON.parse('{"runId":1,"__proto__":{"evil":true},"constructor":1}') as object;
  const instance = KnownShape.of(ExplainRequest)!.instance(data)!;
  expect(Object.getPrototypeOf(instance)).toBe(ExplainRequest.prototype);
  expect(instance).not.toHaveProperty('evil');
});

it('a class without rules has no known shape', () => {
  expect(KnownShape.of(class Bare {})).toBeNull();
});

class Base {
  @IsString() name: unknown;
  @IsOptional() @IsInt() @Min(1) @Max(10) priority: unknown;
  @Allow() anything: unknown;
}

class Whole extends Base {
  @IsOptional() @IsArray() @ArrayUnique() @IsString({ each: true }) words: unknown;
  @ValidateIf((whole: Whole) => whole.name === 'a') @IsBoolean() flag: unknown;
}

const fieldValue = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    'a',
    '',
    true,
    0,
    1,
    10,
    11,
    1.5,
    NaN,
    [],
    ['a'],
    ['a', 'a'],
    ['a', 1],
    {},
  ),
  fc.anything(),
);

it('an instance keeps the rules of its class exactly when class-validator finds no fault in it', () => {
  const fields = fc.record({
    name: fieldValue,
    priority: fieldValue,
    anything: fieldValue,
    words: fieldValue,
    flag: fieldValue,
  });
  fc.assert(
    fc.property(fields, (values) => {
      const instance = Object.assign(new Whole(), values);
      expect(KnownShape.of(Whole)!.isKept(instance)).toBe(validateSync(instance).length === 0);
    }),
    { numRuns: 2_000 },
  );
});

it('an instance of a class that holds objects is left to class-validator', () => {
  expect(KnownShape.of(FinishedReport)!.isKept(plainToInstance(FinishedReport, report))).toBe(false);
});
