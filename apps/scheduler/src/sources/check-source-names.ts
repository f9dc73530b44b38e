import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  PACKAGE_NAME_LENGTH_MAX,
  SOURCE_NAMES_LINES_MAX,
  SOURCE_NAMES_TEXT_BYTES_MAX,
  sourceNamesLine,
} from '@proctor/contracts';

const LINE_LENGTH_MAX = 2 * PACKAGE_NAME_LENGTH_MAX + 1;

/** The content is not a list of packages. */
export class BadSourceNames extends Error {}

/**
 * Checks a list in pieces of some kilobytes.
 * @param content compressed with gzip
 * @returns the number of its source packages
 * @throws BadSourceNames with the fault
 */
export async function checkSourceNames(content: Buffer): Promise<number> {
  const check = new LineCheck();
  let [bytes, rest] = [0, ''];
  try {
    for await (const chunk of Readable.from([content]).pipe(createGunzip()) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > SOURCE_NAMES_TEXT_BYTES_MAX)
        throw new BadSourceNames(`its text has more than ${SOURCE_NAMES_TEXT_BYTES_MAX} bytes`);
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop()!;
      for (const line of lines) check.check(line);
      if (rest.length > LINE_LENGTH_MAX) throw new BadSourceNames('a line is too long');
    }
  } catch (error) {
    if (error instanceof BadSourceNames) throw error;
    throw new BadSourceNames(`it cannot be decompressed: ${(error as Error).message}`);
  }
  if (rest !== '') throw new BadSourceNames('its last line has no end');
  if (check.sources === 0) throw new BadSourceNames('it names no source package');
  return check.sources;
}

class LineCheck {
  sources = 0;
  private lines = 0;
  private before = '';

  check(line: string): void {
    this.lines += 1;
    if (this.lines > SOURCE_NAMES_LINES_MAX)
      throw new BadSourceNames(`it has more than ${SOURCE_NAMES_LINES_MAX} lines`);
    const names = sourceNamesLine(line);
    if (!names) throw new BadSourceNames(`line ${this.lines} is none of a list of packages`);
    if (line <= this.before) throw new BadSourceNames(`line ${this.lines} is not in order`);
    this.before = line;
    if (names.source === null) this.sources += 1;
  }
}
