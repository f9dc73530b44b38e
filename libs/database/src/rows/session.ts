import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { SqlIndex } from './decorators';

/** A browser's session; its columns have the names that connect-pg-simple wants. */
@Entity('sessions')
@Index('sessions_expire', ['expire'])
@SqlIndex('sessions_user', `((sess ->> 'userId'))`)
export class SessionRow {
  /** SHA-256 of its id, which the browser alone knows. */
  @PrimaryColumn('text')
  sid: string;

  @Column('json')
  sess: unknown;

  @Column('timestamp with time zone', { precision: 3 })
  expire: Date;
}

/** By which cookies are signed, so that a made-up one costs no look into the database. The table has one row. */
@Entity('session_secrets')
export class SessionSecretRow {
  @PrimaryColumn('text')
  secret: string;
}
