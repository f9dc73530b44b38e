import { EXIT, Failure } from '../failure';
import { type OutputOptions, printJson, write } from '../output/print';
import { plain } from '../output/table';
import { type Finding, ok } from './finding';
import { checkConfiguration, checkMachine, checkOpenFiles, checkWorkerMachine } from './machine';
import { ownRole } from './role';
import { checkDatabase, checkNats } from './servers';

interface DoctorOptions extends OutputOptions {
  /** If false, the worker of this machine is not checked. */
  worker: boolean;
}

/** Returns all findings, in the order in which a deployment is built up. */
export async function examine({ worker }: Pick<DoctorOptions, 'worker'>): Promise<Finding[]> {
  const { isServer, isWorker } = await ownRole();
  const parts = [...(isServer ? ['a server'] : []), ...(isWorker ? ['a worker'] : [])];
  const what = `this machine is ${parts.join(' and ') || 'none of the services'}, by what is installed and configured`;
  const looks = [
    checkConfiguration(),
    ...(isServer
      ? [checkDatabase(), checkNats(), checkMachine()]
      : [checkOpenFiles().then((each) => [each])]),
    ...(worker && isWorker ? [checkWorkerMachine()] : []),
  ];
  return [ok('role', what), ...(await Promise.all(looks)).flat()];
}

/** Prints the state of each dependency and limit, and the remedy. @throws Failure if something is wrong */
export async function doctor(options: DoctorOptions): Promise<void> {
  const findings = await examine(options);
  if (options.json) printJson({ findings });
  else for (const finding of findings) write(`${plain(lineOf(finding))}\n`);
  const failures = findings.filter(({ state }) => state === 'fail').length;
  if (failures > 0) throw new Failure(`${failures} of ${findings.length} are wrong`, EXIT.failed);
}

/** A finding with its remedy, on one line. */
export function lineOf({ check, state, found: fact, remedy }: Finding): string {
  const advice = remedy === null ? '' : ` → ${remedy}`;
  return `${state.padEnd(4)}  ${check}: ${fact}${advice}`;
}
