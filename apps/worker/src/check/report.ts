import type { ArchitectureFinding, BackendFinding, Findings, VariantFinding } from './findings';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Whether a worker here could run any test. */
export function isUsable({ backends, variants }: Findings): boolean {
  const isOffered = ({ isConfigured, problem }: BackendFinding) => isConfigured && problem === null;
  return backends.some(isOffered) && variants.some(({ isExecutable }) => isExecutable);
}

/** Lines for people. `now`: milliseconds since the epoch. */
export function renderFindings(findings: Findings, now: number): string[] {
  const { backends, architectures, variants } = findings;
  return [
    'Backends: the kinds of testbed. worker.yaml says which of them are offered (backends).',
    ...indented(table(['backend', 'offered', 'usable', 'a test has'], backends.map(backendRow))),
    ...problems(backends),
    '',
    'Images: what testbeds are made of. A worker builds those that are missing, half a minute each (qemu: several minutes).',
    ...images(backends, now),
    '',
    'Architectures: those whose programs this machine executes. worker.yaml says which are served (architectures).',
    ...indented(table(['architecture', 'served', 'works'], architectures.map(architectureRow))),
    ...problems(architectures),
    '',
    'Variants: the test runners (worker.yaml, variants).',
    ...(variants.length === 0
      ? ['  not tried: the backends say what is missing']
      : indented(table(['variant', 'program', 'version', 'usable'], variants.map(variantRow)))),
    '',
    conclusion(findings),
  ];
}

function backendRow({ name, isConfigured, isolation, problem }: BackendFinding): string[] {
  return [name, yes(isConfigured), yes(problem === null), isolation];
}

function architectureRow({ name, isServed, problem }: ArchitectureFinding): string[] {
  return [name, yes(isServed), yes(problem === null)];
}

function variantRow({ name, program, version, isExecutable }: VariantFinding): string[] {
  return [name, program, version ?? 'unknown', yes(isExecutable)];
}

/** One line for all that have the same problem. */
function problems(findings: { name: string; problem: string | null }[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name, problem } of findings) {
    if (problem !== null) names.set(problem, [...(names.get(problem) ?? []), name]);
  }
  return [...names].map(([problem, names]) => `  ${names.join(', ')}: ${problem}`);
}

function images(backends: BackendFinding[], now: number): string[] {
  const rows = backends.flatMap(({ name, images }) =>
    images.map(({ suite, arch, builtAt, mode }) => [name, suite, arch, age(now - builtAt), mode || '-']),
  );
  if (rows.length === 0) return ['  none yet'];
  return indented(table(['backend', 'suite', 'architecture', 'age', 'mode'], rows));
}

function conclusion(findings: Findings): string {
  if (isUsable(findings)) return 'This machine can run tests.';
  const usable = findings.backends.filter(({ problem }) => problem === null).map(({ name }) => name);
  if (!findings.backends.some(({ isConfigured, problem }) => isConfigured && problem === null)) {
    return usable.length === 0
      ? 'This machine cannot run tests yet: do what is said above for one of the backends.'
      : `This machine cannot run tests as it is configured; it could with backends: [${usable.join(', ')}].`;
  }
  return 'This machine cannot run tests: none of its variants can be executed.';
}

function age(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} days`;
}

function yes(is: boolean): string {
  return is ? 'yes' : 'no';
}

function indented(lines: string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** Columns as wide as their widest cell, two blanks between them. */
function table(headings: string[], rows: string[][]): string[] {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
