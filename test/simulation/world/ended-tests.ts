import { grantName, type Grant } from '@proctor/contracts';

interface EndedTest {
  incarnation: string;
  /** Its verdict is on a disk. */
  isKept: boolean;
  /** Its files are being packed, or were. */
  isPacked: boolean;
}

/** Tests that have ended. A dispatcher must get the verdict of each, unless its worker died before it was on disk. */
export class EndedTests {
  private readonly tests = new Map<string, EndedTest>();

  ended(grant: Grant, incarnation: string): void {
    this.tests.set(nameOf(grant), { incarnation, isKept: false, isPacked: false });
  }

  kept(grant: Grant): void {
    const test = this.tests.get(nameOf(grant));
    if (test) test.isKept = true;
  }

  packed(grant: Grant): void {
    const test = this.tests.get(nameOf(grant));
    if (test) test.isPacked = true;
  }

  /** Whether a test has ended in this life whose result is packed and has no answer. */
  arePackedIn(incarnation: string): boolean {
    return [...this.tests.values()].some((test) => test.isPacked && test.incarnation === incarnation);
  }

  answered(grant: Grant): void {
    this.tests.delete(nameOf(grant));
  }

  /** @param isDiskLost nothing of this life comes back */
  lifeEnded(incarnation: string, isDiskLost: boolean): void {
    for (const [name, test] of this.tests)
      if (test.incarnation === incarnation && (isDiskLost || !test.isKept)) this.tests.delete(name);
  }

  isKept(grant: Grant): boolean {
    return this.tests.get(nameOf(grant))?.isKept !== false;
  }

  /** Names of the grants whose verdicts reached no dispatcher. */
  get undelivered(): string[] {
    return [...this.tests.keys()];
  }
}

function nameOf(grant: Grant): string {
  return grantName(grant, '/');
}
