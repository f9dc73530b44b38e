import { isPinSpec, describe } from '@proctor/contracts';
import type { RunRequest } from '@proctor/contracts';
import { NO_OPTIONS, type Pin, type RunOptions, setOptions } from '@proctor/request-fields';
import type { ExtraAptSource } from '@proctor/config';
import type { ApiConfiguration } from '../configuration.token';
import type { ItemFault } from './submitted-items';
import type { TestItem } from './test-request.dto';

/** Copies of one object are created and read many times faster than objects of other shapes: a list may be long. */
const BLANK: RunRequest = { package: '', suite: '', arch: '', ...NO_OPTIONS };

/**
 * Checks the names in an item and adds its defaults.
 * @param packageBackend the package's own, if it has one
 * @returns also the faults: names that this deployment does not have or the user may not use
 */
export function resolveItem(
  item: TestItem,
  userName: string,
  configuration: ApiConfiguration,
  packageBackend?: string,
): { request: RunRequest; faults: ItemFault[] } {
  const { server, extraAptSources } = configuration;
  const request = { ...BLANK };
  request.package = item.package;
  setOptions(request, item);
  const { pinPackages: pins, extraAptSources: sources } = request;
  // An empty name counts as absent: clients also send the empty fields of a form.
  request.backend ||= packageBackend || server.defaultBackend;
  request.variant ||= server.variants[0] || '';
  const tooLong = lengthFaults(request, server);
  // Names in fields that are too long are not checked.
  const ofNames =
    tooLong.length > 0
      ? []
      : [...pinFaults(pins, server.suites), ...sourceFaults(sources, userName, extraAptSources)];
  const faults = [
    ...tooLong,
    ...ofNames,
    ...unknownName('backend', request.backend, server.backends),
    ...unknownName('autopkgtest', request.variant, server.variants),
  ];
  return { request, faults };
}

/** Longer values do not fit on the command line of a test runner. */
function lengthFaults(
  { trigger, pinPackages: pins, extraAptSources: sources }: RunOptions,
  limits: ApiConfiguration['server'],
): ItemFault[] {
  const pinsBytes = pins.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return [
    ...tooLong('trigger', Buffer.byteLength(trigger ?? ''), 'bytes in UTF-8', limits.triggerBytesMax),
    ...tooLong('pin-packages', pinsBytes, 'bytes in all', limits.pinPackagesBytesMax),
    ...tooLong('extra-apt-sources', sources.length, 'names', limits.extraAptSourcesMax),
  ];
}

function tooLong(key: string, length: number, unit: string, lengthMax: number): ItemFault[] {
  return length <= lengthMax ? [] : [{ key, detail: `may have ${lengthMax} ${unit}, and has ${length}` }];
}

function unknownName(key: string, name: string, choices: string[]): ItemFault[] {
  if (choices.includes(name)) return [];
  return [{ key, detail: `must be one of ${choices.join(', ')}, not ${describe(name)}` }];
}

function pinFaults(pins: Pin[], suites: string[]): ItemFault[] {
  const faults: string[] = [];
  const names = new Set<string>();
  for (const [spec, suite] of pins) {
    if (!isPinSpec(spec))
      faults.push(`has the package spec ${describe(spec)}, which is not a list of package names`);
    if (!suites.includes(suite))
      faults.push(`names the suite ${describe(suite)}; there is ${suites.join(', ')}`);
    if (names.has(suite)) faults.push(`names the suite ${describe(suite)} more than once`);
    names.add(suite);
  }
  return faults.map((detail) => ({ key: 'pin-packages', detail }));
}

function sourceFaults(names: string[], userName: string, sources: ExtraAptSource[]): ItemFault[] {
  return names
    .filter((name) => !sources.some((source) => source.name === name && isAllowed(source, userName)))
    .map((name) => ({
      key: 'extra-apt-sources',
      detail: `names ${describe(name)}, which is no source that ${userName} may use`,
    }));
}

function isAllowed(source: ExtraAptSource, userName: string): boolean {
  return source.users === undefined || source.users.includes(userName);
}
