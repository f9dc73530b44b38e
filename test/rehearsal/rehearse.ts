import { setTimeout as pause } from 'node:timers/promises';
import { conformance } from './conformance';
import { Deployment } from './deployment';
import { loseEverything } from './disaster';
import type { Release } from './release';
import type { Finding, Findings } from './report';
import type { Stops } from './stops';
import { underLoad, type Zero } from './under-load';

const NODE_AWAY_MS = 15_000;
/** Rounds in a row in which all apis must give a good answer. */
const GOOD_ANSWERS = 6;

const NOTHING: Zero[] = ['refused', 'lost', 'unfinished', 'lostLeases', 'extraAttempts'];

export const PARTS = ['upgrade', 'conformance', 'restart', 'nats', 'failover', 'backup'] as const;
export type Part = (typeof PARTS)[number];

export interface RehearsalPlan {
  here: Release;
  /** That which is upgraded; null: nothing is. */
  before: Release | null;
  parts: ReadonlySet<Part>;
  /** Workers in networks of their own, which only root can make. */
  networks: boolean;
}

/** A deployment with two of everything is used, upgraded, restarted, broken and restored. */
export async function rehearse(plan: RehearsalPlan, findings: Findings, stops: Stops): Promise<void> {
  const { here, before, networks, parts } = plan;
  const first = before ?? here;
  const deployment = await Deployment.prepare(
    { apis: 2, schedulers: 2, workers: 3, nodes: 3, standby: true, networks, first, root: here.folder },
    stops,
  );
  const where = networks ? 'three workers in networks of their own' : 'three workers';
  const isUp = await findings.try(`two schedulers, two apis, ${where}`, async () => {
    await deployment.start({ apis: first, schedulers: first, workers: first });
    return {
      holds: true,
      detail: `${first.name}; three nats-servers with TLS and accounts, PostgreSQL with a synchronous standby`,
    };
  });
  if (!isUp) return;
  const steps: Record<Part, () => Promise<unknown>> = {
    upgrade: async () => {
      if (before)
        await findings.try(`upgrade from ${before.name} to ${here.name}, under load`, () =>
          upgrade(deployment, here),
        );
    },
    conformance: () =>
      findings.try('conformance suite, through the proxy', () => conformance(deployment, here)),
    restart: () =>
      findings.try('schedulers and apis restarted one after the other, under load', () =>
        underLoad(deployment, NOTHING, async () => {
          await deployment.restartSchedulers(here);
          await deployment.restartApis(here);
          return '';
        }),
      ),
    nats: async () => {
      for (const name of deployment.nats.names) await loseNode(deployment, name, findings);
    },
    failover: () =>
      findings.try('PostgreSQL killed, its standby promoted, under load', () => failOver(deployment)),
    backup: () =>
      findings.try('backup, loss of databases and store, restore', () => loseEverything(deployment, here)),
  };
  for (const part of PARTS) if (parts.has(part)) await steps[part]();
}

/** The order that is promised. The api before does not say that it leaves: requests may be refused. */
function upgrade(deployment: Deployment, here: Release): Promise<Omit<Finding, 'what'>> {
  return underLoad(deployment, ['lost', 'unfinished', 'lostLeases', 'extraAttempts'], async () => {
    await deployment.command(here, 'migrate');
    const { url, ca } = deployment.nats;
    await deployment.command(here, 'nats', 'prepare', '--url', url, '--ca', ca);
    await deployment.restartSchedulers(here);
    await deployment.restartApis(here);
    await deployment.restartWorkers(here);
    return '';
  });
}

async function loseNode(deployment: Deployment, name: string, findings: Findings): Promise<void> {
  await findings.try(`nats-server ${name} of three killed, under load`, () =>
    underLoad(deployment, NOTHING, async () => {
      await deployment.nats.kill(name);
      await pause(NODE_AWAY_MS);
      await deployment.nats.restart(name);
      return `away for ${NODE_AWAY_MS / 1000} s`;
    }),
  );
}

function failOver(deployment: Deployment): Promise<Omit<Finding, 'what'>> {
  let isAway = false;
  return underLoad(
    deployment,
    ['refused', 'lost', 'unfinished'],
    async () => {
      isAway = true;
      const begin = performance.now();
      const ms = await deployment.databases.failOver();
      await answersAgain(deployment);
      isAway = false;
      const back = Math.round(performance.now() - begin);
      return `promoted after ${Math.round(ms)} ms, both apis answer after ${back} ms`;
    },
    () => isAway,
  );
}

/** Waits until each api answers again, asked directly: the proxy uses one api for a connection. */
async function answersAgain(deployment: Deployment): Promise<void> {
  const headers = { 'Auth-Key': deployment.keys.alice };
  const bases = deployment.apis.map((api) => deployment.urlOf(api));
  for (let good = 0; good < GOOD_ANSWERS;) {
    const answers = bases.map(async (base) => {
      const answer = await fetch(`${base}/`, { headers });
      await answer.arrayBuffer();
      return answer.ok;
    });
    const areGood = await Promise.all(answers).catch(() => [false]);
    good = areGood.every(Boolean) ? good + 1 : 0;
    if (good === 0) await pause(50);
  }
}
