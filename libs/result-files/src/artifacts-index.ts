import type { GzipBlock } from './block-gzip';
import { isInside, type TarMember } from './tar-members';
import { isCount, isRising, parseRecord } from './untrusted';

/** Listed members; further ones are only counted. */
export const MEMBERS_MAX = 10_000;
/** UTF-16 units of all listed paths together, so that the index stays within INDEX_BYTES_MAX. */
const PATHS_LENGTH_MAX = 300_000;

/** The index of an archive of artifacts: where each file is. */
export interface ArtifactsIndex {
  version: 1;
  /** Plain files in the order of the archive; the first MEMBERS_MAX. */
  members: TarMember[];
  membersTotal: number;
  /** Empty: the archive can be read only from its start. */
  blocks: GzipBlock[];
}

/** Builds an index from members and blocks. */
export class ArtifactsIndexer {
  private readonly members: TarMember[] = [];
  private readonly blocks: GzipBlock[] = [];
  private membersTotal = 0;
  private pathsLength = 0;

  addBlock(block: GzipBlock): void {
    this.blocks.push(block);
  }

  addMember(member: TarMember): void {
    this.membersTotal += 1;
    this.pathsLength += member.path.length;
    if (this.members.length < MEMBERS_MAX && this.pathsLength <= PATHS_LENGTH_MAX) this.members.push(member);
  }

  end(): ArtifactsIndex {
    const { members, membersTotal, blocks } = this;
    return { version: 1, members, membersTotal, blocks };
  }
}

/** An index as JSON. */
export function artifactsIndexText({ members, blocks, ...index }: ArtifactsIndex): string {
  return JSON.stringify({
    ...index,
    members: members.map(({ path, size, offset }) => [path, size, offset]),
    blocks: blocks.map(({ gzipOffset, offset }) => [gzipOffset, offset]),
  });
}

/** Null when the text is no index: workers write them. A valid index may still be wrong about the archive. */
export function parseArtifactsIndex(text: string): ArtifactsIndex | null {
  const record = parseRecord(text);
  if (!record || record['version'] !== 1) return null;
  const { members, membersTotal, blocks } = record;
  if (!isCount(membersTotal) || !Array.isArray(members) || !Array.isArray(blocks)) return null;
  if (members.length > MEMBERS_MAX) return null;
  const parsed = { members: members.map(memberOf), blocks: blocks.map(blockOf) };
  const index = { members: allOrNull(parsed.members), blocks: allOrNull(parsed.blocks) };
  if (!index.members || !index.blocks) return null;
  const offsets = index.blocks.map(({ offset }) => offset);
  if (!isRising(offsets, 0, Number.MAX_SAFE_INTEGER)) return null;
  return { version: 1, membersTotal, members: index.members, blocks: index.blocks };
}

function memberOf(value: unknown): TarMember | null {
  if (!Array.isArray(value)) return null;
  const [path, size, offset] = value as unknown[];
  const isPath = typeof path === 'string' && path.isWellFormed() && isInside(path);
  return isPath && isCount(size) && isCount(offset) ? { path, size, offset } : null;
}

function blockOf(value: unknown): GzipBlock | null {
  if (!Array.isArray(value)) return null;
  const [gzipOffset, offset] = value as unknown[];
  return isCount(gzipOffset) && isCount(offset) ? { gzipOffset, offset } : null;
}

function allOrNull<Item>(items: (Item | null)[]): Item[] | null {
  const valid = items.filter((item) => item !== null);
  return valid.length === items.length ? valid : null;
}
