import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { promtool } from '@test/support/promtool';

const folder = join(__dirname, '../../../docs/monitoring');

interface Rule {
  alert: string;
  annotations: { summary?: string; remedy?: string };
}

interface RuleTest {
  alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[];
}

const { groups } = parse(readFileSync(join(folder, 'alerts.yml'), 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { tests } = parse(readFileSync(join(folder, 'alerts.test.yml'), 'utf8')) as { tests: RuleTest[] };
const tried = tests.flatMap((each) => each.alert_rule_test);

it('Prometheus takes the alert rules, and finds that each fires and is silent when it should', async () => {
  expect(await promtool('check', 'rules', join(folder, 'alerts.yml'))).toContain(
    `${rules.length} rules found`,
  );
  expect(await promtool('test', 'rules', join(folder, 'alerts.test.yml'))).toContain('SUCCESS');
});

it('there is a case in which it fires, and one in which it is silent, of each alert', () => {
  const names = rules.map(({ alert }) => alert).sort();
  const of = (fires: boolean) => [
    ...new Set(
      tried.filter(({ exp_alerts }) => Boolean(exp_alerts?.length) === fires).map((each) => each.alertname),
    ),
  ];
  expect(of(true).sort()).toEqual(names);
  expect(of(false).sort()).toEqual(names);
});

it('each alert says what is wrong, and what to do', () => {
  for (const { annotations } of rules) {
    expect(annotations.summary).toBeTruthy();
    expect(annotations.remedy).toBeTruthy();
  }
});
