import { appendFile, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TESTBED_PROPERTIES } from './testbed-properties';
import type { TestbedProperty } from './testbed-property';
import { leaseOfTree, sourceTree, storedLog, type TestMachine } from './test-machine';

const SEEN = /^property (\d+): (yes|no)(?: \((.*)\))?\r?$/gm;

/** What each probe of these says in the testbed: "yes", or "no" with its last words. */
export async function probeTestbed(
  machine: TestMachine,
  backend: string,
  properties = TESTBED_PROPERTIES,
): Promise<Record<string, string>> {
  const tree = await sourceTree(machine.workPath, scriptOf(properties, 'root'), 'needs-root, allow-stderr');
  const path = join(tree, 'debian/tests/of-the-user');
  await writeFile(path, scriptOf(properties, 'user'));
  await chmod(path, 0o755);
  await appendFile(
    join(tree, 'debian/tests/control'),
    '\nTests: of-the-user\nDepends:\nRestrictions: allow-stderr\n',
  );
  const result = await machine.runner.run(
    leaseOfTree(tree, { backend }),
    () => undefined,
    new AbortController().signal,
  );
  const log = await storedLog(result);
  if (result.exitCode !== 0) throw new Error(`the probes ended with ${result.exitCode}:\n${log}`);
  const answers = new Map<number, string>();
  for (const [, place, answer, words] of log.matchAll(SEEN))
    answers.set(Number(place), words === undefined ? (answer as string) : `${answer} (${words})`);
  return Object.fromEntries(
    properties.map(({ name }, place) => [name, answers.get(place) ?? 'it was not probed']),
  );
}

/** What they should say in a backend. */
export function expectedOf(backend: string, properties = TESTBED_PROPERTIES): Record<string, unknown> {
  return Object.fromEntries(
    properties.map(({ name, lacks }) => [
      name,
      lacks?.[backend] === undefined ? 'yes' : (expect.stringMatching(/^no/) as unknown),
    ]),
  );
}

/** Probes end with their own shell: what one changes, the next does not see. */
function scriptOf(properties: TestbedProperty[], as: TestbedProperty['as']): string {
  const probes = properties.flatMap((each, place) =>
    each.as === as ? [`probe ${place} '${each.probe.replaceAll("'", "'\\''")}'`] : [],
  );
  return `#!/bin/bash
probe() {
  if words=$(bash -c "$2" 2>&1 </dev/null); then
    echo "property $1: yes"
  else
    echo "property $1: no ($(tail -n 3 <<<"$words" | tr '\\n' ' '))"
  fi
}
${probes.join('\n')}
`;
}
