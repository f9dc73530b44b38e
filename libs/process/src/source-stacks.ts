import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';

/** A place in a compiled file, in a line of a stack. */
const PLACE = /(?<![^():])([^():/]*)(\/[^():]+\.js):(\d+):(\d+)/;

/** Compiled file → its map; null: it has none. */
const maps = new Map<string, SourceMap | null>();

/**
 * Makes the stacks of errors show the lines of our sources. `--enable-source-maps` reads the map of every loaded file,
 * of libraries too, and keeps it: 15 MiB. Here the map of a file is read when a stack needs it.
 */
export function nameSourcesInStacks(): void {
  Error.prepareStackTrace = (error, sites: { toString(): string }[]) =>
    [String(error), ...sites.map((site) => `    at ${mapToSource(site.toString())}`)].join('\n');
}

/** @param text a line of a stack */
export function mapToSource(text: string): string {
  return text.replace(PLACE, (place, before: string, file: string, line: string, column: string) => {
    const map = file.includes('/node_modules/') ? null : mapOf(file);
    const entry = map?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return place;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${before}${resolve(dirname(file), originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | null {
  let map = maps.get(file);
  if (map === undefined) maps.set(file, (map = readMap(file)));
  return map;
}

function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMap['payload']);
  } catch {
    // It was compiled without a map, or in memory: the place stays unchanged.
    return null;
  }
}
