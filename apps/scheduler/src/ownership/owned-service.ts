import type { OwnershipTerm } from './ownership-term';

/** What an owner does with an architecture. */
export interface OwnedService {
  /** Rejects when the architecture cannot be served now. */
  start(term: OwnershipTerm): Promise<void>;
  /** Finishes what is begun and serves it no more. */
  stop(term: OwnershipTerm): Promise<void>;
  /** Ownership is lost already: stops at once and answers nothing more. */
  abandon(term: OwnershipTerm): void;
}

/** Several things that an owner does, side by side. */
export class OwnedServices implements OwnedService {
  private readonly parts: OwnedService[];

  constructor(...parts: OwnedService[]) {
    this.parts = parts;
  }

  async start(term: OwnershipTerm): Promise<void> {
    await Promise.all(this.parts.map((part) => part.start(term)));
  }

  async stop(term: OwnershipTerm): Promise<void> {
    await Promise.all(this.parts.map((part) => part.stop(term)));
  }

  abandon(term: OwnershipTerm): void {
    for (const part of this.parts) part.abandon(term);
  }
}
