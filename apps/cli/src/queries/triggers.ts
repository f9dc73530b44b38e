import type { TriggerList, TriggerProgressResource } from '@proctor/resources';
import { EXIT, Failure } from '../failure';
import { type OutputOptions, printAnswer, printJson, printTable, printNotice } from '../output/print';
import { span } from '../output/table';
import type { ServiceOptions } from '../service/address';
import { endWord } from '../runs/list-runs';
import { Service } from '../service/service';

/** Triggers in one answer of the API. */
const PART_MAX = 100;

export async function listTriggers(
  options: ServiceOptions & OutputOptions & { query?: string; limit: number },
): Promise<void> {
  const { query, limit, json } = options;
  const service = await Service.find(options);
  const triggers: TriggerList['triggers'] = [];
  let before: number | null = null;
  do {
    const part = { limit: Math.min(limit - triggers.length, PART_MAX), ...(before !== null && { before }) };
    const answer: TriggerList = await service.request('/triggers', { query, ...part });
    triggers.push(...answer.triggers);
    before = answer.before;
  } while (before !== null && triggers.length < limit);
  if (json) return printJson({ triggers, before });
  printTable(
    triggers,
    [
      { head: 'TRIGGER', of: (each) => each.trigger, isCut: true },
      { head: 'RUNS', of: (each) => each.runs },
      { head: 'OPEN', of: (each) => each.unfinished },
      { head: 'FAILED', of: (each) => each.failed },
      { head: 'LAST', of: (each) => new Date(each.last_at) },
    ],
    'no trigger matches',
  );
}

interface ShowOptions extends ServiceOptions, OutputOptions {
  group?: string;
  suite?: string;
  arch?: string;
  limit: number;
}

/** @param trigger `PACKAGE/VERSION` @throws Failure if the text has another form */
export function pathOfTrigger(trigger: string): string {
  const [, name, version] = /^([^/\s]+)\/([^/\s]+)$/.exec(trigger) ?? [];
  if (name !== undefined && version !== undefined)
    return `/triggers/${encodeURIComponent(name)}/${encodeURIComponent(version)}`;
  throw new Failure(
    `"${trigger}" is no trigger: it must be PACKAGE/VERSION`,
    EXIT.usage,
    'proctor trigger list shows all triggers',
  );
}

/** @throws Failure if it is no trigger, or the key may see none of its runs */
export async function printTrigger(trigger: string, options: ShowOptions): Promise<void> {
  const path = pathOfTrigger(trigger);
  const { group, suite, arch, limit } = options;
  const service = await Service.find(options);
  printAnswer(
    await service.request<TriggerProgressResource>(path, { group, suite, arch, limit }),
    options,
    printTests,
  );
}

function printTests({
  trigger,
  total,
  done,
  counts,
  architectures,
  tests,
  before,
}: TriggerProgressResource): void {
  const groups = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
  printNotice(
    `${trigger}: ${done} of ${total} tests done${groups.length > 0 ? ` (${groups.join(', ')})` : ''}`,
  );
  for (const { arch, waiting, estimate_seconds: estimate } of architectures) {
    if (waiting > 0)
      printNotice(
        `${arch}: ${waiting} waiting, ${estimate === null ? 'the time is unknown' : `about ${span(estimate)}`}`,
      );
  }
  printTable(
    tests,
    [
      { head: 'GROUP', of: (test) => test.group },
      { head: 'RUN', of: (test) => test.result.run_id },
      { head: 'PACKAGE', of: (test) => test.result.package, isCut: true },
      { head: 'SUITE', of: (test) => test.result.suite },
      { head: 'ARCH', of: (test) => test.result.arch },
      { head: 'STATUS', of: (test) => endWord(test.result) ?? test.result.state },
      { head: 'VERSION', of: (test) => test.result.version, isCut: true },
      { head: 'REFERENCE', of: (test) => test.reference?.status ?? null },
      { head: 'MESSAGE', of: (test) => test.result.message, isCut: true },
    ],
    'no test matches',
  );
  if (before !== null) printNotice('there are more; use --limit to see more');
}
