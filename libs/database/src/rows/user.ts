import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A person or service that may request runs, once there is a key. */
@Entity('users')
@Unique('users_name_key', ['name'])
export class UserRow {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  userId: number;

  @Column('text')
  name: string;

  @Column('boolean')
  isAdmin: boolean;

  /** As `hashPassword` writes it; null: no password, only keys. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  @CreateDateColumn({ type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** Neither password nor keys nor a login provider let them in. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  disabledAt: Date | null;

  /** Gone: the row is kept for their runs, and so that nobody else gets their name. */
  @Column('timestamp with time zone', { precision: 3, nullable: true })
  removedAt: Date | null;
}
