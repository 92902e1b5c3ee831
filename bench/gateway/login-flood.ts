import { connectBus } from "@sonde/kit/bus/connect";
import { startNats } from "@sonde/embedded/nats";
import { startPostgres } from "@sonde/embedded/postgres";
import { silentLog } from "@sonde/kit/service/log";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, ms, percentile } from "@sonde/testing/figures";
import { answerOf, startClient, startWatched } from "./processes.ts";

const username = "ada";
const guessers = 64;

/** P12: event loop lag of auth and gateway during password guessing, and the responses to the guesses. */
export async function loginFlood(measureMs: number): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-"));
  await chmod(folder, 0o711); // As root, PostgreSQL runs as another user, which needs to enter this folder.
  const [nats, postgres] = await Promise.all([startNats(), startPostgres({ dataDir: join(folder, "postgres") })]);
  // The gateway waits for streams that services outside this benchmark create.
  await (await connectBus({ url: nats.url, name: "bench", log: silentLog })).close();
  const core = await startWatched("core.ts", {
    NATS_URL: nats.url,
    DATABASE_URL: postgres.url,
    TRUSTED_PROXIES: "127.0.0.1",
    LOG_LEVEL: "error",
  });
  // An idle process shows how much of the lag comes from waiting for a CPU.
  const idle = await startWatched("bare-koa.ts");
  try {
    await register(core.port);
    const flood = async (durationMs: number) => {
      const counts = await answerOf(startClient("logins.ts", core.port, username, durationMs, guessers));
      return counts as Record<string, number>;
    };
    await flood(measureMs / 4);
    await Promise.all([core.latenessMs(), idle.latenessMs()]);
    const counts = await flood(measureMs);
    const late = Float64Array.from(await core.latenessMs());
    const p99 = percentile(late, 0.99);
    const max = late.at(-1) ?? Number.NaN;
    const idleP99 = percentile(Float64Array.from(await idle.latenessMs()), 0.99);
    const answers = Object.entries(counts).map(([status, count]) => `${count} × ${status}`);
    const what = `event-loop lag, ${guessers} clients guess passwords without pause (${answers.join(", ")})`;
    return [
      {
        goal: "P12",
        what: `${what}: p99`,
        wanted: "≤ 20 ms",
        measured: `${ms(p99)} (max ${ms(max)})`,
        held: p99 <= 20,
      },
      { goal: "–", what: "the same of an idle process: p99", wanted: "–", measured: ms(idleP99), held: false },
    ];
  } finally {
    await Promise.all([core.stop(), idle.stop()]);
    await Promise.all([nats.stop(), postgres.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function register(port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username, password: "correct horse battery" }),
  });
  if (!answer.ok) throw new Error(`nobody could register: ${await answer.text()}`);
}
