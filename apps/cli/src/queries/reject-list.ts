import type { RejectListResource } from '@proctor/resources';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printAnswer, printTable, printNotice } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';

/** One line of the list; `*` stands for all. */
interface Entry {
  package: string;
  suite: string;
  arch: string;
  version: string;
}

export async function printRejectList(options: ServiceOptions & OutputOptions): Promise<void> {
  const list = await readList(options);
  printAnswer(list, options, () => printEntries(entriesOf(list), 'every package is tested'));
}

interface CheckOptions extends ServiceOptions, OutputOptions {
  suite?: string;
  arch?: string;
  packageVersion?: string;
}

/**
 * Prints the entries of the list that match a package and the given options. @throws Failure if the package is not
 * tested
 */
export async function checkPackage(name: string, options: CheckOptions): Promise<void> {
  const list = await readList(options);
  const matches = (option: string | undefined, entry: string): boolean =>
    option === undefined || entry === '*' || entry === option;
  const entries = entriesOf(list).filter(
    (entry) =>
      isNamed(name, entry.package) &&
      matches(options.suite, entry.suite) &&
      matches(options.arch, entry.arch) &&
      matches(options.packageVersion, entry.version),
  );
  printAnswer({ package: name, rejected: entries.length > 0, entries }, options, () => {
    if (entries.length > 0) printEntries(entries, '');
  });
  if (entries.length === 0) return printNotice(`${name} is tested`);
  const isEverywhere = entries.some(({ suite, arch, version }) =>
    [suite, arch, version].every((each) => each === '*'),
  );
  throw new Failure(
    `${name} is ${isEverywhere ? 'not tested' : 'not tested where the list says'}`,
    EXIT.failed,
    'the list is reject-list.yaml in the configuration of the service',
  );
}

/** @param entry a name, or the beginning of names followed by `*` */
function isNamed(name: string, entry: string): boolean {
  return entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : entry === name;
}

async function readList(options: ServiceOptions): Promise<RejectListResource> {
  return (await Service.find(options)).request('/reject_list');
}

function entriesOf(list: RejectListResource): Entry[] {
  return Object.entries(list).flatMap(([name, suites]) =>
    Object.entries(suites).flatMap(([suite, archs]) =>
      Object.entries(archs).flatMap(([arch, versions]) =>
        Object.keys(versions).map((version) => ({ package: name, suite, arch, version })),
      ),
    ),
  );
}

function printEntries(entries: Entry[], whenEmpty: string): void {
  printTable(
    entries,
    [
      { head: 'PACKAGE', of: (entry) => entry.package },
      { head: 'SUITE', of: (entry) => entry.suite },
      { head: 'ARCH', of: (entry) => entry.arch },
      { head: 'VERSION', of: (entry) => entry.version },
    ],
    whenEmpty,
  );
}
