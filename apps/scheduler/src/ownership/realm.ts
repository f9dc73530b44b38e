import type { Tenure } from './tenure';

/** What an owner does with an architecture. */
export interface Realm {
  /** Rejects when the architecture cannot be served now. */
  begin(tenure: Tenure): Promise<void>;
  /** Finishes what is begun and serves it no more. */
  end(tenure: Tenure): Promise<void>;
  /** Ownership is lost already: stops at once and answers nothing more. */
  abandon(tenure: Tenure): void;
}

/** Several things that an owner does, side by side. */
export class Realms implements Realm {
  private readonly parts: Realm[];

  constructor(...parts: Realm[]) {
    this.parts = parts;
  }

  async begin(tenure: Tenure): Promise<void> {
    await Promise.all(this.parts.map((part) => part.begin(tenure)));
  }

  async end(tenure: Tenure): Promise<void> {
    await Promise.all(this.parts.map((part) => part.end(tenure)));
  }

  abandon(tenure: Tenure): void {
    for (const part of this.parts) part.abandon(tenure);
  }
}
