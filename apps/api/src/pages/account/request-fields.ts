import type { PipeTransform } from '@nestjs/common';
import { type FieldName, FIELDS, type NamedField } from '@proctor/request-fields';
import type { ApiConfiguration } from '../../configuration.token';
import type { Parameters } from '../../http/parameters';
import { badRequest, Problem } from '../../http/problem';

/** What the form of a request holds, as it was typed. */
export interface RequestFields {
  packages: string;
  suites: string[];
  archs: string[];
  /** By the names that the fields have in a run. */
  options: Record<FieldName, Typed>;
}

/** A text, the names that were ticked, or whether the box was. */
type Typed = string | string[] | boolean;

export type RequestStep = 'preview' | 'submit';

type FormLimits = Pick<ApiConfiguration['server'], 'itemsPerRequestMax' | 'shortBodyBytesMax'>;

/** Part of a batch, as `POST /api/v1/test/batch` takes it. */
export interface RequestPart {
  suite: string;
  arch: string[];
  tests: Record<string, unknown>[];
}

/** Of the names of suites, or architectures, in one field. */
export const CHOSEN_LENGTH_MAX = 16_384;

/** Fields of a form or of a query; ticked boxes are fields named `suite-sid`, `arch-amd64` and, of names in a field of the request, `source-NAME`. */
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
    /** With `[]` behind its name, as debci's form has it, a field may come several times. */
    const several = (name: string): string[] =>
      [parameters.get(`${name}[]`)?.value].flat().filter((each) => typeof each === 'string');
    const chosen = (name: string): string[] => {
      const names = text(name);
      if (names.length > CHOSEN_LENGTH_MAX)
        throw badRequest(`${name} has ${names.length} characters, of at most ${CHOSEN_LENGTH_MAX}.`);
      const all = [...ticked(`${name}-`), ...names.split(','), ...several(name)];
      return [...new Set(all.filter((each) => each !== ''))];
    };
    const typed = ({ kind, input, alias }: NamedField): Typed => {
      if (kind === 'flag') return parameters.has(input) && text(input) !== 'false';
      const other = alias ?? input;
      if (kind === 'names') return [...new Set([...ticked(`${input}-`), ...several(other)])];
      return text(input) || text(other);
    };
    const step = text('step');
    return {
      packages: text('packages') || text('package'),
      suites: chosen('suite'),
      archs: chosen('arch'),
      options: Object.fromEntries(
        FIELDS.map((field) => [field.name, typed(field)]),
      ) as RequestFields['options'],
      step: step === 'submit' ? step : 'preview',
    };
  }
}

/** A file of tests, and where those of a list run. */
export interface Upload {
  step: RequestStep;
  /** The field of the file; empty when none was sent. */
  file: Parameters;
  /** Empty for a batch, which says so itself. */
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
 * The request that a form means, in the words of the API. What is left open is left out. A form says once what each of its tests
 * then has: what that comes to is bounded before it is made.
 * @throws Problem 413 for more tests than a request may have, or more than the largest body of a form in bytes
 */
export function batchOf(
  fields: RequestFields,
  { itemsPerRequestMax, shortBodyBytesMax }: FormLimits,
): RequestPart[] {
  const options = FIELDS.flatMap((field) => {
    const value = sentValue(field, fields.options[field.name]);
    return value === undefined ? [] : [[field.sent, value] as const];
  });
  // Enough to see that there are too many; a name may be empty at either end.
  const words = fields.packages.split(/[\s,]+/, itemsPerRequestMax + 3);
  const names = words.filter((name) => name !== '');
  const { suites, archs } = fields;
  if (suites.length * names.length > itemsPerRequestMax)
    throw new Problem(
      413,
      `The form asks for more than ${itemsPerRequestMax} tests, as many as a request may have.`,
    );
  const perTest = jsonLength(options);
  const perSuite = Buffer.byteLength(fields.packages) + names.length * perTest + jsonLength(archs);
  const bytes = suites.length * perSuite;
  if (bytes > shortBodyBytesMax)
    throw new Problem(
      413,
      `What the form asks for has ${bytes} bytes in all, its options for each test; it may have ${shortBodyBytesMax}. ` +
        'Send fewer packages at a time, or a list by the API.',
    );
  const tests = names.map((name) => ({ package: name, ...Object.fromEntries(options) }));
  return suites.map((suite) => ({ suite, arch: archs, tests }));
}

/** The query that fills the form with the same. */
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

/** What was typed, as the API takes it; undefined where nothing was. A mistake is left as it is: the rules of the API name it. */
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

/** What a form shows for each field of a request. */
export function optionsView({ options }: RequestFields, choices: Choices) {
  return FIELDS.map((field) => ({
    ...field,
    value: options[field.name],
    choices: field.kind === 'name' || field.kind === 'names' ? choices[field.choices] : [],
    /** Every second part is code. */
    label: field.label.split('`'),
  }));
}
