/** Splits content into pieces of this many bytes; the last may be shorter. */
export async function* inPieces(content: AsyncIterable<Buffer>, pieceBytes: number): AsyncGenerator<Buffer> {
  let [parts, bytes]: [Buffer[], number] = [[], 0];
  for await (const part of content) {
    parts.push(part);
    bytes += part.length;
    if (bytes < pieceBytes) continue;
    const all = Buffer.concat(parts);
    let from = 0;
    for (; all.length - from >= pieceBytes; from += pieceBytes) yield all.subarray(from, from + pieceBytes);
    [parts, bytes] = [[all.subarray(from)], all.length - from];
  }
  if (bytes > 0) yield Buffer.concat(parts);
}
