import { sendSignals } from '@proctor/bus';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { withDatabase } from '../home-database';
import { findNats, type Nats } from '../nats';

/** A command is not held up for long by a server that is away. */
const PATIENCE_MS = 2_000;

/** Of the server, as those of this machine reach it. @throws when it is not known */
export async function ownAddress(): Promise<string> {
  return (await (await findNats()).users.read('api')).url;
}

/**
 * The register was changed: the dispatchers of these architectures look, as they do by themselves now and then, and nats-server
 * lets in who is in it. In this order a worker that was revoked is told to stop its tests before it is cut off.
 */
export async function registerChanged(architectures: string[]): Promise<void> {
  try {
    const nats = await findNats();
    await tellDispatchers(nats, architectures);
    const advice = await withDatabase(({ workerRegister }) =>
      workerRegister.applyAccounts((workers) => nats.letIn(workers)),
    );
    if (advice !== null) console.error(advice);
  } catch (error) {
    console.error(
      `the change is registered, and nats-server does not know of it: ${(error as Error).message}`,
    );
  }
}

async function tellDispatchers({ users }: Nats, architectures: string[]): Promise<void> {
  const subjects = architectures.map((arch) => subjectOf(SUBJECTS.workersChanged, arch));
  try {
    await sendSignals(await users.read('api'), subjects, PATIENCE_MS);
  } catch (error) {
    console.error(
      `the dispatchers could not be told and follow in a few seconds: ${(error as Error).message}`,
    );
  }
}
