import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A source package that somebody asked a run of. */
@Entity('packages')
@Unique('packages_name_key', ['name'])
export class PackageRow {
  /** Negative while only private runs made it known, so that nobody can tell from the ids of others that it is there. */
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'BY DEFAULT' })
  packageId: number;

  @Column('text')
  name: string;

  /** Where its runs are executed when the request does not say; null: the deployment's default. */
  @Column('text', { nullable: true })
  backend: string | null;

  @Column('boolean', { default: false })
  removed: boolean;

  /** Whether a public run made it known. */
  @Column('boolean')
  isPublic: boolean;
}
