import { FIELDS, type RequestField } from '@proctor/request-fields';
import { InvalidArgumentError, Option } from 'commander';
import { collect } from '../arguments';
import { EXIT, Failure } from '../failure';

/** An option for each field of a test request. */
export function requestOptions(): Option[] {
  return FIELDS.map(optionOf);
}

function optionOf(field: RequestField): Option {
  const option = new Option(...field.option);
  if (field.kind === 'flag') return option.default(false);
  if (field.kind === 'whole') return option.argParser(readWhole(field));
  return field.kind === 'pins' || field.kind === 'names' ? option.argParser(collect) : option;
}

/** The fields that were typed, as a test request of the API has them. @throws Failure for an invalid pin */
export function requestBody(typed: object): Record<string, unknown> {
  const values = typed as Record<string, unknown>;
  const entries = FIELDS.map((field) => [
    field.sent,
    sentValue(field, values[optionOf(field).attributeName()]),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
}

function sentValue({ kind }: RequestField, typed: unknown): unknown {
  if (typed === false) return undefined;
  return kind === 'pins' ? (typed as string[] | undefined)?.map(readPin) : typed;
}

function readPin(text: string): [string, string] {
  const [, spec, suite] = /^(.+)=([^=]+)$/.exec(text) ?? [];
  if (spec !== undefined && suite !== undefined) return [spec, suite];
  throw new Failure(`--pin must be SPEC=SUITE, as src:glibc=sid, not "${text}"`, EXIT.usage);
}

/** Reads a whole number in a range. */
export function readWhole({
  minimum,
  maximum,
}: {
  minimum: number;
  maximum: number;
}): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}
