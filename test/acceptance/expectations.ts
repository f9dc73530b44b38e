import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const BACKENDS = ['unshare', 'schroot', 'podman', 'lxc', 'qemu'];

/** How the test of a package ends in a testbed of one kind. */
export interface Expectation {
  package: string;
  /** The one that it was seen with. */
  version: string;
  backend: string;
  /** As it was measured; others follow where the machine decides. */
  exitCodes: [number, ...number[]];
  /** Why it does not pass. */
  because: string;
}

/** The rows of a table of this folder, which has a line for each package and backend; that is unshare where none is said. */
export function expectationsOf(file: string): Expectation[] {
  const [head = '', ...lines] = readFileSync(join(__dirname, file), 'utf8').trimEnd().split('\n');
  const names = head.split('\t');
  return lines.map((line) => {
    const values = line.split('\t');
    const value = (name: string) => values[names.indexOf(name)] ?? '';
    return {
      package: value('package'),
      version: value('version'),
      backend: value('backend') || 'unshare',
      exitCodes: value('exit_code').split(' ').map(Number) as [number, ...number[]],
      because: value('because'),
    };
  });
}

const STATUSES: Record<number, string> = { 0: 'pass', 2: 'pass', 4: 'fail', 6: 'fail', 8: 'neutral' };

/** The cells of a table with a line for each package: its version, its status in each backend, and why it does not pass. */
export function verdictsByPackage(expectations: Expectation[]): string[][] {
  const names = [...new Set(expectations.map((each) => each.package))].sort();
  return names.map((name) => {
    const own = expectations.filter((each) => each.package === name);
    const versions = [...new Set(own.map(({ version }) => version))];
    const statuses = BACKENDS.map((backend) => {
      const match = own.find((each) => each.backend === backend);
      const [code] = match?.exitCodes ?? [];
      return code === undefined ? '' : (STATUSES[code] ?? `exit code ${code}`);
    });
    const reasons = new Set(own.map(({ because }) => because).filter((because) => because !== ''));
    return [name, versions.join(', '), ...statuses, [...reasons].join('; ')];
  });
}
