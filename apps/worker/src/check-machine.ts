import 'reflect-metadata';
import { mkdir } from 'node:fs/promises';
import { deploymentPaths, loadConfiguration } from '@proctor/config';
import { settleSurroundings, surviveLostOutput } from '@proctor/surroundings';
import { checkEverything } from './check/findings';
import { isUsable, renderFindings } from './check/report';
import { detectMachine } from './machine/machine';

/** Prints what this machine can run. Exit code 0: it can run tests; 1: it cannot. A worker may run at the same time. */
async function main(): Promise<number> {
  const configuration = await loadConfiguration();
  await mkdir(configuration.worker.workPath, { recursive: true });
  const machine = await detectMachine(
    { ...configuration.worker, networksReady: 0 },
    `check-${process.pid}`,
    deploymentPaths(configuration, process.env),
  );
  try {
    const findings = await checkEverything(configuration, machine);
    // `proctor doctor` reads the findings itself.
    if (process.argv.includes('--send')) await new Promise((resolve) => process.send?.(findings, resolve));
    else for (const line of renderFindings(findings, Date.now())) console.log(line);
    return isUsable(findings) ? 0 : 1;
  } finally {
    await machine.sandboxes.close();
  }
}

surviveLostOutput();
settleSurroundings();
main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
