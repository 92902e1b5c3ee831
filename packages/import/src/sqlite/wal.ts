const headerBytes = 32;
const frameHeaderBytes = 24;
const maxBytes = 256 * 1024 * 1024;

/**
 * Offsets of the newest version of each page (sqlite.org/fileformat2.html#walformat). Ignores uncommitted frames, and
 * those of an earlier round, which have another salt.
 */
export async function readWal(wal: Blob, pageBytes: number): Promise<Map<number, number>> {
  const pages = new Map<number, number>();
  if (wal.size < headerBytes || wal.size > maxBytes) return pages;
  const header = new DataView(await wal.slice(0, headerBytes).arrayBuffer());
  const isLog = (header.getUint32(0) & ~1) >>> 0 === 0x377f0682 && header.getUint32(8) === pageBytes;
  if (!isLog) return pages;
  const salt = header.getBigUint64(16);
  let uncommitted: [number, number][] = [];
  for (let at = headerBytes; at + frameHeaderBytes + pageBytes <= wal.size; at += frameHeaderBytes + pageBytes) {
    const frame = new DataView(await wal.slice(at, at + frameHeaderBytes).arrayBuffer());
    if (frame.getBigUint64(8) !== salt) break;
    uncommitted.push([frame.getUint32(0), at + frameHeaderBytes]);
    const isCommit = frame.getUint32(4) !== 0;
    if (!isCommit) continue;
    for (const [number, place] of uncommitted) pages.set(number, place);
    uncommitted = [];
  }
  return pages;
}
