import type { PipeTransform } from '@nestjs/common';
import { type FieldName, FIELDS, type NamedField } from '@proctor/request-fields';
import type { ApiConfiguration } from '../../configuration.token';
import type { Parameters } from '../../http/parameters';
import { badRequest, Problem } from '../../http/problem';
import { type Html, markup } from '../layout/html';

/** The fields of the request form, as the user entered them. */
export interface RequestFields {
  packages: string;
  suites: string[];
  archs: string[];
  /** Values by the name of the field in a run. */
  options: Record<FieldName, Typed>;
}

/** The value of an input: a text, the ticked names, or whether the box is ticked. */
type Typed = string | string[] | boolean;

export type RequestStep = 'preview' | 'submit';

type FormLimits = Pick<ApiConfiguration['server'], 'itemsPerRequestMax' | 'shortBodyBytesMax'>;

/** A part of a batch in the format of `POST /api/v1/test/batch`. */
export interface RequestPart {
  suite: string;
  arch: string[];
  tests: Record<string, unknown>[];
}

/** Limit for the characters of a field with names of suites or architectures. */
export const CHOSEN_LENGTH_MAX = 16_384;

/** Reads the fields of the form or of a query. Ticked boxes have names such as `suite-sid`, `arch-amd64` and `source-NAME`. */
export class RequestFieldsPipe implements PipeTransform<Parameters, RequestFields & { step: RequestStep }> {
  transform(parameters: Parameters): RequestFields & { step: RequestStep } {
    const text = (name: string): string => {
      const value = parameters.get(name)?.value;
      return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
    };
    const ticked = (start: string): string[] =>
      [...parameters.keys()]
        .filter((name) => name.startsWith(start) && parameters.has(name))
        .map((name) => name.slice(start.length));
    /** The form of debci may send a field several times, with `[]` behind its name. */
    const several = (name: string): string[] =>
      [parameters.get(`${name}[]`)?.value].flat().filter((each) => typeof each === 'string');
    const choices = (name: string): string[] => {
      const names = text(name);
      if (names.length > CHOSEN_LENGTH_MAX)
        throw badRequest(`${name} has ${names.length} characters, of at most ${CHOSEN_LENGTH_MAX}.`);
      const all = [...ticked(`${name}-`), ...names.split(','), ...several(name)];
      return [...new Set(all.filter((each) => each !== ''))];
    };
    const typed = (field: NamedField): Typed => {
      const { kind, input, alias } = field;
      if (kind === 'flag') return parameters.has(input) && text(input) !== 'false';
      if (kind === 'names') return [...new Set([...ticked(`${input}-`), ...several(inputName(field))])];
      return text(input) || text(alias ?? input);
    };
    const step = text('step');
    return {
      packages: text('packages') || text('package'),
      suites: choices('suite'),
      archs: choices('arch'),
      options: Object.fromEntries(
        FIELDS.map((field) => [field.name, typed(field)]),
      ) as RequestFields['options'],
      step: step === 'submit' ? step : 'preview',
    };
  }
}

/** An uploaded file of tests. For a list of tests, the form also has a suite and architectures. */
export interface Upload {
  step: RequestStep;
  /** The field with the file; empty when no file was sent. */
  file: Parameters;
  /** Empty for a batch, which names its suites itself. */
  suite: string;
  archs: string[];
}

export class UploadPipe implements PipeTransform<Parameters, Upload> {
  transform(parameters: Parameters): Upload {
    const { suites, archs } = new RequestFieldsPipe().transform(parameters);
    const tests = parameters.get('tests');
    return {
      step: parameters.get('step')?.value === 'preview' ? 'preview' : 'submit',
      file: new Map(tests ? [['tests', { ...tests, pointer: '#' }]] : []),
      suite: suites[0] ?? '',
      archs,
    };
  }
}

/**
 * Converts a form to a batch of the API. Empty fields are left out. Each test of the batch repeats the options of the
 * form, so the size of the batch is checked before it is built.
 * @throws Problem 413 when there are more tests than a request may have, or the batch has more bytes than a form may have
 */
export function batchOf(
  fields: RequestFields,
  { itemsPerRequestMax, shortBodyBytesMax }: FormLimits,
): RequestPart[] {
  const options = FIELDS.flatMap((field) => {
    const value = sentValue(field, fields.options[field.name]);
    return value === undefined ? [] : [[field.sent, value] as const];
  });
  // The limit is enough to notice too many names; the first and the last may be empty.
  const words = fields.packages.split(/[\s,]+/, itemsPerRequestMax + 3);
  const names = words.filter((name) => name !== '');
  const { suites, archs } = fields;
  if (suites.length * names.length > itemsPerRequestMax)
    throw new Problem(
      413,
      `The form requests more than ${itemsPerRequestMax} tests, the limit of a request.`,
    );
  const perTest = jsonLength(options);
  const perSuite = Buffer.byteLength(fields.packages) + names.length * perTest + jsonLength(archs);
  const bytes = suites.length * perSuite;
  if (bytes > shortBodyBytesMax)
    throw new Problem(
      413,
      `The request has ${bytes} bytes, and ${shortBodyBytesMax} are allowed. ` +
        'Send fewer packages at a time, or send a list with the API.',
    );
  const tests = names.map((name) => ({ package: name, ...Object.fromEntries(options) }));
  return suites.map((suite) => ({ suite, arch: archs, tests }));
}

/** The query that fills the form with these fields. */
export function queryOf(fields: RequestFields): string {
  const { packages, suites, archs, options } = fields;
  const query = new URLSearchParams({ packages, suite: suites.join(','), arch: archs.join(',') });
  for (const { name, input } of FIELDS) {
    const typed = options[name];
    if (Array.isArray(typed)) for (const each of typed) query.set(`${input}-${each}`, 'on');
    else query.set(input, typed === true ? 'on' : typed || '');
  }
  return new URLSearchParams([...query].filter(([, value]) => value !== '')).toString();
}

/** The name of a field in the form. */
export function inputName({ kind, input, alias }: NamedField): string {
  return kind === 'names' ? (alias ?? input) : input;
}

/** Converts an entered value to the format of the API; undefined when it is empty. Invalid values are kept, so that the API reports them. */
function sentValue({ kind }: NamedField, typed: Typed): unknown {
  const value = kind === 'pins' ? linesOf(String(typed)).map(pinOf) : typed;
  if (value === '' || value === false || (Array.isArray(value) && value.length === 0)) return undefined;
  return kind === 'whole' && /^\d+$/.test(String(value)) ? Number(value) : value;
}

/** `src:glibc, experimental` → `["src:glibc", "experimental"]`: the suite comes last. */
function pinOf(line: string): string[] {
  const comma = line.lastIndexOf(',');
  return comma < 0 ? [line] : [line.slice(0, comma).trim(), line.slice(comma + 1).trim()];
}

function jsonLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The names that a form offers. */
type Choices = Record<'backends' | 'variants' | 'sources', string[]>;

/** The inputs of the form, one for each field of a request. */
export function optionsView({ options }: RequestFields, choices: Choices) {
  return FIELDS.map((field) => ({
    ...field,
    inputName: inputName(field),
    value: options[field.name],
    choices: field.kind === 'name' || field.kind === 'names' ? choices[field.choices] : [],
    label: withCode(field.label),
  }));
}

/** A text as HTML, with what stands between backticks as code. */
function withCode(text: string): Html {
  return markup`${text.split('`').map((part, place) => (place % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`))}`;
}
