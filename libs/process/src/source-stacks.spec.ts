import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mapToSource, nameSourcesInStacks } from './source-stacks';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proctor-stacks-'));
  // The second line of the compiled file is the fifth of its source, from the third column on.
  const map = { version: 3, sources: ['sources/a.ts'], names: [], mappings: ';AAIE' };
  await writeFile(join(folder, 'a.js.map'), JSON.stringify(map));
});
afterAll(() => rm(folder, { recursive: true }));

it('a line of a stack names the source of the compiled place', () => {
  expect(mapToSource(`work (${folder}/a.js:2:1)`)).toBe(`work (${folder}/sources/a.ts:5:3)`);
});

it('a line of a stack stays as it is where there is no map', () => {
  for (const line of [
    `work (${folder}/b.js:2:1)`,
    `work (${folder}/node_modules/a.js:2:1)`,
    'new Promise (<anonymous>)',
  ])
    expect(mapToSource(line)).toBe(line);
});

it('the stacks of errors begin with the error and name each place once sources are named', () => {
  const before: unknown = Reflect.get(Error, 'prepareStackTrace');
  try {
    nameSourcesInStacks();
    const lines = new TypeError('no such thing').stack!.split('\n');
    expect(lines[0]).toBe('TypeError: no such thing');
    expect(lines[1]).toMatch(/^ {4}at .*source-stacks\.spec\.ts:\d+:\d+/);
  } finally {
    Reflect.set(Error, 'prepareStackTrace', before);
  }
});
