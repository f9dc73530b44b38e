import { Client } from 'pg';
import { serveBare } from '../bare/serve';
import { makeBareTable } from '../bare/table';
import { HttpClient, rateOf } from '../client';
import { ARCH, Deployment, SUITE } from '../deployment';
import type { OpenRow, Row } from '../row';
import type { Place } from '../place';

export const singleRequests: Row[] = [atConnections(1, 0.5), atConnections(8, 0.8), atConnections(32, 0.8)];

function atConnections(connections: number, atLeast: number): Row {
  return {
    name: `single-${connections}`,
    what: `single requests at ${connections} connection${connections === 1 ? '' : 's'}, committed, command sent`,
    against: 'a Nest and pg endpoint that checks a key and inserts one row',
    figures: [{ what: '', unit: 'requests/s', of: 'rate', against: 'rate', mark: { atLeast } }],
    rounds: 7,
    ...(connections !== 8 && { isNeverQuick: true }),
    async open(place) {
      const both = await openBoth(place, connections);
      const count = place.size(connections === 1 ? 400 : 1_500, 40);
      const rate = async (work: () => Promise<unknown>) => ({ rate: await rateOf(count, connections, work) });
      return {
        measured: () => rate(() => both.product.mustPost(`/api/v1/test/${SUITE}/${ARCH}/hello`, undefined)),
        bare: () => rate(() => both.bare.mustPost('/runs', { package: 'hello' })),
        close: both.close,
      };
    },
  };
}

export const polls: Row = {
  name: 'polls',
  what: 'what a client asks again and again',
  against: 'a Nest route with one indexed query',
  figures: [
    { what: 'empty poll', unit: 'ms', of: 'poll', against: 'query', mark: { atMost: 1.3 } },
    { what: '`GET /auth`', unit: 'ms', of: 'auth', against: 'query', mark: { atMost: 1.3 } },
  ],
  rounds: 9,
  async open(place) {
    const { product, bare, close } = await openBoth(place, 1);
    const count = place.size(400, 20);
    const each = async (work: () => Promise<unknown>) => 1000 / (await rateOf(count, 1, work));
    const since = Math.floor(Date.now() / 1000) + 100_000;
    return {
      measured: async () => ({
        poll: await each(() => product.mustGet(`/api/v1/test?since=${since}`)),
        auth: await each(() => product.mustGet('/api/v1/auth')),
      }),
      bare: async () => ({ query: await each(() => bare.mustGet('/key')) }),
      close,
    };
  },
};

/** The api and the bare endpoints on one database, and a client of each. */
async function openBoth(
  place: Place,
  connections: number,
): Promise<{ product: HttpClient; bare: HttpClient; close: OpenRow['close'] }> {
  const deployment = await Deployment.start(place);
  const table = new Client({ connectionString: deployment.databaseUrl });
  await table.connect();
  await makeBareTable(table);
  await table.end();
  const served = await serveBare(deployment.databaseUrl, deployment.folder);
  const clientOf = (url: string) => new HttpClient(url, { 'Auth-Key': deployment.key }, connections);
  const [product, bare] = [clientOf(deployment.url), clientOf(served.url)];
  return {
    product,
    bare,
    async close() {
      product.close();
      bare.close();
      await served.stop();
      await deployment.stop();
    },
  };
}
