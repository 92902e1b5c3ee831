import { readFile } from "node:fs/promises";

/** A part of the address space, in bytes. */
export type Mapping = { start: bigint; bytes: bigint };

/** `MADV_DONTNEED` of madvise(2). */
const dontNeed = 4;

/**
 * Gives back memory that the C library keeps for later (malloc_trim(3)), and code and constants of programs and libraries
 * (madvise(2)): half of what the agent holds when it is ready. Pages that are used again come back from the kernel's cache
 * of their files. Where the system or this Node offers none of this (Linux with glibc and Node 26 do), the memory is kept.
 * Services have the same in their kit, which the agent does without.
 */
export async function releaseMemory(): Promise<void> {
  try {
    const { dlopen } = await import("node:ffi");
    const mappings = unwrittenMappings(await readFile("/proc/self/smaps", "utf8"));
    const { functions } = dlopen(null, {
      malloc_trim: { arguments: ["u64"], return: "i32" },
      madvise: { arguments: ["pointer", "u64", "i32"], return: "i32" },
    });
    functions.malloc_trim(0n);
    for (const { start, bytes } of mappings) functions.madvise(start, bytes, dontNeed);
  } catch {
    // No such module, file or function here.
  }
}

/**
 * The mappings of files that cannot be written to and never were: each of their pages is as its file has it. Others hold
 * addresses that the loader put in, which would be lost.
 *
 * @param smaps The text of /proc/<pid>/smaps.
 */
export function unwrittenMappings(smaps: string): Mapping[] {
  const found: Mapping[] = [];
  // Each mapping is a line of its addresses, rights and file, and below it lines of its figures.
  for (const text of smaps.split(/^(?=[\da-f]+-[\da-f]+ )/m)) {
    const [, start, end] = /^([\da-f]+)-([\da-f]+) r-[-x]p \S+ \S+ \S+ +\/.+$/m.exec(text) ?? [];
    if (start === undefined || end === undefined || !/^Anonymous: +0 kB$/m.test(text)) continue;
    const from = BigInt(`0x${start}`);
    found.push({ start: from, bytes: BigInt(`0x${end}`) - from });
  }
  return found;
}
