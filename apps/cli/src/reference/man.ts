import { SHARED_SECTIONS, type CommandPage } from './tree';

const SECTION = 1;

/** The file name of a command's page. */
export function pageName({ words }: Pick<CommandPage, 'words'>): string {
  return `${words.join('-')}.${SECTION}`;
}

/**
 * The manual page of one command, for man(7).
 * @param version name and number of the program
 * @param date of the page: 2026-11-20
 */
export function manualPage(command: CommandPage, version: string, date: string): string {
  const { words, description, usage, args, options, subcommands } = command;
  const name = words.join('-');
  const above = words.length > 1 ? [words.slice(0, -1).join('-')] : [];
  const below = subcommands.map((each) => `${name}-${each.name}`);
  return [
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} ${SECTION} ${date} "${version}" "User Commands"`,
    section('Name', [`${escaped(name)} \\- ${escaped(description)}`]),
    section('Synopsis', [`.B ${escaped(words.join(' '))}`, escaped(usage)]),
    section(
      'Arguments',
      args.flatMap((each) => term(each.name, each.description)),
    ),
    section(
      'Commands',
      subcommands.flatMap((each) => term(each.name, each.description)),
    ),
    section(
      'Options',
      options.flatMap((each) => term(each.flags, each.description)),
    ),
    ...SHARED_SECTIONS.map(({ heading, terms }) =>
      section(
        heading,
        terms.flatMap(([what, text]) => term(what, text)),
      ),
    ),
    section('See also', seeAlso([...above, ...below])),
  ]
    .filter((text) => text !== '')
    .map((text) => `${text}\n`)
    .join('');
}

function section(heading: string, lines: string[]): string {
  return lines.length === 0 ? '' : [`.SH ${heading.toUpperCase()}`, ...lines].join('\n');
}

/** A term with its explanation below. */
function term(what: string, text: string): string[] {
  return ['.TP', `.B ${escaped(what)}`, text === '' ? '\\&' : escaped(text)];
}

function seeAlso(names: string[]): string[] {
  return names.map((name, index) => {
    const end = index < names.length - 1 ? ',' : '';
    return `.BR ${escaped(name)} (${SECTION})${end}`;
  });
}

/** Escapes a text so that roff finds no command in it, and a hyphen stays a hyphen. */
function escaped(text: string): string {
  const plain = text
    .replaceAll('`', '')
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq');
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
