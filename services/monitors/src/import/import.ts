import { record } from "@sonde/kit/audit";
import { AppError, invalid } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { setImmediate as otherWork } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { Context } from "../context.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { readDefinition } from "./check.ts";
import { type ImportedMonitor, insertImported, reserveIds, takenIds } from "./store.ts";

/** As many rows as one statement writes. */
const chunkRows = 100;
const mostAtOnce = 10_000;
/** More than the gateway takes as an import: what it makes of one is hardly larger. */
const mostBytes = 32 * 1024 * 1024;
const unzip = promisify(brotliDecompress);

/** @throws AppError invalid */
export async function reserveMonitorIds(ctx: Context, { count }: { count: number }): Promise<{ ids: number[] }> {
  if (count > mostAtOnce) throw tooMany();
  return { ids: await orUnavailable(() => reserveIds(ctx.db, count)) };
}

/**
 * Creates the monitors of an import, all of them in one transaction or none. Their first checks run after the commit.
 * @param signal aborts when the caller has stopped waiting
 * @throws AppError conflict if an id is taken; invalid, impossible, too_large as createMonitor does
 */
export async function importMonitors(
  ctx: Context,
  { zippedLines, ids, lines }: { zippedLines: string; ids: number[]; lines: number[] },
  signal: AbortSignal,
): Promise<void> {
  if (lines.length > mostAtOnce) throw tooMany();
  await ctx.locations.settled();
  const texts = await unzipLines(zippedLines);
  const imported: ImportedMonitor[] = [];
  for (const line of lines) {
    const [id, text] = [ids[line - 1], texts[line - 1]];
    if (!id || text === undefined) throw invalid([{ path: `lines.${line}`, message: "This value is not valid" }]);
    const { definition, paused } = await readDefinition(ctx, readLine(text));
    definition.dependsOn = refsOf(definition.dependsOn, ids, id);
    imported.push({ id, definition, paused });
    await otherWork();
  }
  const monitors = await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      const inserted = await insertAll(trx, imported, ctx.clock.now());
      await record(trx, "monitors", {
        action: "import",
        target: { type: "installation", id: "installation", name: "" },
        after: { monitors: inserted.length },
      });
      // The caller has treated it as failed by now, and undoes its own writes.
      if (signal.aborted) throw new AppError("unavailable", "The answer took too long, please try again later");
      return inserted;
    }),
  );
  for (const { id, revision } of monitors) ctx.committed(id, revision);
}

/** Each line is parsed by itself: parsing all of them as one text would hold up the loop. @throws AppError invalid */
async function unzipLines(zipped: string): Promise<string[]> {
  try {
    const all = await unzip(Buffer.from(zipped, "base64"), { maxOutputLength: mostBytes });
    return all.toString().split("\n").filter(Boolean);
  } catch {
    throw unreadable();
  }
}

/** @throws AppError invalid */
function readLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw unreadable();
  }
}

const unreadable = () => invalid([{ path: "", message: "This value is not valid" }]);

async function insertAll(
  trx: Context["db"],
  imported: readonly ImportedMonitor[],
  atMs: number,
): Promise<StoredMonitor[]> {
  const taken = await takenIds(
    trx,
    imported.map(({ id }) => id),
  );
  if (taken.length > 0) throw new AppError("conflict", "The import was made already");
  const monitors: StoredMonitor[] = [];
  for (let from = 0; from < imported.length; from += chunkRows) {
    monitors.push(...(await insertImported(trx, imported.slice(from, from + chunkRows), atMs)));
  }
  return monitors;
}

/** What a line depends on, by the ids that the other lines have now. What does not come, and itself, is left out. */
function refsOf(refs: readonly TargetRef[], ids: readonly number[], own: number): TargetRef[] {
  return refs.flatMap((ref) => {
    const id = ref.type === "monitor" ? ids[ref.id - 1] : undefined;
    return !id || id === own ? [] : [{ type: ref.type, id }];
  });
}

const tooMany = () => invalid([{ path: "", message: "Too many entries (at most {max})", params: { max: mostAtOnce } }]);
