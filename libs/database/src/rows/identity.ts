import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserRow } from './user';

/** Who a user is at a login provider. Names change there and are given to others; an issuer's subject is not. */
@Entity('identities')
export class IdentityRow {
  /** Address that the provider calls itself by. */
  @PrimaryColumn('text')
  issuer: string;

  @PrimaryColumn('text')
  subject: string;

  @Column('integer')
  @Index('identities_user')
  userId: number;

  @ManyToOne(() => UserRow)
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'identities_user_id_fkey' })
  user?: UserRow;

  @CreateDateColumn({ type: 'timestamp with time zone', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
