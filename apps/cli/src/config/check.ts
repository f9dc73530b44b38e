import { resolve } from 'node:path';
import { checkFolder } from '@proctor/config';
import { configurationFolder } from '../configuration';
import { Failure } from '../failure';
import { printNotice, write } from '../output/print';

/**
 * Looks at a configuration folder as the service would: `folder`, else `PROCTOR_CONFIG`, else the one of this program.
 * Each problem is a line on standard output: file, line, key and what is wrong; each warning likewise.
 * @throws Failure when there is any problem; with `strict` when there is any warning
 */
export async function checkConfiguration(
  folder: string | undefined,
  { strict }: { strict: boolean },
): Promise<void> {
  const path = folder === undefined ? configurationFolder() : resolve(folder);
  const { problems, warnings } = await checkFolder({ ...process.env, PROCTOR_CONFIG: path });
  for (const problem of problems) write(`${problem}\n`);
  for (const warning of warnings) write(`warning: ${warning}\n`);
  const worth = [counted(problems, 'problem'), counted(warnings, 'warning')].filter(Boolean).join(' and ');
  if (problems.length > 0 || (strict && warnings.length > 0)) throw new Failure(`${path} has ${worth}`);
  printNotice(`${path} is in order${worth && `, with ${worth}`}`);
}

function counted({ length }: string[], what: string): string {
  if (length === 0) return '';
  return length === 1 ? `a ${what}` : `${length} ${what}s`;
}
