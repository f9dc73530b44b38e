// Only a part of the package is imported: all of it would take three times as long to load as this library, in every
// process with a bus.
import { Header } from 'tar/header';
import { Pax } from 'tar/pax';

/** A plain file of a tar archive. */
export interface TarMember {
  /** Without a leading `./`, otherwise unchanged; see isInside. */
  path: string;
  /** Bytes. */
  size: number;
  /** Byte of the archive where its content starts. */
  offset: number;
}

const RECORD_BYTES = 512;
/** Length of a header that continues in a block of its own, for example for a long name. */
const LONG_HEADER_BYTES_MAX = 64 * 1024;
const LONG_HEADERS = ['ExtendedHeader', 'OldExtendedHeader', 'NextFileHasLongPath'];
const PLAIN = ['File', 'OldFile', 'ContiguousFile'];

/** Whether a path is inside the archive's own folder, and leads to one place only. */
export function isInside(path: string): boolean {
  const parts = path.split('/');
  return !parts.some((part) => part === '' || part === '.' || part === '..') && !/[\0\\]/.test(path);
}

/**
 * Reads a tar archive once, piece by piece, and reports its plain files. Links, folders and names that lead out of the
 * archive are skipped. Invalid content ends the reading; the members before it count.
 */
export class TarMembers {
  private pending: Buffer = Buffer.alloc(0);
  private offset = 0;
  /** Bytes of content to skip. */
  private skip = 0;
  private longHeader: { type: string; size: number } | null = null;
  private nextPath: string | null = null;
  private nextSize: number | null = null;
  private isOver = false;

  constructor(private readonly onMember: (member: TarMember) => void) {}

  add(chunk: Buffer): void {
    if (this.isOver) return;
    let rest = chunk;
    if (this.pending.length === 0 && this.skip >= rest.length) {
      this.skip -= rest.length;
      this.offset += rest.length;
      return;
    }
    rest = this.pending.length === 0 ? rest : Buffer.concat([this.pending, rest]);
    this.pending = Buffer.from(this.read(rest));
  }

  /** @returns the rest, which is too short to read yet */
  private read(bytes: Buffer): Buffer {
    let rest = bytes;
    const take = (length: number): Buffer => {
      const part = rest.subarray(0, length);
      rest = rest.subarray(length);
      this.offset += part.length;
      return part;
    };
    while (!this.isOver && rest.length > 0) {
      if (this.skip > 0) {
        this.skip -= take(Math.min(this.skip, rest.length)).length;
      } else if (this.longHeader) {
        const { size } = this.longHeader;
        if (rest.length < paddedSize(size)) break;
        this.readLongHeader(take(paddedSize(size)).subarray(0, size), this.longHeader.type);
      } else {
        if (rest.length < RECORD_BYTES) break;
        this.readHeader(take(RECORD_BYTES));
      }
    }
    return this.isOver ? Buffer.alloc(0) : rest;
  }

  private readHeader(record: Buffer): void {
    const header = new Header(record);
    if (!header.cksumValid) {
      // Two empty records end an archive.
      this.isOver = true;
      return;
    }
    const size = Math.max(0, this.nextSize ?? header.size ?? 0);
    if (!Number.isSafeInteger(size)) {
      this.isOver = true;
    } else if (LONG_HEADERS.includes(header.type) && size <= LONG_HEADER_BYTES_MAX) {
      this.longHeader = { type: header.type, size };
    } else {
      const isPlain = PLAIN.includes(header.type);
      if (isPlain) this.reportMember(this.nextPath ?? header.path ?? '', size);
      // The size of a link or a folder has no meaning: no content follows.
      this.skip =
        isPlain || LONG_HEADERS.includes(header.type) || isGlobal(header.type) ? paddedSize(size) : 0;
      this.nextPath = null;
      this.nextSize = null;
    }
  }

  private readLongHeader(content: Buffer, type: string): void {
    this.longHeader = null;
    if (type === 'NextFileHasLongPath') {
      this.nextPath = content.toString('utf8').replace(/\0[^]*/, '');
      return;
    }
    const { path, size } = Pax.parse(content.toString('utf8'));
    if (path !== undefined) this.nextPath = path;
    if (size !== undefined) this.nextSize = size;
  }

  private reportMember(path: string, size: number): void {
    const name = path.replace(/^(\.\/+)+/, '');
    if (isInside(name)) this.onMember({ path: name, size, offset: this.offset });
  }
}

function isGlobal(type: string): boolean {
  return type === 'GlobalExtendedHeader' || type === 'NextFileHasLongLinkpath';
}

function paddedSize(size: number): number {
  return Math.ceil(size / RECORD_BYTES) * RECORD_BYTES;
}
