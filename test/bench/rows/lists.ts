import { Client } from 'pg';
import { INSERT_LIST, makeBareTable } from '../bare/table';
import { HttpClient } from '../client';
import { ARCH, Deployment, SUITE } from '../deployment';
import type { Row } from '../row';

const ITEMS = 5_000;

/** Both commit their rows; the api has read and checked them before, and writes a fact for each. */
export const lists: Row = {
  name: 'lists',
  what: 'a list of 5,000 over HTTP, committed',
  against: '`insert … select unnest` into a table with the same columns, indexes and keys',
  figures: [{ what: '', unit: 'items/s', of: 'rate', against: 'rate', mark: { atLeast: 0.5 } }],
  rounds: 9,
  async open(place) {
    const items = place.size(ITEMS, 200);
    const deployment = await Deployment.start(place);
    const bare = new Client({ connectionString: deployment.databaseUrl });
    await bare.connect();
    await makeBareTable(bare);
    const client = new HttpClient(deployment.url, { 'Auth-Key': deployment.key });
    const list = Array.from({ length: items }, (_none, index) => ({
      package: `package${index}`,
      trigger: `bench/${index}`,
    }));
    const { userId, keyId } = deployment.submitter;
    const values = [list.map((each) => each.package), userId, keyId, list.map((each) => each.trigger)];
    const rate = async (work: () => Promise<unknown>) => {
      const startedAt = performance.now();
      await work();
      return { rate: (items / (performance.now() - startedAt)) * 1000 };
    };
    return {
      measured: () => rate(() => client.mustPost(`/api/v1/test/${SUITE}/${ARCH}`, list)),
      bare: () => rate(() => bare.query({ name: 'list', text: INSERT_LIST, values })),
      async close() {
        client.close();
        await bare.end();
        await deployment.stop();
      },
    };
  },
};
