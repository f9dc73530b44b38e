import {
  DrainRequest,
  PauseRequest,
  QueuesAndWorkers,
  requestOf,
  RestoreRequest,
  ResumeRequest,
  scopeName,
} from '@proctor/administration';
import { administer, decide } from '../administration';

type By<Request> = Request & { by: string };
type OfWorker<Request> = By<Omit<Request, 'worker'>>;

/** @throws UnknownUser; Refusal, also when the suite or architecture is not tested here */
export async function pause({ by, ...typed }: By<PauseRequest>): Promise<void> {
  const request = requestOf(PauseRequest, typed);
  const paused = await decide(by, (get, administrator) =>
    get(QueuesAndWorkers).pause(request, administrator),
  );
  console.error(`${scopeName(paused)} is paused by ${by}: ${paused.reason}`);
}

/** @throws UnknownUser; Refusal, also when there is no such pause */
export async function resume({ by, ...typed }: By<ResumeRequest>): Promise<void> {
  const request = requestOf(ResumeRequest, typed);
  const scope = await decide(by, (get, administrator) =>
    get(QueuesAndWorkers).resume(request, administrator),
  );
  console.error(`${scopeName(scope)} goes on`);
}

/** @throws UnknownUser, Refusal */
export async function drain(worker: string, { by, ...typed }: OfWorker<DrainRequest>): Promise<void> {
  const request = requestOf(DrainRequest, { worker, ...typed });
  await decide(by, (get, administrator) => get(QueuesAndWorkers).drain(request, administrator));
  console.error(`worker ${worker} is drained by ${by}: ${request.reason}`);
}

/** @throws UnknownUser; Refusal, also when the worker is not drained */
export async function undrain(worker: string, { by, ...typed }: OfWorker<RestoreRequest>): Promise<void> {
  const request = requestOf(RestoreRequest, { worker, ...typed });
  await decide(by, (get, administrator) => get(QueuesAndWorkers).undrain(request, administrator));
  console.error(`worker ${worker} gets runs again`);
}

/** @throws UnknownUser; Refusal, also when no such worker is known, or it is sound */
export async function trust(worker: string, { by, ...typed }: OfWorker<RestoreRequest>): Promise<void> {
  const request = requestOf(RestoreRequest, { worker, ...typed });
  const { architectures } = await decide(by, (get, administrator) =>
    get(QueuesAndWorkers).trust(request, administrator),
  );
  console.error(`worker ${worker} is taken for sound by ${by} (${architectures.join(', ')})`);
}

/** One line for each pause and drain: what, suite, architecture or worker, user, time, reason. */
export async function listDecisions(): Promise<void> {
  const { pauses, drains } = await administer((get) => get(QueuesAndWorkers).list());
  for (const { suite, arch, by, since, reason } of pauses) {
    console.log(['pause', suite ?? '*', arch ?? '*', by, since, oneLine(reason)].join('\t'));
  }
  for (const { worker, by, since, reason } of drains) {
    console.log(['drain', worker, by, since, oneLine(reason)].join('\t'));
  }
  if (pauses.length + drains.length === 0) console.error('nothing is paused or drained');
}

/** A reason may have line ends and tabs; a line of the list may not. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
