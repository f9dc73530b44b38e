import type { Check } from '../check';
import { NotTried } from '../outcomes';
import { json } from '../exchange';
import { equal, includes, ok, status } from '../expectations';
import { type Instance, type RunAnswer } from '../instance';

type RejectList = Record<string, Record<string, Record<string, Record<string, string>>>>;

async function rejectList(it: Instance): Promise<RejectList> {
  return status(await it.api('/reject_list'), 200).json<RejectList>();
}

/** An entry for every version that blocks the package on suite and architecture. */
async function rejected(it: Instance): Promise<string> {
  for (const [name, suites] of Object.entries(await rejectList(it))) {
    for (const suite of [it.suite, '*']) {
      for (const arch of [it.quietArch, '*']) if (suites[suite]?.[arch]?.['*'] === '') return name;
    }
  }
  throw new NotTried('a package on the reject list');
}

export const rejectChecks: Check[] = [
  {
    id: 'REJ-01',
    title: 'the reject list is an object of package, suite, architecture and version, with empty strings',
    async run(it) {
      const isObject = (value: unknown): value is object =>
        typeof value === 'object' && value !== null && !Array.isArray(value);
      const walk = (value: unknown, depth: number): void => {
        if (depth === 4) return equal(value, '', 'a leaf');
        ok(isObject(value), `an object was due at level ${depth + 1}`);
        for (const [key, inner] of Object.entries(value)) {
          ok(
            key !== '' && (key !== '*' || depth > 0),
            `the key ${JSON.stringify(key)} at level ${depth + 1}`,
          );
          walk(inner, depth + 1);
        }
      };
      walk(await rejectList(it), 0);
    },
  },
  {
    id: 'REJ-02',
    title: 'a rejected package is ignored, the others of the list are accepted',
    async run(it) {
      const [bad, good] = [await rejected(it), it.name()];
      const { runs, ignored } = await it.submit([{ package: bad }, { package: good }]);
      equal(
        runs.map((run) => run.package),
        [good],
        'the accepted',
      );
      equal(ignored, [{ index: 0, package: bad, reason: 'reject-list' }], 'the ignored');
    },
  },
  {
    id: 'REJ-03',
    title: 'a rejected single package is answered with 201 and creates nothing',
    async run(it) {
      const bad = await rejected(it);
      const answer = status(await it.api(`${it.listPath()}/${bad}`, { method: 'POST' }), 201);
      const { runs, ignored } = answer.json<RunAnswer>();
      equal([runs, ignored.map(({ reason }) => reason)], [[], ['reject-list']], 'runs and ignored');
    },
  },
  {
    id: 'REJ-04',
    title: 'an entry blocks the combinations that it names and no others',
    needs: ['other suite'],
    async run(it) {
      const list = await rejectList(it);
      const entry = Object.entries(list).find(
        ([, suites]) =>
          suites[it.suite]?.[it.quietArch]?.['*'] === '' && !suites['*'] && !suites[it.otherSuite],
      );
      if (!entry) throw new NotTried(`an entry of the reject list for ${it.suite} and ${it.quietArch} alone`);
      const tests = [{ package: entry[0] }];
      equal((await it.submit(tests)).runs.length, 0, 'runs of the blocked combination');
      const elsewhere = await it.api(it.listPath(it.quietArch, it.otherSuite), json(tests));
      equal(status(elsewhere, 201).json<RunAnswer>().runs.length, 1, 'runs on another suite');
    },
  },
  {
    id: 'REJ-05',
    title: 'an entry with a version lets the request in and ends its run as fail, with a message',
    needs: ['stub'],
    async run(it) {
      for (const [name, suites] of Object.entries(await rejectList(it))) {
        const versions =
          (suites[it.suite] ?? suites['*'])?.[it.arch] ?? (suites[it.suite] ?? suites['*'])?.['*'];
        const version = Object.keys(versions ?? {}).find((key) => key !== '*');
        if (version === undefined) continue;
        const run = await it.finished({ package: name, trigger: `version:${version} sleep:2` });
        includes(run, { status: 'fail', version }, 'the run');
        ok(/reject/i.test(run.message ?? ''), `the message does not say why: ${run.message}`);
        const other = await it.finished({ package: name, trigger: `version:${version}+other` });
        equal(other.status, 'pass', 'the status of another version');
        return;
      }
      throw new NotTried('an entry of the reject list with a version');
    },
  },
  {
    id: 'REJ-06',
    title: 'a changed reject list counts without a restart',
    needs: ['changing the reject list'],
    async run(it) {
      const name = it.name();
      equal((await it.submit([{ package: name }])).runs.length, 1, 'runs before');
      await it.options.reject!(name);
      equal((await it.submit([{ package: name }])).runs.length, 0, 'runs after');
      ok(name in (await rejectList(it)), 'the list does not show it');
    },
  },
];
