import type { OwnershipTerm } from './ownership-term';

/** A service that runs for an architecture while this process owns it. */
export interface OwnedService {
  /** Rejects when the architecture cannot be served now. */
  start(term: OwnershipTerm): Promise<void>;
  /** Finishes what was started and stops serving it. */
  stop(term: OwnershipTerm): Promise<void>;
  /** Ownership is lost already: stops at once, without answers. */
  abandon(term: OwnershipTerm): void;
}

/** Several services that run in parallel. */
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
