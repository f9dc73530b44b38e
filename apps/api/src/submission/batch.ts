import { badRequest, describe } from '../http/problem';
import type { BodyFault } from '../http/problem';
import { copyOf, faultsOf } from '../shape/shape';
import { pointerTo } from '../transport/parameters';
import type { Parameter, Parameters } from '../transport/parameters';
import { BatchPart, PART_KEYS } from './batch-part';
import { checkLength, pointerIn, testsOf, unknownParameters } from './order';
import type { Part, Place } from './order';
import { optionalPriority } from './priority';
import { UnknownKeys } from './unknown-keys';

const FAULTS_NAMED_MAX = 20;

/**
 * `POST /api/v1/test/batch`: `tests` holds `[{"suite": s, "arch": [a, …], "tests": [item, …]}, …]`; the first part has
 * the warnings of the whole batch.
 * @param runsMax what the batch may ask for: each item counts once for each architecture of its part
 * @throws Problem 400; 413
 */
export function batchParts(parameters: Parameters, runsMax: number): Part[] {
  const { tests, items } = testsOf(parameters);
  checkLength(items.length, runsMax);
  const priority = optionalPriority(parameters.get('priority'));
  const unknownKeys = new UnknownKeys();
  const faults: { label: string; detail: string; pointer: string | null }[] = [];
  const parts: Part[] = [];
  for (const [request, raw] of items.entries()) {
    const { label, pointer } = placeOf(tests, request);
    if (faults.length >= FAULTS_NAMED_MAX) break;
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
      faults.push({ label, pointer, detail: `must be an object, not ${describe(raw)}` });
      continue;
    }
    for (const key of Object.keys(raw)) if (!KNOWN.has(key)) unknownKeys.add(key, label);
    const part = partOf(raw);
    faults.push(...faultsOf(part).map(({ key, detail }) => ({ ...placeOf(tests, request, key), detail })));
    const { suite, arch: archs, tests: wanted } = part;
    parts.push({ request, suite, archs, items: wanted, priority, warnings: [], ...places(tests, request) });
  }
  if (faults.length > 0) {
    const sentences = faults.map((fault) => ({ ...fault, detail: `${fault.label} ${fault.detail}.` }));
    throw badRequest(sentences[0]!.detail, sentences.flatMap(bodyFault));
  }
  checkLength(
    parts.reduce((sum, part) => sum + part.items.length * part.archs.length, 0),
    runsMax,
  );
  parts[0]?.warnings.push(...unknownParameters(parameters, ['tests', 'priority']), ...unknownKeys.warnings());
  return parts;
}

const KNOWN = new Set<string>(PART_KEYS);

function partOf(raw: object): BatchPart {
  const part = copyOf(BatchPart, PART_KEYS, raw);
  const arch: unknown = part.arch;
  if (typeof arch === 'string') part.arch = [arch];
  return part;
}

function places(tests: Parameter, request: number): Pick<Part, 'place' | 'targetPlace'> {
  return {
    targetPlace: (key) => placeOf(tests, request, key),
    place: (index, key) => {
      const { label, pointer } = placeOf(tests, request, 'tests');
      return {
        label: key === undefined ? `${label}[${index}]` : `${label}[${index}].${key}`,
        pointer: pointer && pointerIn(pointerTo(pointer, index), key),
      };
    },
  };
}

function placeOf(tests: Parameter, request: number, key?: string): Place {
  return {
    label: key === undefined ? `tests[${request}]` : `tests[${request}].${key}`,
    pointer: tests.pointer && pointerIn(pointerTo(tests.pointer, request), key),
  };
}

function bodyFault({ pointer, detail }: { pointer: string | null; detail: string }): BodyFault[] {
  return pointer === null ? [] : [{ pointer, detail }];
}
