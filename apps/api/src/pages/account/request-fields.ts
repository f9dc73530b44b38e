import type { PipeTransform } from '@nestjs/common';
import type { Parameters } from '../../http/parameters';

/** What the form of a request holds, as it was typed. */
export interface RequestFields {
  packages: string;
  suites: string[];
  archs: string[];
  trigger: string;
  pins: string;
  sources: string[];
  backend: string;
  autopkgtest: string;
  priority: string;
  isPrivate: boolean;
}

export type RequestStep = 'preview' | 'submit';

/** Part of a batch, as `POST /api/v1/test/batch` takes it. */
export interface RequestPart {
  suite: string;
  arch: string[];
  tests: Record<string, unknown>[];
}

/** Fields of a form or of a query; ticked boxes are fields named `suite-sid`, `arch-amd64` and `source-NAME`. */
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
    const chosen = (name: string): string[] => [
      ...new Set(
        [...ticked(`${name}-`), ...text(name).split(','), ...several(name)].filter((each) => each !== ''),
      ),
    ];
    const step = text('step');
    return {
      packages: text('packages') || text('package'),
      suites: chosen('suite'),
      archs: chosen('arch'),
      trigger: text('trigger'),
      pins: text('pins') || text('pin_packages'),
      sources: [...new Set([...ticked('source-'), ...several('extra_apt_sources')])],
      backend: text('backend'),
      autopkgtest: text('autopkgtest'),
      priority: text('priority'),
      isPrivate: parameters.has('is_private') && text('is_private') !== 'false',
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

/** The request that a form means, in the words of the API. What is left open is left out. */
export function batchOf(fields: RequestFields): RequestPart[] {
  const { trigger, backend, autopkgtest, priority, sources } = fields;
  const pins = linesOf(fields.pins).map(pinOf);
  const options = Object.entries({
    trigger,
    backend,
    autopkgtest,
    priority: priority === '' ? '' : /^\d+$/.test(priority) ? Number(priority) : priority,
    is_private: fields.isPrivate || '',
    'pin-packages': pins.length > 0 ? pins : '',
    'extra-apt-sources': sources.length > 0 ? sources : '',
  }).filter(([, value]) => value !== '');
  const names = fields.packages.split(/[\s,]+/).filter((name) => name !== '');
  const tests = names.map((name) => ({ package: name, ...Object.fromEntries(options) }));
  return fields.suites.map((suite) => ({ suite, arch: fields.archs, tests }));
}

/** The query that fills the form with the same. */
export function queryOf(fields: RequestFields): string {
  const { packages, suites, archs, trigger, pins, sources, backend, autopkgtest, priority, isPrivate } =
    fields;
  const texts = {
    packages,
    suite: suites.join(','),
    arch: archs.join(','),
    trigger,
    pins,
    backend,
    autopkgtest,
    priority,
    is_private: isPrivate ? 'on' : '',
  };
  const query = new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== ''));
  for (const source of sources) query.set(`source-${source}`, 'on');
  return query.toString();
}

/** `src:glibc, experimental` → `["src:glibc", "experimental"]`: the suite comes last. */
function pinOf(line: string): string[] {
  const comma = line.lastIndexOf(',');
  return comma < 0 ? [line] : [line.slice(0, comma).trim(), line.slice(comma + 1).trim()];
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
