import { conformance } from './conformance';
import { Deployment } from './deployment';
import type { Release } from './release';
import type { Findings } from './report';
import type { Stops } from './stops';

type Part = 'apis' | 'schedulers' | 'workers';

/** Which parts are of the release before; the schema is of this one. */
const MIXTURES: { what: string; before: Part[] }[] = [
  { what: 'api before, scheduler and worker of this release', before: ['apis'] },
  { what: 'api of this release, scheduler and worker before', before: ['schedulers', 'workers'] },
  { what: 'worker before, api and scheduler of this release', before: ['workers'] },
  { what: 'worker of this release, api and scheduler before', before: ['apis', 'schedulers'] },
];

/** The conformance suite, of the release that the api has, on each mixture. */
export async function trySkew(
  { here, before }: { here: Release; before: Release },
  findings: Findings,
  stops: Stops,
): Promise<void> {
  for (const mixture of MIXTURES)
    await findings.try(mixture.what, () =>
      stops.within(async (own) => {
        const deployment = await Deployment.prepare(
          {
            ...{ apis: 1, schedulers: 1, workers: 1, nodes: 1, standby: false, networks: false },
            ...{ first: here, root: here.folder },
          },
          own,
        );
        const of = (part: Part) => (mixture.before.includes(part) ? before : here);
        await deployment.start({ apis: of('apis'), schedulers: of('schedulers'), workers: of('workers') });
        return conformance(deployment, of('apis'));
      }),
    );
}
