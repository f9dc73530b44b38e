import { inPieces } from './pieces';

async function sizesOf(partBytes: number[], pieceBytes: number): Promise<number[]> {
  const parts = partBytes.map((size, index) => Buffer.alloc(size, index + 1));
  const pieces: Buffer[] = [];
  for await (const piece of inPieces(stream(parts), pieceBytes)) pieces.push(piece);
  expect(Buffer.concat(pieces)).toEqual(Buffer.concat(parts));
  return pieces.map(({ length }) => length);
}

async function* stream(parts: Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield await Promise.resolve(part);
}

it.each([
  [[], []],
  [[3], [3]],
  [[4], [4]],
  [
    [1, 2, 2],
    [4, 1],
  ],
  [
    [11, 1],
    [4, 4, 4],
  ],
  [
    [9, 5],
    [4, 4, 4, 2],
  ],
])('parts of %j bytes come in pieces of four, with nothing lost: %j', async (parts, pieces) => {
  expect(await sizesOf(parts, 4)).toEqual(pieces);
});
