import { OptionalField, flag, listOf, PACKAGE_NAME, sentAs, text, words } from '@proctor/resources';
import { describe, END_KINDS, FACT_KINDS, isPackageName, isWord, Strict, VERDICTS } from '@proctor/contracts';
import type { FactKind, Verdict } from '@proctor/contracts';
import type { Parameter } from '../http/parameters';
import { badRequestAt } from '../http/problem';
import { itemsOf, validName, someOf } from '../http/parameter-values';
import { From } from '../http/shape';
import { statusesOf } from '../runs/run-list.dto';

const NAMES_MAX = 100;
const NAME_LENGTH_MAX = 200;

export const packagesOf = namesOf('names of packages', isPackageName);

/** The events that a client wants. A list is an array in JSON, or names separated by commas. */
@Strict()
export class EventFilterQuery {
  @OptionalField(
    listOf(PACKAGE_NAME, { example: ['hello', 'figlet'] }),
    'Names of packages. An event matches if it matches one entry of each list.',
  )
  @From({ read: packagesOf })
  package?: string[];

  @OptionalField(listOf(text()), 'Names of suites.')
  @From({ read: namesOf('names of suites', isWord) })
  suite?: string[];

  @OptionalField(listOf(text()), 'Names of architectures.')
  @From({ read: namesOf('names of architectures', isWord) })
  arch?: string[];

  @OptionalField(
    text({ maxLength: 1000, example: 'glibc/2.40-4' }),
    'Words separated by spaces; the trigger must contain all of them.',
  )
  @From({ read: validName('a trigger', (text) => text !== '') })
  trigger?: string;

  @OptionalField(listOf(words(FACT_KINDS), { example: END_KINDS }), 'Kinds of events.')
  @From({ read: someOf(FACT_KINDS) })
  kinds?: FactKind[];

  @OptionalField(
    listOf(words(VERDICTS), { example: ['fail', 'tmpfail'] }),
    'How the run ended. Events that do not end a run never match. `pass` also matches `neutral` if the deployment shows `neutral` as `pass`. `fail` does not match `absent`.',
  )
  @From({ read: statusesOf })
  status?: Verdict[];
}

/** The query of `GET /api/v1/events`. */
@Strict()
export class EventsQuery extends EventFilterQuery {
  @OptionalField(flag({ default: false }), 'Only events of runs of this key.')
  mine?: boolean;

  @OptionalField(
    sentAs<number>(text()),
    'The id of the last received event, for clients that cannot set the header `Last-Event-ID`; or a UNIX time in seconds.',
  )
  @From({ read: ({ value, pointer }: Parameter, name: string) => cursorOf(String(value), name, pointer) })
  since?: number;
}

/**
 * Returns the UNIX time in seconds with which the id of an event begins; such a time alone is valid, too.
 * @throws Problem 400 for any other text
 */
export function cursorOf(text: string, name: string, pointer: string | null = null): number {
  const second = /^(\d{1,11})(\.[\d.]{1,40})?$/.exec(text)?.[1];
  if (second !== undefined) return Number(second);
  throw badRequestAt(
    `${name} must be the id of an event or a UNIX time in seconds, not ${describe(text)}.`,
    pointer,
  );
}

function namesOf(what: string, isName: (text: string) => boolean) {
  return ({ value, pointer }: Parameter, name: string): string[] => {
    const names = itemsOf(value);
    if (names.length > NAMES_MAX)
      throw badRequestAt(`${name} has ${names.length} entries; there may be ${NAMES_MAX}.`, pointer);
    for (const each of names) {
      if (typeof each !== 'string' || each.length > NAME_LENGTH_MAX || !isName(each))
        throw badRequestAt(`${name} must be ${what}, not ${describe(each)}.`, pointer);
    }
    return [...new Set(names as string[])];
  };
}
