import { sendSignals } from '@proctor/bus';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import { addressOf } from '../running-services';

/** A command is not held up for long by a server that is away. */
const PATIENCE_MS = 2_000;

/**
 * `PROCTOR_NATS_URL`, else the nats-server of the Proctor that runs on the home, unless the environment names another database.
 * @throws when there is neither
 */
export async function natsUrl(env = process.env): Promise<string> {
  if (env['PROCTOR_DATABASE_URL'] && !env['PROCTOR_NATS_URL']) throw new Error('PROCTOR_NATS_URL is not set');
  return addressOf('PROCTOR_NATS_URL', 'nats-server', (home) => home.natsUrl, env);
}

/** The register was changed, and the dispatchers of these architectures should look: they do so by themselves now and then. */
export async function tellDispatchers(architectures: string[]): Promise<void> {
  const subjects = architectures.map((arch) => subjectOf(SUBJECTS.workersChanged, arch));
  try {
    await sendSignals(await natsUrl(), 'proctor', subjects, PATIENCE_MS);
  } catch (error) {
    console.error(
      `the dispatchers could not be told and follow in a few seconds: ${(error as Error).message}`,
    );
  }
}
