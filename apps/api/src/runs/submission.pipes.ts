import { describe, faultsOf } from '@proctor/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { badRequest, badRequestAt } from '../http/problem';
import { fieldsOf } from '../http/parameters.pipe';
import type { Fields } from '../http/parameters.pipe';
import { copyOf, keysOf } from '../http/shape';
import type { Parameters } from '../http/parameters';
import { LIST_NAME } from '../http/body-need';
import { readJson } from '../http/json-reader';
import { inSlices, type SlicedWork } from '../http/slices';
import { elementOf, faultAt, isOfBody, keyOf } from './place';
import type { Fault, Place } from './place';
import { FAULTS_MAX, itemsIn } from './submitted-items';
import type { Submitted, SubmittedItems, SubmittedOptions, SubmittedPart } from './submitted-items';
import { BatchPart, checkLength, SingleTest, TestList } from './test-request.dto';
import { UnknownKeys, unknownParameters } from './unknown-keys';

/**
 * The common part of the three kinds of requests. Faults of items are kept and reported together with those of their
 * names.
 */
abstract class SubmissionPipe<T> implements PipeTransform<Parameters, Promise<T>> {
  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  /** @throws the problems of `steps` */
  transform(parameters: Parameters): Promise<T> {
    return inSlices(this.steps(parameters));
  }

  /** Does the work of `transform` in slices; the caller decides about pauses between them. */
  abstract steps(parameters: Parameters): SlicedWork<T>;

  protected get runsMax(): number {
    return this.configuration.server.itemsPerRequestMax;
  }

  protected fields(shape: typeof TestList | typeof SingleTest, parameters: Parameters): Fields {
    return fieldsOf(shape, parameters, this.configuration.server);
  }

  /** The list and its place in the request. */
  protected *list(request: Parameters): SlicedWork<TestList & { origin: Place; unknown: string[] }> {
    const parameters = yield* withList(request);
    const { values, unknown } = this.fields(TestList, parameters);
    const origin = { label: 'tests', pointer: parameters.get('tests')?.pointer ?? null };
    return { ...copyOf(TestList, values), origin, unknown };
  }
}

/** `POST /api/v1/test/{suite}/{arch}` */
@Injectable()
export class TestListPipe extends SubmissionPipe<SubmittedItems> {
  /** @throws Problem 400 for a request that is malformed; 413 for too many tests */
  *steps(parameters: Parameters): SlicedWork<SubmittedItems> {
    const { tests, priority, dry_run: isDryRun = false, origin, unknown } = yield* this.list(parameters);
    const unknownKeys = new UnknownKeys();
    const items = yield* itemsIn(tests, { list: origin }, unknownKeys);
    const warnings = [...unknownParameters(unknown), ...unknownKeys.warnings()];
    return { items, origin: { list: origin }, priority, warnings, isDryRun };
  }
}

/** `POST /api/v1/test/{suite}/{arch}/{package}`: the keys of one item are parameters of the query or the body. */
@Injectable()
export class TestOptionsPipe extends SubmissionPipe<SubmittedOptions> {
  /** @throws Problem 400 for a parameter that does not belong to a single test, or breaks a rule */
  // eslint-disable-next-line require-yield -- one item is read at once
  *steps(parameters: Parameters): SlicedWork<SubmittedOptions> {
    const tests = parameters.get('tests');
    if (tests) throw badRequestAt('tests does not belong to a request for a single package.', tests.pointer);
    const { values, spellings, unknown } = this.fields(SingleTest, parameters);
    const options = copyOf(SingleTest, values);
    const { dry_run: isDryRun = false } = options;
    const keys = new Map<string, Place>();
    for (const [key, label] of spellings) keys.set(key, { label, pointer: parameters.get(label)!.pointer });
    const warnings = unknownParameters(unknown);
    return { options, faults: faultsOf(options), keys, warnings, isDryRun };
  }
}

/** `POST /api/v1/test/batch`: `tests` holds `[{"suite": s, "arch": [a, …], "tests": [item, …]}, …]`. */
@Injectable()
export class BatchPipe extends SubmissionPipe<Submitted> {
  /**
   * @throws Problem 400 for a request that is malformed; 413 for too many runs: each item counts for each
   * architecture of its part
   */
  *steps(parameters: Parameters): SlicedWork<Submitted> {
    const { tests, priority, dry_run: isDryRun = false, origin, unknown } = yield* this.list(parameters);
    const unknownInParts = new UnknownKeys();
    const readableParts = yield* partsIn(tests, origin, unknownInParts);
    checkLength(
      readableParts.reduce((sum, { part }) => sum + part.tests.length * part.arch.length, 0),
      this.runsMax,
    );
    const unknownInItems = new UnknownKeys();
    const parts: SubmittedPart[] = [];
    for (const [request, { part, place }] of readableParts.entries()) {
      yield;
      const { suite, arch: archs } = part;
      const origin = { list: keyOf(place, 'tests') };
      const items = yield* itemsIn(part.tests, origin, unknownInItems);
      const target = { suite: keyOf(place, 'suite'), arch: keyOf(place, 'arch') };
      parts.push({ request, suite, archs, items, origin, priority, target });
    }
    const warnings = [
      ...unknownParameters(unknown),
      ...unknownInParts.warnings(),
      ...unknownInItems.warnings(),
    ];
    return { parts, warnings, isDryRun };
  }
}

/** Parses a list that came as bytes. @throws Problem 400 for text that is not JSON; 413 for too many values */
function* withList(parameters: Parameters): SlicedWork<Parameters> {
  const list = parameters.get(LIST_NAME);
  if (!Buffer.isBuffer(list?.value)) return parameters;
  const value = yield* readJson(list.value, LIST_NAME, list.pointer);
  return new Map([...parameters, [LIST_NAME, { ...list, value, isText: false }]]);
}

/** @throws Problem 400 for a part that is malformed */
function* partsIn(
  list: unknown[],
  origin: Place,
  unknownKeys: UnknownKeys,
): SlicedWork<{ part: BatchPart; place: Place }[]> {
  const faults: Fault[] = [];
  const parts: { part: BatchPart; place: Place }[] = [];
  for (const [index, raw] of list.entries()) {
    if (faults.length >= FAULTS_MAX) break;
    yield;
    const place = elementOf(origin, index);
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      faults.push(faultAt(place, `must be an object, not ${describe(raw)}`));
      continue;
    }
    for (const key of Object.keys(raw)) if (!keysOf(BatchPart).has(key)) unknownKeys.add(key, place.label);
    const part = copyOf(BatchPart, raw);
    const arch: unknown = part.arch;
    if (typeof arch === 'string') part.arch = [arch];
    faults.push(...faultsOf(part).map(({ key, detail }) => faultAt(keyOf(place, key), detail)));
    parts.push({ part, place });
  }
  const sentences = faults.map(({ detail, pointer }) => ({ detail: `${detail}.`, pointer }));
  if (sentences[0]) throw badRequest(sentences[0].detail, sentences.filter(isOfBody));
  return parts;
}
