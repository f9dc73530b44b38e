import { EXPLANATION_LENGTH_MAX, oneLine, type CanaryResult, type CanaryTest } from '@proctor/contracts';
import type { CanaryEnd } from './ports';
import type { SlotParts } from './slot-parts';

/** A slot's canary tests: the running one, and the results that their dispatchers have not answered yet. */
export class Canaries {
  private readonly results = new Map<string, CanaryResult>();
  private readonly abort = new AbortController();

  constructor(private readonly parts: Pick<SlotParts, 'canaries' | 'log'>) {}

  /** Resolves when the test has ended in any way; never rejects. */
  async execute(test: CanaryTest): Promise<void> {
    const { log } = this.parts;
    const { canary, suite, arch, backend } = test;
    log.log(`canary test ${canary} on ${suite}/${arch} (${backend}) begins`);
    const end = await this.runTest(test);
    if (this.abort.signal.aborted) return;
    const message = oneLine(end.message, EXPLANATION_LENGTH_MAX);
    log.log(`canary test ${canary}: ${end.passed ? 'passed' : 'failed'} (${message})`);
    this.results.set(arch, { canary, passed: end.passed, message });
  }

  /** The result to send with the next request to this architecture. */
  resultFor(arch: string): CanaryResult | undefined {
    return this.results.get(arch);
  }

  /** The dispatcher has answered a request, which had the result if there was one. */
  onAnswer(arch: string): void {
    this.results.delete(arch);
  }

  stop(reason: string): void {
    this.abort.abort(new Error(reason));
  }

  private async runTest(test: CanaryTest): Promise<CanaryEnd> {
    try {
      return await this.parts.canaries.execute(test, this.abort.signal);
    } catch (error) {
      return { passed: false, message: error instanceof Error ? error.message : String(error) };
    }
  }
}
