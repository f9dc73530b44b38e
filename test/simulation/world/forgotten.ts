import { grantName, type Grant } from '@proctor/contracts';
import type { AttemptRow, MemoryBooks } from '../memory-books';

/** What the database has forgotten since it was restored to an earlier moment. */
export class Forgotten {
  private readonly grants = new Set<string>();
  private readonly ends = new Set<string>();
  /** Grants whose ends were forgotten, and are known again since a restore to a moment before that. */
  private readonly endsKnownAgain = new Set<string>();

  /** @param bringBack restores the books */
  restore(books: MemoryBooks, bringBack: () => void): void {
    const before = attemptsOf(books);
    bringBack();
    const after = attemptsOf(books);
    for (const [name, { outcome }] of before) {
      const end = after.get(name);
      if (!end) this.grants.add(name);
      else if (outcome !== null && end.outcome === null) this.ends.add(name);
    }
    for (const [name, { outcome }] of after) {
      const wasForgotten = this.ends.has(name) || this.grants.has(name);
      const isNews = outcome !== null && outcome !== before.get(name)?.outcome;
      if (wasForgotten && isNews) this.endsKnownAgain.add(name);
      else if (outcome === null) this.endsKnownAgain.delete(name);
    }
  }

  /** No row says that it was granted. */
  hasGrant(grant: Grant): boolean {
    return this.grants.has(grantName(grant, '/'));
  }

  /** It had ended, and is executed once more as far as the rows know. */
  hasEndOf(grant: Grant): boolean {
    return this.hasGrant(grant) || this.ends.has(grantName(grant, '/'));
  }

  /** Its files may have been removed while the rows did not know that it had ended: the store is not restored. */
  mayLackFiles(grant: Grant): boolean {
    return this.endsKnownAgain.has(grantName(grant, '/'));
  }
}

function attemptsOf(books: MemoryBooks): Map<string, AttemptRow> {
  const namedAttempts = books
    .all()
    .flatMap(({ runId, attempts }) =>
      attempts.map(
        (row) =>
          [grantName({ runId, attempt: row.attempt, grantEpoch: row.epoch }, '/'), { ...row }] as const,
      ),
    );
  return new Map(namedAttempts);
}
