import {
  EVENT_STREAM,
  logStream,
  REPORT_PREFIX,
  reportsOfWorker,
  SUBJECTS,
  subjectOf,
} from '@proctor/contracts';

/** Public keys (`U…`) of the users that nats-server knows. */
interface AccountUsers {
  scheduler: string;
  api: string;
  /** The user that may make the server reload its configuration, and do nothing else. */
  system: string;
  workers: WorkerUser[];
}

export interface WorkerUser {
  name: string;
  publicKey: string;
  architectures: string[];
}

/** The subjects that a service may publish and receive. */
interface Permissions {
  publish: { allow: string[] };
  subscribe: { allow: string[] };
}

export type Accounts = Record<string, Account>;

interface Account {
  jetstream?: 'enabled';
  users: { nkey: string; permissions?: Permissions }[];
  exports?: object[];
  imports?: object[];
  limits?: { max_connections: number; max_subscriptions: number };
}

const SERVICES = 'PROCTOR';
const SYSTEM = 'SYS';
/** Subscriptions of each connection. A worker needs a few for each of its architectures, and one for its answers. */
const WORKER_SUBSCRIPTIONS_MAX = 1_000;
/** A worker has one connection, and a second one while it replaces a dead one. */
const WORKER_CONNECTIONS_MAX = 8;

/**
 * The accounts of nats-server: one for the services, and one for each worker, which imports from the services what
 * belongs to its own name and architectures. Permissions alone do not confine a worker: nats-server does not check the
 * reply subject of a message, and sends the answer there in the name of the service that answers. In its own account a
 * worker cannot name a subject that others receive.
 *
 * The file must have no `authorization` block beside these: with one, nats-server 2.9.22 and earlier accept every user.
 */
export function accountsOf({ scheduler, api, system, workers }: AccountUsers): Accounts {
  return {
    [SYSTEM]: { users: [{ nkey: system, permissions: OF_SYSTEM }] },
    [SERVICES]: {
      jetstream: 'enabled',
      users: [
        { nkey: scheduler, permissions: SCHEDULER },
        { nkey: api, permissions: apiPermissions(workers) },
      ],
      exports: [
        ...['proctor.rpc.*.*.*', `${REPORT_PREFIX}>`, 'proctor.log.>', 'proctor.staging.>'].map(
          (service) => ({
            service,
          }),
        ),
        ...['proctor.worker.*.*', SUBJECTS.workWaiting].map((stream) => ({ stream })),
      ],
    },
    ...Object.fromEntries(workers.map((worker) => [`WORKER_${worker.name}`, workerAccount(worker)])),
  };
}

/** The accounts as text that nats-server's configuration can include. */
export function accountsText(accounts: Accounts): string {
  const text = JSON.stringify(accounts, null, 2);
  return `# Written by Proctor: changes are lost.\nsystem_account: ${SYSTEM}\naccounts: ${text}\n`;
}

/** The prefix of the subjects on which a user of this name gets its answers. */
export function inboxPrefix(name: string): string {
  return `_INBOX.${name}`;
}

/**
 * The subject to which JetStream delivers the reports of an architecture. The scheduler that serves it subscribes
 * there; no user may publish there.
 */
export function reportInbox(arch: string): string {
  return `${inboxPrefix('scheduler')}.report.${arch}`;
}

const SCHEDULER: Permissions = {
  publish: {
    allow: [
      ...['LIST', 'INFO.*', 'CREATE.*', 'UPDATE.*', 'PURGE.*', 'MSG.GET.*'].map(
        (call) => `$JS.API.STREAM.${call}`,
      ),
      ...['CREATE.>', 'DURABLE.CREATE.>', 'INFO.>'].map((call) => `$JS.API.CONSUMER.${call}`),
      '$JS.API.DIRECT.GET.>',
      // Never by stream: the acknowledgements of 2.15 have other tokens than those of 2.9.
      '$JS.ACK.>',
      'proctor.event.>',
      'proctor.signal.>',
      'proctor.worker.*.*',
      // Answers, to workers and to the api.
      '_R_.>',
      `${inboxPrefix('api')}.>`,
    ],
  },
  subscribe: {
    allow: [
      ...['proctor.rpc.*.*.*', 'proctor.query.*.*', 'proctor.command.*.*', `${inboxPrefix('scheduler')}.>`],
      SUBJECTS.architecturesReleased,
    ],
  },
};

const OF_SYSTEM: Permissions = {
  publish: { allow: ['$SYS.REQ.SERVER.PING', '$SYS.REQ.SERVER.*.RELOAD'] },
  subscribe: { allow: [`${inboxPrefix('system')}.>`] },
};

/** The api reads events and live logs, and no other streams. */
function apiPermissions(workers: WorkerUser[]): Permissions {
  const streams = [EVENT_STREAM, ...workers.map(({ name }) => logStream(name))];
  const signals = [SUBJECTS.resultsChanged, SUBJECTS.keysChanged];
  const calls = ['CREATE', 'INFO', 'MSG.NEXT', 'DELETE'];
  const reads = streams.flatMap((stream) => [
    `$JS.API.STREAM.INFO.${stream}`,
    ...calls.map((call) => `$JS.API.CONSUMER.${call}.${stream}.>`),
  ]);
  return {
    publish: { allow: ['proctor.query.*.*', 'proctor.command.*.*', ...signals, ...reads] },
    subscribe: { allow: [...signals, `${inboxPrefix('api')}.>`] },
  };
}

function workerAccount({ name, publicKey, architectures }: WorkerUser): Account {
  const services = [
    ...architectures.flatMap((arch) => [`proctor.rpc.${arch}.${name}.*`, reportsOfWorker(arch, name)]),
    `proctor.log.${name}.>`,
    `proctor.staging.${name}.>`,
  ];
  const streams = [
    `proctor.worker.${name}.*`,
    ...architectures.map((arch) => subjectOf(SUBJECTS.workWaiting, arch)),
  ];
  return {
    limits: { max_connections: WORKER_CONNECTIONS_MAX, max_subscriptions: WORKER_SUBSCRIPTIONS_MAX },
    users: [
      {
        nkey: publicKey,
        permissions: {
          publish: { allow: services },
          subscribe: { allow: [...streams, `${inboxPrefix(name)}.>`] },
        },
      },
    ],
    imports: [
      // Shared: the services learn the address that a request came from.
      ...services.map((subject) => ({ service: { account: SERVICES, subject }, share: true })),
      ...streams.map((subject) => ({ stream: { account: SERVICES, subject } })),
    ],
  };
}
