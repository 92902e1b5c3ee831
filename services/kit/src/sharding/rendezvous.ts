/**
 * Rendezvous hashing (Thaler and Ravishankar, 1996): the member with the highest score owns a shard. When a member
 * joins or leaves, only its own shards move.
 */

/** An id or a name; 7 and "7" are the same shard. */
export type Shard = string | number;

export function ownersAmong(members: readonly string[]): (shard: Shard) => string | null {
  const hashes = members.map((id) => [id, hashText(id)] as const);
  return (shard) => {
    const shardHash = hashText(String(shard));
    let owner: string | null = null;
    let best = -1;
    for (const [id, hash] of hashes) {
      const score = scoreOf(hash, shardHash);
      // All members must agree on a tie.
      if (score < best || (score === best && owner !== null && owner < id)) continue;
      [owner, best] = [id, score];
    }
    return owner;
  };
}

export const wins = (left: string, right: string, shard: Shard): boolean => ownersAmong([left, right])(shard) === left;

const scoreOf = (memberHash: number, shardHash: number): number =>
  scramble(Math.imul(scramble(memberHash) ^ shardHash, 0x9e3779b1));

/** FNV-1a, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/** Finalizer of MurmurHash3: every input bit affects every output bit. */
function scramble(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
