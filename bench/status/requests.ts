import { type Figure, ms } from "../probe/figures.ts";
import { answerOf, startClient, startWatched, type Watched } from "../gateway/processes.ts";

const rounds = 6;
const connections = 64;
const wanted = 0.45;
const privateMs = 0.05;

/** What a visitor of a page with a password costs the gateway, once the page was opened. */
export async function privateVisitor(gateway: Watched, path: string, cookie: string, measureMs: number) {
  await ask(gateway.port, path, measureMs / 4, cookie);
  let costMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    costMs = Math.min(costMs, await cpuARequest(gateway, path, measureMs / rounds, cookie));
  }
  const figure: Figure = {
    goal: "–",
    what: `a visitor of a private page (\`${path}\` with its cookie): processor time`,
    wanted: `≤ ${privateMs} ms`,
    measured: `${costMs.toFixed(3)} ms`,
    held: costMs <= privateMs,
  };
  return figure;
}

/** What a crowd costs: a request for the snapshot, beside Koa alone that answers with as many bytes in the same run. */
export async function crowd(gateway: Watched, measureMs: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [path, accept] of [
    ["/status", "text/html"],
    ["/api/status", "application/json"],
  ] as const) {
    const bytes = await sizeOf(gateway.port, path, accept);
    const koa = await startWatched("bare-koa.ts", { BODY_BYTES: String(bytes) });
    await ask(koa.port, "/", measureMs / 4);
    await ask(gateway.port, path, measureMs / 4);
    // In turns, and the best of each: what else the machine does changes from second to second, and only ever adds.
    let [oursMs, bareMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < rounds; round += 1) {
      bareMs = Math.min(bareMs, await cpuARequest(koa, "/", measureMs / rounds));
      oursMs = Math.min(oursMs, await cpuARequest(gateway, path, measureMs / rounds));
    }
    await koa.stop();
    figures.push({
      goal: "–",
      what: `\`${path}\` (${(bytes / 1024).toFixed(1)} KB compressed), of what bare Koa does with as many bytes`,
      wanted: `≥ ${wanted}`,
      measured: `${(bareMs / oursMs).toFixed(2)} (${perSecond(oursMs)} a core; bare Koa ${perSecond(bareMs)})`,
      held: bareMs / oursMs >= wanted,
    });
  }
  return figures;
}

const perSecond = (costMs: number) => `${Math.round(1000 / costMs)}/s, ${ms(costMs)}`;

/** Bytes of an answer as browsers get it. */
export async function sizeOf(port: number, path: string, accept: string, encoding = "br, gzip"): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { accept, "accept-encoding": encoding, "accept-language": "en-US" },
  });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  await response.arrayBuffer();
  const length = response.headers.get("content-length");
  if (length === null) throw new Error(`${path} did not tell its length`);
  return Number(length);
}

async function cpuARequest({ port, cpuMs }: Watched, path: string, durationMs: number, cookie?: string) {
  const before = await cpuMs();
  const count = await ask(port, path, durationMs, cookie);
  return ((await cpuMs()) - before) / count;
}

async function ask(port: number, path: string, durationMs: number, cookie?: string): Promise<number> {
  const cookies = cookie === undefined ? [] : [cookie];
  const client = startClient("../status/browsers.ts", port, path, durationMs, connections, ...cookies);
  const counts = (await answerOf(client)) as Record<string, number>;
  const { 200: good = 0, ...others } = counts;
  if (good === 0 || Object.keys(others).length > 0) throw new Error(`answers by status: ${JSON.stringify(counts)}`);
  return good;
}
