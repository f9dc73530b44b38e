import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, Failure } from '../failure';
import { printNotice, write } from '../output/print';
import type { Command } from 'commander';
import { completionScript, type Shell } from './completion';
import { manualPage, pageName } from './man';
import { type CommandPage, listCommands } from './tree';

export function printCompletion(program: Command, shell: Shell): void {
  write(completionScript(shell, listCommands(program)));
}

/** @throws Failure if there is no such command, or both a command and a folder are named */
export async function printManual(
  program: Command,
  words: string[],
  { out }: { out?: string },
): Promise<void> {
  const commands = listCommands(program);
  const page = (command: CommandPage): string => manualPage(command, program.version() ?? '', today());
  if (out === undefined) {
    const name = ['proctor', ...words].join(' ');
    const commandPage = commands.find((command) => command.words.join(' ') === name);
    if (commandPage !== undefined) return write(page(commandPage));
    throw new Failure(`there is no command ${name}`, EXIT.usage, 'proctor --help shows all commands');
  }
  if (words.length > 0) throw new Failure('--out writes the pages of all commands: name none', EXIT.usage);
  await mkdir(out, { recursive: true });
  for (const command of commands) await writeFile(join(out, pageName(command)), page(command));
  printNotice(`${commands.length} pages written to ${out}`);
}

/** The date of the pages; `SOURCE_DATE_EPOCH` makes them reproducible. */
function today(): string {
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? NaN);
  return new Date(Number.isFinite(seconds) ? seconds * 1000 : Date.now()).toISOString().slice(0, 10);
}
