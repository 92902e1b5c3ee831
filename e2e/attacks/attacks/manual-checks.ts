import { apiOf } from "@sonde/testing/api";
import type { Attack } from "../attack.ts";
import { countResponses, post } from "../responses.ts";

const tests = 2_050;

/** A user tests hosts that never respond, then adds a monitor, which must not stay pending. */
export const manualChecks: Attack = async ({ url, token, target }) => {
  const responses = countResponses();
  const input = { name: "x", url: `${target}/hang`, timeout: 20 };
  const all = Array.from({ length: tests }, async () =>
    responses.add(await post(`${url}/api/monitors/test`, token, input)),
  );
  const api = apiOf(url, token);
  const { monitor } = await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", {
    name: "New",
    url: `${target}/ok`,
  });
  const startedMs = performance.now();
  let status = "pending";
  while (status === "pending" && performance.now() - startedMs < 30_000) {
    ({ status } = (await api.get<{ monitor: { status: string } }>(`/api/monitors/${monitor.id}`)).monitor);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const tookMs = performance.now() - startedMs;
  await Promise.all(all);
  await api.send("DELETE", `/api/monitors/${monitor.id}`);
  return `${responses.text()}; a new monitor was ${status} after ${tookMs.toFixed(0)} ms`;
};
