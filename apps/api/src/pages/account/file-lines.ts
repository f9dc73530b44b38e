import { isNode, LineCounter, parseDocument } from 'yaml';

/** Lines are found in files that people write; a longer one would block the process. */
const BYTES_MAX = 64 * 1024;

/**
 * Finds the lines of a JSON file, from 1.
 * @param text the file; each JSON is also YAML
 * @returns the line of a value by its pointer, such as `#/0/tests/3`, or of the value around an absent one; null when it is not known
 */
export function linesOf(text: string): (pointer: string) => number | null {
  if (Buffer.byteLength(text) > BYTES_MAX) return () => null;
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, schema: 'json' });
  if (document.errors.length > 0) return () => null;
  return (pointer) => {
    const path = pointer.split('/').slice(1).map(keyIn);
    for (; path.length > 0; path.pop()) {
      const node = document.getIn(path, true);
      if (isNode(node) && node.range) return lineCounter.linePos(node.range[0]).line;
    }
    return null;
  };
}

/** A key of a JSON pointer in URI fragment form. */
function keyIn(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}
