import { Argument, type Command } from 'commander';
import { type Shell, SHELLS } from './completion';

const print = () => import('./print-reference');

/** Adds the commands that document the commands. */
export function addReferenceCommands(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .description('print a script that completes commands in your shell')
    .addHelpText('after', '\nIn ~/.bashrc: source <(proctor completion bash)')
    .action(async (shell: Shell) => (await print()).printCompletion(program, shell));
  program
    .command('man')
    .argument('[command...]', 'such as run submit; proctor itself if it is left out')
    .description('print the manual page of a command; to read it: proctor man | man -l -')
    .option('--out <folder>', 'write the pages of all commands into this folder')
    .action(async (words: string[], options: { out?: string }) =>
      (await print()).printManual(program, words, options),
    );
}
