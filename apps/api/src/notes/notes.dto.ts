import {
  Field,
  OptionalField,
  text,
  sentAs,
  oneOf,
  listOf,
  words,
  RUN_ID,
  PACKAGE_NAME,
  whole,
  withExample,
  Description,
} from '@proctor/resources';
import {
  describe,
  IsArchitectureName,
  isPackageName,
  isStorable,
  IsStringThat,
  IsSuiteName,
  isWord,
  must,
  NOTE_SUBJECTS,
  type NoteSubject,
  Strict,
} from '@proctor/contracts';
import type { ApiConfiguration } from '../configuration.token';
import { badRequestAt } from '../http/problem';
import type { Parameter } from '../http/parameters';
import { idOf, validName, wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';

export const NOTES_PER_PAGE = 50;
const NOTES_PER_PAGE_MAX = 200;
const BUG_LENGTH_MAX = 300;

/** The fields of a note in a request. */
@Strict()
export class NoteRequest {
  @Field(text({ minLength: 1 }), 'Plain; the deployment limits it (`api.noteLengthMax`).')
  @From({ read: textOf, missing: 'it holds what the note says' })
  text: string;

  @OptionalField(
    sentAs<string[]>(oneOf(listOf(text()), text())),
    '`#123456`, or addresses with http or https; as a list, or separated by spaces.',
  )
  @From({ read: bugsOf })
  bugs?: string[];
}

@Description('On a failed run (`run_id`), or on a package, with `suite` and `arch` on a place.')
@Strict()
export class NewNoteRequest extends NoteRequest {
  @OptionalField(words(NOTE_SUBJECTS), 'What it is about; when it is left out on a run, `place`.')
  subject?: NoteSubject;

  @OptionalField(RUN_ID)
  @From({ read: idOf('a run') })
  run_id?: number;

  @OptionalField(
    PACKAGE_NAME,
    undefined,
    IsStringThat(isPackageName, must('be the name of a source package')),
  )
  package?: string;

  @OptionalField(text(), undefined, IsSuiteName())
  suite?: string;

  @OptionalField(text(), undefined, IsArchitectureName())
  arch?: string;
}

/** The query of `GET /api/v1/notes`. */
@Strict()
export class NotesQuery {
  @OptionalField(withExample(PACKAGE_NAME, 'hello'))
  @From({ read: validName('the name of a package', isPackageName) })
  package?: string;

  @OptionalField(text({ example: 'trixie' }))
  @From({ read: validName('the name of a suite', isWord) })
  suite?: string;

  @OptionalField(text({ example: 'armhf' }))
  @From({ read: validName('the name of an architecture', isWord) })
  arch?: string;

  @OptionalField(withExample(RUN_ID, 12), 'Only notes that say something of this run.')
  @From({ read: idOf('a run') })
  run_id?: number;

  @OptionalField(whole({ minimum: 1, example: 3 }), 'Only notes of lower ids.')
  @From({ read: idOf('a note') })
  before?: number;

  @OptionalField(whole({ minimum: 1, maximum: NOTES_PER_PAGE_MAX, default: NOTES_PER_PAGE, example: 50 }))
  @From({ read: wholeNumber(1, NOTES_PER_PAGE_MAX) })
  limit?: number;
}

function textOf(
  { value, pointer }: Parameter,
  name: string,
  { noteLengthMax }: ApiConfiguration['server'],
): string {
  const text = typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : '';
  if (text !== '' && text.length <= noteLengthMax && isStorable(text)) return text;
  throw badRequestAt(
    `${name} must be a text of 1 to ${noteLengthMax} characters, not ${describe(value)}.`,
    pointer,
  );
}

function bugsOf(
  { value, pointer }: Parameter,
  name: string,
  { noteBugsMax }: ApiConfiguration['server'],
): string[] {
  const items: unknown[] =
    typeof value === 'string'
      ? value.split(/[\s,]+/).filter((word) => word !== '')
      : Array.isArray(value)
        ? value
        : [value];
  if (items.length > noteBugsMax)
    throw badRequestAt(`${name} names ${items.length} bugs; a note may name ${noteBugsMax}.`, pointer);
  const bugs = items.map((bug) => {
    const bugId = typeof bug === 'string' ? bugOf(bug) : null;
    if (bugId !== null) return bugId;
    throw badRequestAt(
      `${name} must be numbers as #123456 or addresses with http or https, not ${describe(bug)}.`,
      pointer,
    );
  });
  return [...new Set(bugs)];
}

/** Accepts `#123456`, or an http or https address without a user; null for anything else. */
export function bugOf(text: string): string | null {
  const number = /^#?([1-9]\d{0,9})$/.exec(text)?.[1];
  if (number !== undefined) return `#${number}`;
  if (text.length > BUG_LENGTH_MAX || !/^https?:\/\/[^\s"'<>\\]+$/.test(text) || !URL.canParse(text))
    return null;
  const { protocol, username, password, href } = new URL(text);
  const isPlain = (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
  return isPlain && href.length <= BUG_LENGTH_MAX ? href : null;
}
