import type { Handlers } from "@sonde/kit/bus/rpc";
import { unzipLines, zipLines } from "@sonde/domain/managed/lines";
import type { ApplyPart, ConfigLine, ConfigOutcome } from "@sonde/proto/rpc/apply";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";

export const sourceHandlers: Pick<
  Handlers<typeof monitorsContract>,
  "beginApply" | "endApply" | "noteSource" | "listSources" | "countOwned" | "idsOfRefs" | "release"
> = {
  beginApply: async ({ source, monitors }) => ({
    generation: source === null ? 0 : 3,
    ids: Array.from({ length: monitors }, (_, at) => 100 + at),
  }),
  endApply: async () => ({}),
  noteSource: async () => ({}),
  listSources: async () => ({
    sources: [
      { name: "prod-git", generation: 2, appliedAt: "2026-02-01T00:00:00.000Z", appliedBy: "ugo", outcome: "applied" },
    ],
  }),
  idsOfRefs: async () => ({ ids: {} }),
  countOwned: async () => ({ owned: [{ source: "prod-git", kind: "monitor", count: 2 }], released: [] }),
  release: async () => ({ released: 1 }),
};

/** A service that creates all new entries of its part. Settings and the page always exist. */
export async function applyNew(
  { lines }: ApplyPart,
  idOf: (line: ConfigLine) => number | undefined = () => undefined,
): Promise<{ lines: string; writes: number }> {
  const entries = (await unzipLines(lines)).map((text) => JSON.parse(text) as ConfigLine);
  const outcomes = entries.map((line): ConfigOutcome => {
    const { kind, key } = line;
    const id = idOf(line);
    if (id !== undefined) return { kind, key, id, outcome: "same" };
    const isThere = kind === "settings" || kind === "notify" || kind === "page";
    return isThere
      ? { kind, key, outcome: "update", changes: [{ path: "x", from: 1, to: 2 }] }
      : { kind, key, outcome: "create" };
  });
  return { lines: await zipLines(outcomes), writes: outcomes.filter(({ outcome }) => outcome !== "same").length };
}
