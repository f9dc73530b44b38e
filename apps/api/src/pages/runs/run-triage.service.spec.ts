import { finishedRunRecord } from '@test/support/run-record';
import type { Triage } from '../../runs/triage';
import { triageView } from './run-triage.service';

const place = {
  base: 'https://ci.example.org',
  bugReportUrl: 'mailto:bugs@example.org?body={body}',
  errorLine: null,
};
const run = finishedRunRecord({ runId: 12, verdict: 'fail' });
const buttonOf = (step: Triage['step'], userName: string | null) => {
  const triage = { kind: 'unclear', conclusion: 'It fails.', evidence: [], step } as Triage;
  return triageView(run, triage, userName, place).button!;
};

it('who asks for a new reference is led to the form with its fields, a stranger by way of the login', () => {
  const fields = new URLSearchParams({ package: run.package, suite: run.suite, arch: run.arch });
  for (const [userName, form] of [
    ['ada', '/user/ada/test'],
    [null, '/-/request'],
  ] as const)
    expect(buttonOf({ kind: 'refresh' }, userName)).toEqual({
      label: 'Request a new reference',
      url: `${form}?${fields.toString()}&trigger=migration-reference%2F0`,
      isMail: false,
    });
});

it('a bug report names the whole address of the run', () => {
  const { url } = buttonOf({ kind: 'report', package: 'hello' }, null);
  expect(decodeURIComponent(url)).toContain('\nhttps://ci.example.org/runs/12');
});
