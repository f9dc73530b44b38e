import { Injectable } from '@nestjs/common';
import type { RunRequest } from '@proctor/contracts';
import { Database } from '../kit/database';
import { TEST_COLUMNS } from './run-columns';
import type { RunReader } from './run-search';
import { arraysOf, bigint, integer, namesOf, statement, valuesOf } from '../kit/statement';

/** Finds unfinished runs of the same tests as new requests. */
@Injectable()
export class EqualRuns {
  constructor(private readonly database: Database) {}

  /**
   * Finds for each request the id of the first unfinished run of the same test that the reader may see; null if there
   * is none. Writes nothing.
   */
  async find(requests: RunRequest[], reader: RunReader): Promise<(number | null)[]> {
    if (requests.length === 0) return [];
    const { tests, places } = distinctTests(requests);
    const rows = await this.database.query(EQUAL_UNFINISHED, equalUnfinishedParameters(tests, reader));
    const runIdByPlace = new Map(rows.map(({ place, runId }) => [place, runId]));
    return places.map((place) => runIdByPlace.get(place) ?? null);
  }
}

/** Requests without duplicates, and for each request its index among them. */
interface DistinctTests {
  tests: RunRequest[];
  places: number[];
}

/** A long list may name the same test many times, and many runs of that test may wait. */
function distinctTests(requests: RunRequest[]): DistinctTests {
  const placeByName = new Map<string, number>();
  const tests: RunRequest[] = [];
  const places = requests.map((request) => {
    const name = nameOf(request);
    const place = placeByName.get(name) ?? placeByName.size;
    if (place === placeByName.size) tests.push(request);
    placeByName.set(name, place);
    return place;
  });
  return { tests, places };
}

function equalUnfinishedParameters(
  tests: RunRequest[],
  { everything = false, keyId, userName }: RunReader,
): unknown[] {
  return [...valuesOf<Test>(TEST_COLUMNS, tests), everything, keyId ?? null, userName ?? null];
}

type Test = Pick<RunRequest, keyof typeof TEST_COLUMNS>;

const NAMES = Object.keys(TEST_COLUMNS) as (keyof Test)[];

function nameOf(request: RunRequest): string {
  return JSON.stringify(NAMES.map((name) => request[name]));
}

const [EVERYTHING, KEY, USER] = [1, 2, 3].map((place) => `$${NAMES.length + place}`) as [
  string,
  string,
  string,
];

/** The first unfinished run of each test that a reader may see; places begin with 0. */
const EQUAL_UNFINISHED = statement(
  { place: integer, runId: bigint },
  `
  select (test.place - 1)::integer as place, min(r.run_id) as "runId"
  from unnest(${arraysOf(TEST_COLUMNS)}) with ordinality as test(${namesOf(TEST_COLUMNS)}, place)
  join runs r using (${namesOf(TEST_COLUMNS)})
  where r.state <> 'finished' and (not r.is_private or ${EVERYTHING}::boolean or r.api_key_id = ${KEY}::integer
    or r.requestor_id = (select user_id from users where name = ${USER}::text))
  group by test.place`,
);
