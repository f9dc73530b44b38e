import { parseArgs } from 'node:util';
import { CHECKS } from './checks';
import { Instance, type InstanceOptions } from './instance';
import { tryCheck, type Outcome } from './suite';

const USAGE = `usage: npm run conformance -- --base URL --key KEY [OPTIONS]

It creates runs of packages named conformance-… (and of many0 to many19999 on an idle architecture).

  --suite S --arch A     where runs are requested (unstable, amd64)
  --other-suite S        another suite that is configured
  --idle-arch A          an architecture that is configured and that no worker serves
  --idle-backend B       a backend that is configured and that no worker offers
  --other-key KEY        a key of another user
  --admin-key KEY        a key of an administrator
  --password USER:PASS   the password of the user of the key: its keys are managed too
  --finish SECONDS       requested runs end within that time
  --stub                 the default variant is test/stub/autopkgtest-stub
  --apt-source NAME      an extra apt source that both users may use
  --closed-apt-source NAME, --history-length N, --items-max N, --requests-per-second N   as configured
  --only PREFIX          checks whose id begins so`;

const OPTIONS = {
  base: { type: 'string' },
  key: { type: 'string' },
  suite: { type: 'string' },
  arch: { type: 'string' },
  'other-suite': { type: 'string' },
  'idle-arch': { type: 'string' },
  'idle-backend': { type: 'string' },
  'other-key': { type: 'string' },
  'admin-key': { type: 'string' },
  password: { type: 'string' },
  finish: { type: 'string' },
  stub: { type: 'boolean' },
  'apt-source': { type: 'string' },
  'closed-apt-source': { type: 'string' },
  'history-length': { type: 'string' },
  'items-max': { type: 'string' },
  'requests-per-second': { type: 'string' },
  only: { type: 'string', default: '' },
} as const;

/** Exit codes: 0 all tried checks passed, 1 some failed, 2 wrong usage. */
async function main(): Promise<number> {
  const { options, only } = read();
  const instance = new Instance(options);
  const outcomes: Outcome[] = [];
  for (const check of CHECKS.filter(({ id }) => id.startsWith(only))) {
    const outcome = await tryCheck(check, instance);
    outcomes.push(outcome);
    console.log(line(outcome));
  }
  const count = (result: Outcome['result']): number =>
    outcomes.filter((outcome) => outcome.result === result).length;
  if (count('not tried') > 0) console.log(`${count('not tried')} not tried`);
  console.log(`${count('passed')} passed, ${count('failed')} failed`);
  return count('failed') === 0 ? 0 : 1;
}

function read(): { options: InstanceOptions; only: string } {
  const { values } = parseArgs({ options: OPTIONS });
  const { base, key } = values;
  if (!base || !key) throw new TypeError('--base and --key are needed');
  const number = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : Number(text);
  const options = {
    ...{ base, key, suite: values.suite, arch: values.arch, password: values.password, stub: values.stub },
    otherSuite: values['other-suite'],
    idleArch: values['idle-arch'],
    idleBackend: values['idle-backend'],
    otherKey: values['other-key'],
    adminKey: values['admin-key'],
    finishSeconds: number(values.finish),
    aptSource: values['apt-source'],
    closedAptSource: values['closed-apt-source'],
    historyLength: number(values['history-length']),
    itemsMax: number(values['items-max']),
    requestsPerSecond: number(values['requests-per-second']),
  };
  return { options, only: values.only };
}

function line({ check, result, reason, ms }: Outcome): string {
  const words = { passed: 'ok', failed: 'FAILED', 'not tried': '-' };
  const head = `${check.id}  ${words[result].padEnd(6)} ${String(Math.round(ms)).padStart(6)} ms  ${check.title}`;
  if (result === 'passed') return head;
  return `${head}\n        ${result === 'not tried' ? `not tried: needs ${reason}` : reason}`;
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  },
);
