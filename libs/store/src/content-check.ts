import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { StoreMismatch, type ExpectedContent } from './result-store';

/**
 * Passes content on, and fails with StoreMismatch as soon as it differs from what was expected, at the latest at its
 * end.
 */
export class ContentCheck extends Transform {
  private readonly hash = createHash('sha256');
  private size = 0;

  constructor(
    private readonly name: string,
    private readonly expected: ExpectedContent,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.size += chunk.length;
    this.hash.update(chunk);
    if (this.size > this.expected.size) callback(this.mismatch(`more than ${this.expected.size} bytes came`));
    else callback(null, chunk);
  }

  override _flush(callback: TransformCallback): void {
    const { size, sha256 } = this.expected;
    const digest = this.hash.digest('hex');
    if (this.size !== size) callback(this.mismatch(`${this.size} of ${size} bytes came`));
    else if (digest !== sha256) callback(this.mismatch(`its SHA-256 is ${digest} and should be ${sha256}`));
    else callback();
  }

  private mismatch(what: string): StoreMismatch {
    return new StoreMismatch(`${this.name}: ${what}`);
  }
}
