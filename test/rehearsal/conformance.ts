import { HISTORY_LENGTH, OTHER_SUITE, REQUESTS_PER_SECOND, SUITE } from './configuration';
import type { Deployment } from './deployment';
import { runProgram, type Ended } from './program';
import type { Release } from './release';
import type { Finding } from './report';

/** The conformance suite of a release, against what a deployment serves. */
export async function conformance(
  { apis, keys, password, arch, idleArch, proxy, stops }: Deployment,
  release: Release,
): Promise<Omit<Finding, 'what'>> {
  const options = {
    ...{ base: proxy.url, key: keys.alice, 'other-key': keys.bob, 'admin-key': keys.admin },
    ...{ password: `alice:${password}`, suite: SUITE, arch, 'other-suite': OTHER_SUITE },
    ...{ 'idle-arch': idleArch, 'idle-backend': 'qemu', finish: '60' },
    ...{ 'apt-source': 'open-source', 'closed-apt-source': 'closed-source' },
    ...{ 'history-length': String(HISTORY_LENGTH), 'items-max': '20000' },
    // Each api counts by itself.
    ...(apis.length === 1 && { 'requests-per-second': String(REQUESTS_PER_SECOND) }),
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const suite = async (...only: string[]) => {
    const command = ['scripts/conformance.mjs', ...args, '--stub', ...only];
    return judge(await runProgram(stops, command, { cwd: release.folder }));
  };
  const { passed, untried, failed } = await suite();
  const [again, still]: string[][] = [[], []];
  // A busy machine may be too slow for one of them, but not twice.
  for (const { id, line } of failed) {
    const isSlow = id !== '' && (await suite('--only', id)).failed.length === 0;
    (isSlow ? again : still)!.push(line);
  }
  const detail = [
    `${passed + again!.length} checks passed`,
    ...(untried > 0 ? [`${untried} not tried`] : []),
    ...again!.map((line) => `at the second time only: ${line}`),
    ...still!,
  ];
  return { holds: still!.length === 0 && passed > 0, detail: detail.join('; ') };
}

interface Judged {
  passed: number;
  untried: number;
  /** The id is empty when the suite itself has failed. */
  failed: { id: string; line: string }[];
}

function judge({ code, stdout, stderr }: Ended): Judged {
  const lines = stdout.split('\n');
  const failures = lines.flatMap((line, place) => {
    const [, id] = /^(\S+) {2}FAILED\s/.exec(line) ?? [];
    return id === undefined ? [] : [{ id, line: `${id}: ${(lines[place + 1] ?? '').trim()}` }];
  });
  if (code !== 0 && failures.length === 0)
    failures.push({ id: '', line: `the suite ended with ${code}: ${stderr.slice(-500)}` });
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  return { passed: count(/^\S+ {2}ok\s/), untried: count(/^\S+ {2}-\s/), failed: failures };
}
