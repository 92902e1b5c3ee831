import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { TimerClock } from "@sonde/kit/time/clock";
import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import { readCheck } from "@sonde/proto/http/monitors/kinds";
import { createJudging } from "./judging.ts";
import { cancelled } from "./probe.ts";
import { compileCheck, loadKind, runProbe } from "./probes.ts";

const checks = 20;
const checkTimeoutMs = 500;
const maxWarmUpMs = 2000;
const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/**
 * Otherwise the first check would spend tens of milliseconds on JIT compilation, which would count as response time and
 * delay later checks. Returns the number of successful checks. Never rejects.
 */
export async function warmUp(clock: TimerClock, host = "127.0.0.1"): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end(answer));
  });
  const resolver = createResolver({ clock });
  let answered = 0;
  try {
    server.listen(0, host);
    await once(server, "listening");
    await loadKind("http");
    const { port } = server.address() as AddressInfo;
    const target = compileCheck(readCheck({ type: "http", url: `http://${host}:${port}/`, followRedirects: false }));
    const guard = createGuard();
    const judging = createJudging(clock);
    const startedMs = clock.elapsedMs();
    for (let check = 0; check < checks && clock.elapsedMs() - startedMs < maxWarmUpMs; check++) {
      const controller = new AbortController();
      const clear = clock.setTimeout(() => controller.abort(cancelled), checkTimeoutMs);
      const { status } = await runProbe(target, { signal: controller.signal, clock, resolver, guard, judging });
      clear();
      if (status === "up") answered++;
    }
  } catch {
    // Without loopback, the first real checks serve as warm-up.
  }
  resolver.close();
  server.close();
  return answered;
}
