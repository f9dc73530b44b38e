import { describe, faultsOf, isStrict } from '@proctor/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { badRequest, badRequestAt } from './problem';
import type { BodyFault } from './problem';
import { json } from './text';
import type { Parameter, Parameters } from './parameters';
import { copyOf, keysOf, sourceOf } from './shape';
import type { Shape, Source } from './shape';

/**
 * Converts the parameters of a request to the class of the handler. Nest's ValidationPipe would copy every value
 * deeply, which loses keys such as `__proto__`, and it does not know where a value was sent.
 */
@Injectable()
export class ParametersPipe implements PipeTransform<Parameters, object> {
  constructor(@Inject(CONFIGURATION) protected readonly configuration: ApiConfiguration) {}

  /** @throws Problem 400 for a value that breaks a rule; 413 for one that is too long */
  transform(parameters: Parameters, { metatype }: ArgumentMetadata): object {
    if (!metatype) throw new Error('a route asks for parameters and names no class of them');
    return shapeOf(metatype as Shape, parameters, this.configuration.server);
  }
}

/** The values of a class's fields in a request, before all rules are checked. */
export interface Fields {
  values: Record<string, unknown>;
  /** The client's spelling of the keys. */
  spellings: ReadonlyMap<string, string>;
  /** Names of parameters that are no fields. */
  unknown: string[];
}

/** @throws Problem 400 for a field that cannot be read; 413 for one that is too long */
export function fieldsOf(shape: Shape, parameters: Parameters, server: ApiConfiguration['server']): Fields {
  const { spellings, unknown } = spellingsIn(shape, parameters);
  if (isStrict(shape) && unknown[0] !== undefined) {
    const names = [...keysOf(shape)].join(', ') || 'none';
    const detail = `The parameter ${describe(unknown[0])} is unknown; there is ${names}.`;
    throw badRequestAt(detail, parameters.get(unknown[0])!.pointer);
  }
  const values = new Map<string, unknown>();
  for (const key of keysOf(shape)) {
    const { text, missing, read } = sourceOf(shape, key);
    const name = spellings.get(key) ?? key;
    const parameter = parameters.get(name);
    const parsedParameter = parameter && { ...parameter, value: valueOf(parameter, name, text) };
    const isLeftOut = !parsedParameter || (parsedParameter.value === null && isStrict(shape));
    const value = isLeftOut ? undefined : read ? read(parsedParameter, name, server) : parsedParameter.value;
    if (value !== undefined) values.set(key, value);
    else if (missing) throw badRequestAt(`${key} is missing: ${missing}.`, null);
  }
  return { values: Object.fromEntries(values), spellings, unknown };
}

/** @throws Problem 400 for a field that is sent in two spellings */
function spellingsIn(shape: Shape, parameters: Parameters): Omit<Fields, 'values'> {
  const keys = new Map<string, string>();
  for (const key of keysOf(shape)) keys.set(key, key).set(sourceOf(shape, key).alias ?? key, key);
  const spellings = new Map<string, string>();
  const unknown: string[] = [];
  for (const [name, { pointer }] of parameters) {
    const key = keys.get(name);
    if (key === undefined) unknown.push(name);
    else if (spellings.has(key)) throw badRequestAt(`${name} is given more than once.`, pointer);
    else spellings.set(key, name);
  }
  return { spellings, unknown };
}

/** Any other text of a boolean stays as it is: the rules refuse it. */
function valueOf({ value, isText, pointer }: Parameter, name: string, text: Source['text']): unknown {
  if (!isText) return value;
  if (text === 'json') return json(value as string, name, pointer);
  if (text === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

/**
 * Converts parameters to a class.
 * @throws Problem 400 for a value that breaks a rule; 413 for one that is too long
 */
export function shapeOf<T extends object>(
  shape: Shape<T>,
  parameters: Parameters,
  server: ApiConfiguration['server'],
): T {
  const { values, spellings } = fieldsOf(shape, parameters, server);
  const instance = copyOf(shape, values);
  // class-validator refuses a class without rules.
  if (keysOf(shape).size === 0) return instance;
  const faults = faultsOf(instance).map(({ key, detail }) => ({
    pointer: parameters.get(spellings.get(key) ?? key)?.pointer ?? null,
    detail: `${key} ${detail}`,
  }));
  const [first] = faults;
  if (!first) return instance;
  if (!isStrict(shape)) throw badRequestAt(`${first.detail}.`, first.pointer);
  const errors = faults.filter((fault): fault is BodyFault => fault.pointer !== null);
  throw badRequest(`${faults.map(({ detail }) => detail).join('; ')}.`, errors);
}
