import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { availableParallelism } from 'node:os';
import { soak, type SoakResult } from './soak';

const VIOLATIONS_SHOWN_MAX = 50;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      rate: { type: 'string', default: '200' },
      'fault-every': { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
    },
  });
  const plan = {
    durationMs: positive('minutes', values.minutes) * 60_000,
    rate: positive('rate', values.rate),
    faultEveryMs: positive('fault-every', values['fault-every']) * 1000,
    seed: positive('seed', values.seed),
  };
  Logger.overrideLogger(false);
  const startedAt = Date.now();
  const told = (text: string): void =>
    console.error(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(7)} ${text}`);
  const result = await soak(plan, told);
  print(result);
  if (result.violations.length > 0) process.exitCode = 1;
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new Error(`--${name}: ${JSON.stringify(text)} is not a number above 0`);
}

function print(result: SoakResult): void {
  const { accepted, finished, executions, attemptsLost, violations, calamities, repeated } = result;
  const today = new Date().toISOString().slice(0, 10);
  console.log(`Node ${process.version}, ${availableParallelism()} processors, ${today}\n`);
  console.log('| what | count |\n| --- | --- |');
  const rows: [string, number | string][] = [
    ['runs accepted', accepted],
    ['runs finished, each once', finished],
    ['executions, by their own log', executions],
    ['attempts lost, failed or handed back', attemptsLost],
    ['requests sent again', repeated],
    ['seconds', result.seconds.toFixed(0)],
    ['runs a second', (finished / result.seconds).toFixed(0)],
    ['seconds until the last result, once all was whole', result.healingSeconds.toFixed(1)],
    ...[...calamities].sort(([a], [b]) => (a < b ? -1 : 1)),
    ['violations', violations.length],
  ];
  for (const [what, count] of rows) console.log(`| ${what} | ${count} |`);
  for (const violation of violations.slice(0, VIOLATIONS_SHOWN_MAX)) console.log(`- ${violation}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
