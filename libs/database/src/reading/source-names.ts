import { Injectable } from '@nestjs/common';
import { upsert } from '../kit/columns-of';
import { Database } from '../kit/database';
import { bytea, double, statement, text } from '../kit/statement';
import { SourceNamesRow } from '../rows/package';

/** The place where packages are searched. */
interface SourceNamesPlace {
  suite: string;
  arch: string;
}

/** A list that a worker offers. */
interface OfferedSourceNames extends SourceNamesPlace {
  worker: string;
  /** SHA-256 of the saved form of the list, lower-case hex. */
  sha256: string;
  /** The time since the archive was last seen with these packages; milliseconds. */
  ageMs: number;
}

export interface KnownSourceNames extends SourceNamesPlace {
  /** The SHA-256 of the list; equal lists have the same. */
  sha256: string;
  /** The time since the archive was last seen with these packages, by PostgreSQL's clock; milliseconds. */
  ageMs: number;
}

/** The packages that each suite has on each architecture: the newest list that a worker of the architecture has sent. */
@Injectable()
export class SourceNames {
  constructor(private readonly database: Database) {}

  /** Updates the age of a list if exactly this list is saved. @returns false if it is not */
  async confirm(offered: OfferedSourceNames): Promise<boolean> {
    return (await this.database.query(CONFIRM, parametersOf(offered))).length > 0;
  }

  /**
   * Saves the list instead of an older one.
   * @param content matches `sha256`
   * @returns false if a newer list is saved, or the worker does not belong to the architecture
   */
  async saveNames(offered: OfferedSourceNames, content: Buffer): Promise<boolean> {
    return (await this.database.query(KEEP, [...parametersOf(offered), content])).length > 0;
  }

  /** The saved lists, without their contents. */
  listSaved(): Promise<KnownSourceNames[]> {
    return this.database.query(KNOWN);
  }

  /** The content of a list as it was sent; null if another list was saved meanwhile. */
  async content({ suite, arch }: SourceNamesPlace, sha256: string): Promise<Buffer | null> {
    const [row] = await this.database.query(CONTENT, [suite, arch, sha256]);
    return row?.content ?? null;
  }
}

function parametersOf({ suite, arch, worker, sha256, ageMs }: OfferedSourceNames): unknown[] {
  return [suite, arch, worker, sha256, ageMs];
}

const AT = `now() - $5::double precision * interval '1 millisecond'`;

/** The credentials of a worker may be valid a moment longer than its registration. */
const IS_OF_ARCHITECTURE = `exists (
    select from workers w where w.name = $3 and w.revoked_at is null and $2 = any(w.architectures))`;

/** A row that was updated less than a minute before stays as it is. */
const CONFIRM = statement(
  { suite: text },
  `
  with known as (
    select s.suite, s.arch from source_names s
    where s.suite = $1 and s.arch = $2 and s.digest = decode($4, 'hex') and ${IS_OF_ARCHITECTURE}
  ), touched as (
    update source_names s set at = ${AT}, worker = $3 from known
    where s.suite = known.suite and s.arch = known.arch and s.at < ${AT} - interval '1 minute'
  )
  select suite from known`,
);

const KEEP = statement(
  { suite: text },
  `
  insert into source_names as s (suite, arch, worker, digest, content, at)
  select $1, $2, $3, decode($4, 'hex'), $6::bytea, ${AT} where ${IS_OF_ARCHITECTURE}
  ${upsert(SourceNamesRow)}
    where s.at <= excluded.at
  returning s.suite`,
);

const AGE = `extract(epoch from now() - least(s.at)) * 1000`;

const KNOWN = statement(
  { suite: text, arch: text, sha256: text, ageMs: double },
  `
  select s.suite, s.arch, encode(least(s.digest), 'hex') as sha256, greatest(0, ${AGE})::double precision as "ageMs"
  from source_names s order by s.suite, s.arch`,
);

const CONTENT = statement(
  { content: bytea },
  `select s.content from source_names s where s.suite = $1 and s.arch = $2 and s.digest = decode($3, 'hex')`,
);
