/**
 * Rendezvous hashing (Thaler and Ravishankar, 1996): every member scores every shard and the highest score owns it.
 * When a member joins or leaves, only its own shards move.
 */

/** What is shared out: an id or a name; 7 and "7" are the same shard. */
export type Shard = string | number;

/** FNV-1a, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/** The finalizer of MurmurHash3: every input bit reaches every output bit. */
function scramble(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** How much a member wants a shard; both as `hashText` gave them. */
export function scoreOf(memberHash: number, shardHash: number): number {
  return scramble(Math.imul(scramble(memberHash) ^ shardHash, 0x9e3779b1));
}

/** Whether `left` wins the shard over `right`; a tie is won by the lesser id, so that all agree. */
export function wins(left: string, right: string, shard: Shard): boolean {
  const shardHash = hashText(String(shard));
  const leftScore = scoreOf(hashText(left), shardHash);
  const rightScore = scoreOf(hashText(right), shardHash);
  return leftScore === rightScore ? left < right : leftScore > rightScore;
}

/** The number of remembered owners after which the memory is cleared, since old shards may no longer exist. */
const rememberedShards = 200_000;

/** Returns the owner of a shard among fixed members, and remembers it; null when there is no member. */
export function ownersAmong(members: readonly string[]): (shard: Shard) => string | null {
  const candidates = [...members].sort().map((id) => ({ id, hash: hashText(id) }));
  const known = new Map<Shard, string | null>();
  return (shard) => {
    let owner = known.get(shard);
    if (owner !== undefined) return owner;
    const shardHash = hashText(String(shard));
    let best = -1;
    owner = null;
    for (const { id, hash } of candidates) {
      const score = scoreOf(hash, shardHash);
      if (score > best) {
        best = score;
        owner = id;
      }
    }
    if (known.size >= rememberedShards) known.clear();
    known.set(shard, owner);
    return owner;
  };
}
