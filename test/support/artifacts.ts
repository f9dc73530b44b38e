import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArtifactsIndexer, artifactsIndexText, blockGzip, TarMembers } from '@proctor/result-files';
import { create } from 'tar';

/** Files packed as a worker packs artifacts, by their names. */
export async function packedArtifacts(
  files: Record<string, string>,
): Promise<{ archive: Buffer; index: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-artifacts-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const indexer = new ArtifactsIndexer();
    const members = new TarMembers((member) => indexer.addMember(member));
    const parts: Buffer[] = [];
    const names = Object.keys(files).map((name) => `./${name}`);
    for await (const part of blockGzip(create({ cwd: folder, portable: true }, names), (bytes, block) => {
      if (block) indexer.addBlock(block);
      members.add(bytes);
    }))
      parts.push(part);
    return { archive: Buffer.concat(parts), index: Buffer.from(artifactsIndexText(indexer.end())) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A list of packages as autopkgtest writes it. */
export function packageLines(packages: Record<string, string>): string {
  return Object.entries(packages)
    .map(([name, version]) => `${name}\t${version}\n`)
    .join('');
}
