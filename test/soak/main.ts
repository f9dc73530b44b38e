import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { availableParallelism } from 'node:os';
import { installDebianPackages } from '@proctor/embedded';
import { FAULT_NAMES } from './faults/faults';
import { Records } from './records';
import { soak, type SoakResult } from './soak';

const VIOLATIONS_SHOWN_MAX = 50;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      rate: { type: 'string', default: '200' },
      'fault-every': { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      // Of the runs, those that a whole worker executes as processes, in percent.
      stub: { type: 'string', default: '1' },
      faults: { type: 'string', default: FAULT_NAMES.join(',') },
      // Keeps the records also of a soak without a violation.
      keep: { type: 'boolean', default: false },
    },
  });
  const plan = {
    durationMs: positive('minutes', values.minutes) * 60_000,
    rate: positive('rate', values.rate),
    faultEveryMs: positive('fault-every', values['fault-every']) * 1000,
    seed: positive('seed', values.seed),
    stubShare: positive('stub', values.stub) / 100,
    faults: faultsOf(values.faults),
  };
  Logger.overrideLogger(false);
  await preparePackages();
  const startedAt = Date.now();
  const records = await Records.open();
  const log = (text: string): void => {
    console.error(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(7)} ${text}`);
    records.line('soak', text);
  };
  let isClean = false;
  try {
    const result = await soak(plan, records, log);
    print(result);
    isClean = result.violations.length === 0;
  } finally {
    await records.close();
    if (isClean && !values.keep) await records.remove();
    else console.log(`the records are in ${records.folder}`);
  }
  if (!isClean) process.exitCode = 1;
}

/** @throws with what to type where the whole worker could open no sandbox: its runs would wait without an end */
async function preparePackages(): Promise<void> {
  const outcome = await installDebianPackages(undefined, (missing) =>
    console.error(`installing Debian packages: ${missing.join(' ')}`),
  );
  if (outcome.advice) throw new Error(`the soak cannot run: ${outcome.advice}`);
}

function faultsOf(text: string): string[] {
  const names = text.split(',');
  const unknown = names.filter((name) => !FAULT_NAMES.includes(name));
  if (unknown.length > 0)
    throw new Error(`--faults: unknown ${unknown.join(', ')}; known are ${FAULT_NAMES.join(', ')}`);
  return names;
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new Error(`--${name}: ${JSON.stringify(text)} is not a number above 0`);
}

function print(result: SoakResult): void {
  const { accepted, finished, executions, attemptsLost, violations, faults, repeated } = result;
  const today = new Date().toISOString().slice(0, 10);
  console.log(`Node ${process.version}, ${availableParallelism()} processors, ${today}\n`);
  console.log('| what | count |\n| --- | --- |');
  const rows: [string, number | string][] = [
    ['runs accepted', accepted],
    ['runs forgotten by restores of the database', result.forgotten],
    ['runs finished, each once', finished],
    ['executions, by their own log', executions],
    ['attempts lost, failed or handed back', attemptsLost],
    ['requests sent again', repeated],
    ['seconds', result.seconds.toFixed(0)],
    ['runs a second', (finished / result.seconds).toFixed(0)],
    ['seconds until the last result, once all was whole', result.healingSeconds.toFixed(1)],
    ['longest without an owner, seconds', result.unownedSeconds.toFixed(0)],
    ['longest without a grant while runs waited, seconds', result.ungrantedSeconds.toFixed(0)],
    ...[...faults].sort(([a], [b]) => (a < b ? -1 : 1)),
    ['violations', violations.length],
  ];
  for (const [what, count] of rows) console.log(`| ${what} | ${count} |`);
  console.log(
    '\n| memory of | MiB at most | longest life, minutes | MiB a minute then |\n| --- | --- | --- | --- |',
  );
  for (const { name, mibMax, lifeMinutes, mibPerMinute } of result.memory)
    console.log(
      `| ${name} | ${mibMax.toFixed(0)} | ${lifeMinutes.toFixed(1)} | ${mibPerMinute?.toFixed(2) ?? 'too short'} |`,
    );
  for (const violation of violations.slice(0, VIOLATIONS_SHOWN_MAX)) console.log(`- ${violation}`);
  if (violations.length > VIOLATIONS_SHOWN_MAX)
    console.log(`- and ${violations.length - VIOLATIONS_SHOWN_MAX} more`);
  for (const line of result.report) console.log(line);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
