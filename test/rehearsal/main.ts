import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { PARTS, rehearse, type Part } from './rehearse';
import { buildCommit, previousCommit, type Release } from './release';
import { Findings } from './report';
import { trySkew } from './skew';
import { Stops } from './stops';

const USAGE = `usage: npm run rehearse -- [--only PART] [--without PART]…
       npm run test:skew
parts of the rehearsal: ${PARTS.join(', ')}`;

const INTERRUPTED = 130;

/** Exit codes: 0 all held, 1 something did not, 2 wrong usage, 130 interrupted. */
async function main(): Promise<number> {
  const request = read();
  if (request === null) {
    console.error(USAGE);
    return 2;
  }
  const { mode, parts } = request;
  Logger.overrideLogger(false);
  const root = resolve('.');
  const stops = new Stops();
  const findings = new Findings(stops);
  endOnSignals(stops);
  try {
    const here: Release = { name: 'this release', folder: root, isPrevious: false };
    const isMixed = mode === 'skew' || parts.has('upgrade');
    const commit = isMixed ? previousCommit(root) : null;
    if (isMixed && commit === null)
      console.log(
        'CHANGELOG.md names no release before this one: no mixture of both is tried, and no upgrade from it',
      );
    const before = commit === null ? null : buildCommit(root, commit, console.log);
    if (mode === 'skew') {
      if (before === null) return 0;
      await trySkew({ here, before }, findings, stops);
    } else {
      const networks = process.getuid!() === 0;
      if (!networks)
        console.log('not as root: the workers get no networks of their own, and share that of this machine');
      await rehearse({ here, before, parts, networks }, findings, stops);
    }
  } finally {
    await stops.now();
  }
  console.log(`\n${findings.table()}`);
  return findings.hold ? 0 : 1;
}

/** @returns null for what is no usage */
function read(): { mode: 'skew' | 'rehearse'; parts: Set<Part> } | null {
  const isPart = (name: string): name is Part => (PARTS as readonly string[]).includes(name);
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        only: { type: 'string', multiple: true },
        without: { type: 'string', multiple: true, default: [] },
      },
    });
    const [mode] = positionals;
    const { only = [...PARTS], without } = values;
    if ((mode !== 'skew' && mode !== 'rehearse') || ![...only, ...without].every(isPart)) return null;
    return { mode, parts: new Set(only.filter(isPart).filter((name) => !without.includes(name))) };
  } catch {
    return null;
  }
}

/** Ctrl-C reaches a process twice when its parent hands it on, too. */
function endOnSignals(stops: Stops): void {
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isEnding) return;
      isEnding = true;
      console.log(`${signal}: ending what was started`);
      stops.now().then(
        () => process.exit(INTERRUPTED),
        (error: unknown) => {
          console.error(error);
          process.exit(INTERRUPTED);
        },
      );
    });
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
