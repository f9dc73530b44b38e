import { NOTE_SUBJECTS, type NoteSubject } from '@proctor/contracts';
import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { UserRow } from './user';
import { isOneOf, SqlIndex } from './decorators';

/** A note of a user about failures, for other users. */
@Entity('notes')
@Check('notes_subject_check', isOneOf('subject', NOTE_SUBJECTS))
@Check('notes_place_check', `(suite is null) = (arch is null) and (subject <> 'place' or suite is not null)`)
@Check('notes_error_check', `subject <> 'error' or signature is not null`)
@Index('notes_package', ['package', 'noteId'])
@Index('notes_author', ['authorId', 'package'])
@SqlIndex('notes_error', `(signature, note_id) where subject = 'error'`)
export class NoteRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  noteId: number;

  @Column('text')
  subject: NoteSubject;

  @Column('text')
  package: string;

  /** The suite of the place, or of the run on which the note was written. */
  @Column('text', { nullable: true })
  suite: string | null;

  @Column('text', { nullable: true })
  arch: string | null;

  @Column('text')
  body: string;

  /** Bugs: `#123456`, or addresses. */
  @Column('text', { array: true })
  bugs: string[];

  @Column('integer')
  authorId: number;

  @ManyToOne(() => UserRow)
  @JoinColumn({ name: 'author_id', foreignKeyConstraintName: 'notes_author_id_fkey' })
  author?: UserRow;

  /** The failed run on which the note was written: the note applies while other runs fail like it. */
  @Column('bigint', { nullable: true })
  runId: number | null;

  /** Whether the run was private at that time. */
  @Column('boolean')
  wasPrivate: boolean;

  /** The signature of the first error of the run. */
  @Column('text', { nullable: true })
  signature: string | null;

  /** The tests that failed in the run. */
  @Column('text', { array: true })
  failingTests: string[];

  @Column('timestamp with time zone', { precision: 3 })
  writtenAt: Date;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  changedAt: Date | null;

  @Column('timestamp with time zone', { precision: 3, nullable: true })
  removedAt: Date | null;
}
