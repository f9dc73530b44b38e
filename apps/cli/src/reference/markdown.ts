import { SHARED_SECTIONS, type CommandPage } from './tree';

/** The text of docs/command-line.md: what is common to all commands, then each command. */
export function commandLinePage(commands: CommandPage[]): string {
  return [
    '# The command line',
    '<!-- Generated from the commands by `npm run command-line`: changes by hand are lost. -->',
    'Type `npx proctor …` in the folder of the project. `proctor completion bash` (`zsh`, `fish`) prints a script that completes' +
      ' commands; `proctor man --out FOLDER` writes a manual page for each command.',
    ...SHARED_SECTIONS.flatMap(({ heading, terms }) => [`## ${heading}`, list(terms)]),
    '## Commands',
    ...commands.filter(({ subcommands }) => subcommands.length === 0).flatMap(ofCommand),
  ]
    .map((block) => `${block}\n`)
    .join('\n');
}

function ofCommand({ words, description, usage, args, options }: CommandPage): string[] {
  const terms = [
    ...args.map(({ name, description: text }): [string, string] => [name, text]),
    ...options.map(({ flags, description: text }): [string, string] => [flags, text]),
  ].filter(([what, text]) => text !== '' && !what.includes('--help'));
  const typed = ['```', `${words.join(' ')} ${usage}`, '```'].join('\n');
  return [`### ${words.join(' ')}`, sentence(description), typed, ...(terms.length > 0 ? [list(terms)] : [])];
}

function list(terms: [string, string][]): string {
  return terms.map(([what, text]) => `- \`${what}\`: ${text.replaceAll('*', '\\*')}`).join('\n');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
