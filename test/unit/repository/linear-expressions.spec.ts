import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(__dirname, '../../..');

/** The product's files that put expressions together, each with what makes it do so; the linter sees only literals. */
const ASSEMBLED: Record<string, () => Promise<unknown>> = {
  'apps/api/src/pages/log/line-html.ts': () => import('@apps/api/src/pages/log/line-html'),
  'apps/cli/src/runs/log.ts': () => import('@apps/cli/src/runs/log'),
  'apps/worker/src/autopkgtest/absence.ts': async () => {
    const { absenceOf } = await import('@apps/worker/src/autopkgtest/absence');
    const search = { package: 'g++.a', suite: 'x', arch: 'y', pinPackages: [], extraAptSources: [] };
    absenceOf(search, {
      exitCode: 12,
      message: 'rules extract failed with exit code 1',
      log: '',
      timedOut: null,
    } as never);
  },
  'apps/worker/src/sandbox/memory-kills.ts': async () => {
    const { killsIn } = await import('@apps/worker/src/sandbox/memory-kills');
    killsIn('');
  },
  'libs/bus/src/stream-levels.ts': () => import('@libs/bus/src/stream-levels'),
  'libs/config/src/address-rules.ts': () => import('@libs/config/src/server-file'),
  'libs/config/src/package-link-section.ts': () => import('@libs/config/src/package-link-section'),
  'libs/config/src/supersede-section.ts': () => import('@libs/config/src/supersede-section'),
  'libs/result-files/src/error-patterns.ts': () => import('@proctor/result-files'),
};

/** It only tries the expressions of a deployment's own configuration. */
const TRIES_ONLY = 'libs/config/src/rules.ts';

const product = execFileSync('git', ['ls-files', 'apps', 'libs', 'bin'], { cwd: project, encoding: 'utf8' })
  .split('\n')
  .filter((name) => /\.(?:ts|mjs)$/.test(name) && !name.endsWith('.spec.ts') && !name.includes('/testing/'))
  .map((name) => ({ name, text: readFileSync(join(project, name), 'utf8') }));

/** The expressions that may take longer than linear time, each with the reason. */
function superLinear(literals: string[]): [string, string][] {
  const input = JSON.stringify(literals);
  const checker = join(project, 'test/support/super-linear.mjs');
  return JSON.parse(execFileSync(process.execPath, [checker], { input, encoding: 'utf8' })) as [
    string,
    string,
  ][];
}

/** The expressions that each file assembles, by file. */
async function assembled(): Promise<Map<string, RegExp[]>> {
  const expressionsByFile = new Map<string, RegExp[]>();
  const native = globalThis.RegExp;
  globalThis.RegExp = new Proxy(native, {
    construct(target, args: [string, string?]) {
      const expression = new target(...args);
      const stack = new Error().stack ?? '';
      const file = Object.keys(ASSEMBLED).find((name) => stack.split('\n')[2]?.includes(`/${name}:`));
      if (file !== undefined)
        expressionsByFile.set(file, [...(expressionsByFile.get(file) ?? []), expression]);
      return expression;
    },
  });
  try {
    for (const make of Object.values(ASSEMBLED)) await make();
  } finally {
    globalThis.RegExp = native;
  }
  return expressionsByFile;
}

it('the time of an expression that is put together grows with the length of a text and no faster', async () => {
  const files = product.filter(({ text }) => /\bRegExp\(/.test(text)).map(({ name }) => name);
  expect(files.filter((name) => name !== TRIES_ONLY).sort()).toEqual(Object.keys(ASSEMBLED).sort());
  const expressionsByFile = await assembled();
  expect([...expressionsByFile.keys()].sort()).toEqual(Object.keys(ASSEMBLED).sort());
  expect(superLinear([...expressionsByFile.values()].flat().map(String))).toEqual([]);
});

it('nor does that of one that begins at the boundary of a word, which the linter does not check', () => {
  const literals = product.flatMap(({ text }) =>
    [...text.matchAll(/(?<=[[(=,?:] *)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/g)]
      .map(([literal]) => literal)
      .filter((literal) => literal.includes('\\b')),
  );
  expect(literals.length).toBeGreaterThan(5);
  const before = literals.map((literal) => literal.replace(/\\b(?=[\w([])/g, String.raw`(?<!\w)`));
  expect(superLinear(before)).toEqual([]);
});

it('the check finds one that backtracks, one that begins again, and one that begins again at words', () => {
  const slow = [String.raw`/^(a+)+$/`, String.raw`/\/+$/`, String.raw`/(?<!\w)[\w.]+:/`];
  expect(superLinear([...slow, '/a+/']).map(([literal]) => literal)).toEqual(slow);
});
