import { NOTE_SUBJECTS, type NoteSubject } from '@proctor/contracts';
import { Field } from './field';
import { listOf, orNull, text, whole, words } from './schema';
import { PACKAGE_NAME, RUN_ID, TIME } from './values';

export class NoteResource {
  @Field(whole({ minimum: 1 }))
  note_id: number;

  @Field(words(NOTE_SUBJECTS))
  subject: NoteSubject;

  @Field(PACKAGE_NAME)
  package: string;

  @Field(orNull(text()))
  suite: string | null;

  @Field(orNull(text()))
  arch: string | null;

  @Field(text())
  text: string;

  @Field(listOf(text()))
  bugs: string[];

  @Field(text())
  author: string;

  @Field(
    orNull(RUN_ID),
    'The failed run on which it was written; null for one that holds until it is removed.',
  )
  run_id: number | null;

  @Field(orNull(text()), 'The signature of the first error of that run.')
  signature: string | null;

  @Field(listOf(text()))
  failing_tests: string[];

  @Field(TIME)
  written_at: string;

  @Field(orNull(TIME))
  changed_at: string | null;

  @Field(orNull(TIME), 'When the test passed again.')
  withdrawn_at: string | null;
}

export class NoteList {
  @Field(listOf(NoteResource))
  notes: NoteResource[];

  @Field(orNull(whole({ minimum: 1 })))
  before: number | null;
}
